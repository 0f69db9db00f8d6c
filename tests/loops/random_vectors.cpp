// Random programs with vectors, and with buffers that are taken for others of another type.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/loops/random_programs.hpp"
#include "tests/loops/random_text.hpp"

namespace kerr::loops {

namespace {

class VectorMaker {
 public:
  VectorMaker(Random& random, const ExpressionOptions& options) : random_(random), options_(options), writer_(random) {}

  RandomProgram make() {
    RandomProgram out;
    for (uint32_t slot = 0; slot < 3; ++slot) {
      const Type type = any_type();
      const uint64_t count = static_cast<uint64_t>(between(random_, 40, 200));
      parameters_.push_back({type, count});
      writer_.declare(fmt::format("param p{} {} {}", slot, name_of(type), count));
      const uint64_t bytes = count * info(type).bytes, offset = below(random_, 20);
      out.views.push_back({slot, offset, bytes});
      out.memories.push_back(random_memory(random_, type, offset + bytes + below(random_, 20)));
    }
    loop_ = writer_.begin_loop(kI32, i32(kIterations), "weak");
    for (int k = 0; k < 12; ++k) step();
    writer_.end_loop(loop_);
    out.text = writer_.text("vectors");
    return out;
  }

 private:
  static constexpr int64_t kIterations = 5;
  struct Parameter {
    Type type;
    uint64_t count;
  };

  Type any_type() {
    Type type = random_type(random_);
    while (type == Type::F64 && !options_.f64) type = random_type(random_);
    return type;
  }
  VectorType any_vector() {
    return {any_type(), one_in(random_, 4) ? uint8_t{1} : static_cast<uint8_t>(between(random_, 2, 4))};
  }

  // One that is known, or made of numbers.
  std::string operand(VectorType type) {
    if (!one_in(random_, 3)) {
      if (const auto known = writer_.known(type)) return *known;
    }
    if (type.lanes == 1) return number(type.type, random_bits(random_, type.type));
    return pack(type);
  }

  std::string pack(VectorType type) {
    std::string line = "pack " + text_of(type);
    for (uint8_t lane = 0; lane < type.lanes; ++lane) line += " " + operand({type.type, 1});
    return writer_.value(type, line);
  }

  // Of a parameter of any type, at an index that lies in it in every iteration.
  std::string address(uint32_t slot, VectorType type) {
    const Parameter& p = parameters_[slot];
    const bool other = p.type != type.type, counts_others = other && one_in(random_, 2);
    const uint64_t unit = info(counts_others ? type.type : p.type).bytes,
                   size = uint64_t{info(type.type).bytes} * type.lanes;
    const auto last = static_cast<int64_t>((p.count * info(p.type).bytes - size) / unit);
    std::string index = i32(between(random_, 0, last));
    if (last >= kIterations && one_in(random_, 2)) {
      const int64_t stride = std::min<int64_t>(between(random_, 1, 4), last / (kIterations - 1));
      const std::string scaled = writer_.value(kI32, fmt::format("mul i32 {} {}", loop_, i32(stride)));
      index = writer_.value(
          kI32, fmt::format("add i32 {} {}", scaled, i32(between(random_, 0, last - stride * (kIterations - 1)))));
    }
    const std::string cast = other ? "~" + name_of(type.type) : "";
    return fmt::format("p{}{}[{}]{}", slot, counts_others ? cast : "", index, counts_others ? "" : cast);
  }

  void load() {
    const VectorType type = any_vector();
    const std::string from = address(static_cast<uint32_t>(below(random_, 3)), type);
    if (one_in(random_, 2)) {
      writer_.value(type, fmt::format("load {} {}", text_of(type), from));
    } else {
      const std::string gate = operand({Type::Bool, 1}), otherwise = operand(type);
      writer_.value(type, fmt::format("load {} {} {} {}", text_of(type), from, gate, otherwise));
    }
  }

  void store() {
    const VectorType type = any_vector();
    const std::string value = operand(type), to = address(static_cast<uint32_t>(below(random_, 3)), type);
    writer_.line(fmt::format("store {} {} {}", text_of(type), to, value));
  }

  void arithmetic() {
    const VectorType type = any_vector();
    std::vector<const Operation*> rows;
    for (const Operation& row : operations())
      if (computes(row.verb, type.type)) rows.push_back(&row);
    const Operation& row = *one_of(random_, rows);
    std::string line = fmt::format("{} {}", row.name, text_of(type));
    for (uint8_t k = 0; k < row.operands; ++k) {
      VectorType wanted = type;
      if (row.kind == OperandKind::Select && k == 0) wanted.type = Type::Bool;
      if (row.kind == OperandKind::Shift && k == 1)
        wanted.type = one_of(random_, std::vector<Type>{Type::U8, Type::I32, Type::I64});
      line += " " + operand(wanted);
    }
    writer_.value(row.kind == OperandKind::Compare ? VectorType{Type::Bool, type.lanes} : type, line);
  }

  void cast() {
    const VectorType to = any_vector(), from{any_type(), to.lanes};
    const bool keeps_bits = info(to.type).bytes == info(from.type).bytes && one_in(random_, 2);
    const std::string value = operand(from);
    writer_.value(to, fmt::format("{} {} {}", keeps_bits ? "bitcast" : "cast", text_of(to), value));
  }

  void lane() {
    VectorType type = any_vector();
    type.lanes = std::max<uint8_t>(type.lanes, 2);
    const std::string vector = operand(type);
    writer_.value(type.type,
                  fmt::format("lane {} {} {}", name_of(type.type), vector, i32(between(random_, 0, type.lanes - 1))));
  }

  void step() {
    switch (below(random_, 8)) {
      case 0:
      case 1: return load();
      case 2: return store();
      case 3: return cast();
      case 4: return lane();
      default: return arithmetic();
    }
  }

  Random& random_;
  ExpressionOptions options_;
  Writer writer_;
  std::vector<Parameter> parameters_;
  std::string loop_;
};

}  // namespace

RandomProgram random_vectors(Random& random, const ExpressionOptions& options) {
  return VectorMaker(random, options).make();
}

}  // namespace kerr::loops
