#include "tests/loops/random_programs.hpp"

#include <fmt/format.h>

#include <span>

#include "loops/interpret.hpp"
#include "tests/loops/random_expressions.hpp"
#include "tests/loops/random_text.hpp"

namespace kerr::loops {

Interpreted interpret(const RandomProgram& program) {
  Interpreted out{program.memories, 0};
  std::vector<std::span<std::byte>> buffers;
  for (const RandomProgram::View& v : program.views)
    buffers.push_back(std::span(out.memories[v.memory]).subspan(v.offset, v.bytes));
  out.lines = interpret(parse(program.text), buffers, program.numbers);
  return out;
}

uint64_t random_bits(Random& random, Type type) {
  const TypeInfo& t = info(type);
  if (type == Type::Bool) return below(random, 2);
  const unsigned bits = 8u * t.bytes;
  if (t.is_float) {
    const unsigned fraction = type == Type::F16 ? 10 : type == Type::Bf16 ? 7 : type == Type::F32 ? 23 : 52;
    const uint64_t infinity = mask(type) >> 1 & ~((uint64_t{1} << fraction) - 1),
                   sign = uint64_t{below(random, 2)} << (bits - 1);
    const uint64_t one = infinity >> 1 & infinity;  // an exponent of all ones but the first
    switch (below(random, 10)) {
      case 0: return sign;
      case 1: return sign | infinity | (one_in(random, 2) ? 0 : uint64_t{1} << (fraction - 1));
      case 2: return sign | (1 + below(random, (uint64_t{1} << fraction) - 1));                  // denormal
      case 3: return sign | (((random() & infinity) + below(random, 3) - 1) & mask(type) >> 1);  // round a power of two
      case 4: return sign | (infinity - 1 - below(random, 2));                                   // the largest
      case 5: return random() & mask(type);
      default: return sign | (one - (uint64_t{4} << fraction) + below(random, uint64_t{12} << fraction));
    }
  }
  switch (below(random, 5)) {
    case 0: return below(random, 4) & mask(type);
    case 1: return (0 - below(random, 4)) & mask(type);
    case 2: return ((uint64_t{1} << below(random, bits)) + below(random, 3) - 1) & mask(type);
    case 3: return below(random, 100) & mask(type);
    default: return random() & mask(type);
  }
}

Type random_type(Random& random) {
  switch (below(random, 6)) {
    case 0: return Type::F32;
    case 1: return Type::I32;
    default: return kTypes[below(random, std::size(kTypes))].type;
  }
}

RandomProgram random_expression(Random& random, const ExpressionOptions& options) {
  constexpr uint64_t kCount = 64;
  RandomProgram out;
  Writer writer(random);
  Expressions expressions(random, writer, options);
  const Type result = expressions.any_type();
  std::vector<Type> types = {result};
  const auto inputs = static_cast<uint32_t>(between(random, 1, 4));
  for (uint32_t k = 0; k < inputs; ++k) types.push_back(expressions.any_type());
  for (uint32_t k = 0; k < types.size(); ++k) {
    writer.declare(fmt::format("param p{} {} {}", k, name_of(types[k]), kCount));
    if (k > 0) expressions.add_source(k, types[k], kCount);
    out.views.push_back({k, 0, kCount * info(types[k]).bytes});
    out.memories.push_back(random_memory(random, types[k], out.views.back().bytes));
  }
  const std::string i = writer.begin_loop(kI32, i32(kCount), "weak");
  for (uint32_t k = 1; k < types.size(); ++k)
    writer.value(types[k], fmt::format("load {} p{}[{}]", name_of(types[k]), k, i));
  const auto levels = static_cast<uint32_t>(between(random, 1, options.most_levels));
  const std::string value = expressions.of(result, levels);
  writer.line(fmt::format("store {} p0[{}] {}", name_of(result), i, value));
  writer.end_loop(i);
  out.text = writer.text("expression");
  return out;
}

}  // namespace kerr::loops
