// Random loop nests.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/loops/random_expressions.hpp"
#include "tests/loops/random_programs.hpp"
#include "tests/loops/random_text.hpp"

namespace kerr::loops {

namespace {

// A sum of loop variables with factors.
struct Affine {
  std::vector<int64_t> strides;  // of each loop of the nest
  int64_t offset = 0;

  int64_t least(const std::vector<uint64_t>& extents) const {
    return end(extents, [](int64_t s) { return s < 0; });
  }
  int64_t largest(const std::vector<uint64_t>& extents) const {
    return end(extents, [](int64_t s) { return s > 0; });
  }

 private:
  template <class Takes>
  int64_t end(const std::vector<uint64_t>& extents, Takes takes) const {
    int64_t sum = offset;
    for (size_t k = 0; k < strides.size(); ++k)
      if (takes(strides[k])) sum += strides[k] * std::max<int64_t>(static_cast<int64_t>(extents[k]) - 1, 0);
    return sum;
  }
};

class NestMaker {
 public:
  NestMaker(Random& random, const NestOptions& options)
      : random_(random), options_(options), writer_(random), expressions_(random, writer_, expression_options()) {}

  RandomProgram make() {
    const uint32_t nests = one_in(random_, 6) ? 2 : 1;
    output_ = type();
    in_place_ = one_in(random_, 4);
    const auto inputs = static_cast<uint32_t>(between(random_, 1, 4));
    for (uint32_t k = 0; k < inputs; ++k) inputs_.push_back({k + 1, one_in(random_, 3) ? type() : output_, 1});
    for (uint32_t n = 0; n < nests; ++n) nest();
    return finish();
  }

 private:
  struct Parameter {
    uint32_t slot;
    Type type;
    uint64_t count;  // grows with what is accessed
  };
  struct Loop {
    std::string variable;
    uint64_t extent;
    bool reduces;
  };

  ExpressionOptions expression_options() const { return {options_.f64, false, 3}; }
  Type type() { return expressions_.any_type(); }

  // Small ones, primes, and such that the bytes of a row end near those of a line or page.
  uint64_t extent(uint64_t most) {
    static const std::vector<uint64_t> kPrimes = {2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 67};
    uint64_t out = 1;
    switch (below(random_, 4)) {
      case 0: out = one_of(random_, kPrimes); break;
      case 1: {
        const uint64_t bytes = one_of(random_, std::vector<uint64_t>{256, 1024, 4096});
        out = bytes / info(output_).bytes + below(random_, 5) - 2;
        break;
      }
      default: out = 1 + below(random_, 70);
    }
    return std::min(out, std::max<uint64_t>(most, 1));
  }

  void nest() {
    loops_.clear();
    uint64_t room = options_.most_lines / 40;
    const auto depth = static_cast<uint32_t>(between(random_, 1, 5));
    const bool reduces = depth > 1 && one_in(random_, 2);
    const uint32_t outer =
        reduces ? depth - static_cast<uint32_t>(between(random_, 1, std::min(depth - 1, 2u))) : depth;
    extents_.clear();
    for (uint32_t k = 0; k < depth; ++k) {
      extents_.push_back(k == 0 && one_in(random_, 2) ? extent(room) : std::min(extent(room), 1 + below(random_, 40)));
      room /= extents_.back();
    }
    if (one_in(random_, 16)) extents_[below(random_, depth)] = 0;
    const bool carries = one_in(random_, 8), again = !reduces && one_in(random_, 10);
    const uint32_t carried = next_register_;
    if (carries) {
      writer_.declare(fmt::format("reg r{} {} 1", next_register_++, name_of(output_)));
      store_register(carried, number(output_, random_bits(random_, output_)));
    }
    for (uint32_t k = 0; k < outer; ++k) begin(k, false);
    Affine out = output_index(outer);
    std::string result = reduces ? reduction(outer, depth) : body();
    if (carries) {
      const std::string before = load_register(carried);
      result = combine(output_, before, result);
      store_register(carried, result);
    }
    if (again) result = repeated(result);
    if (in_place_) result = combine(output_, load_output(out), result);
    store(out, result);
    if (one_in(random_, 6)) {  // the neighbour too
      out.offset += between(random_, -2, 3);
      store(out, body());
    }
    for (uint32_t k = outer; k-- > 0;) writer_.end_loop(loops_[k].variable);
  }

  void begin(uint32_t k, bool reduces) {
    static const std::vector<std::string> kOuter = {"weak", "weak", "loop", "global"};
    const Type counter = one_in(random_, 6) ? Type::I64 : kI32;
    std::string extent = fmt::format("{}:{}", name_of(counter), extents_[k]);
    if (one_in(random_, 5)) extent = variable(counter, extents_[k]);
    const std::string axis = reduces ? "reduce" : one_of(random_, kOuter);
    std::string name = writer_.begin_loop(counter, extent, axis);
    const std::string loop = name;
    loops_.push_back({loop, extents_[k], reduces});
    if (counter == Type::I64) name = writer_.value(kI32, "cast i32 " + name);
    counters_.resize(k);
    counters_.push_back(name);
  }

  std::string variable(Type type, uint64_t value) {
    const std::string name = writer_.reserve();
    writer_.declare(
        fmt::format("var {} {} n{} 0 {}", name, name_of(type), numbers_.size(), value + below(random_, 100)));
    numbers_.push_back(static_cast<int64_t>(value));
    return name;
  }

  // Mixed radix over the loops in some order: every iteration has its own element, but for what is broken on purpose.
  Affine output_index(uint32_t loops) {
    std::vector<uint32_t> order(loops);
    for (uint32_t k = 0; k < loops; ++k) order[k] = loops - 1 - k;
    if (one_in(random_, 3)) std::shuffle(order.begin(), order.end(), random_);
    Affine out;
    out.strides.assign(loops, 0);
    int64_t stride = one_in(random_, 4) ? between(random_, 2, 4) : 1;
    for (const uint32_t k : order) {
      out.strides[k] = one_in(random_, 6) ? -stride : stride;
      stride *= std::max<int64_t>(static_cast<int64_t>(extents_[k]), 1);
      if (one_in(random_, 6)) stride += between(random_, 1, 5);
    }
    if (one_in(random_, 8)) out.strides[below(random_, loops)] = 0;
    if (one_in(random_, 10)) out.strides[below(random_, loops)] = between(random_, 1, 3);
    out.offset = -out.least(extents_) + static_cast<int64_t>(below(random_, 4));
    return out;
  }

  Affine input_index() {
    Affine out;
    out.strides.assign(loops_.size(), 0);
    for (size_t k = 0; k < loops_.size(); ++k) {
      if (one_in(random_, 3) || (used_ >> k & 1) == 0) continue;
      out.strides[k] = one_in(random_, 2) ? 1 : between(random_, -9, 70);
    }
    return out;
  }

  std::string index_of(const Affine& affine) {
    std::string sum;
    const auto add = [&](const std::string& term) {
      sum = sum.empty() ? term : writer_.value(kI32, fmt::format("add i32 {} {}", sum, term));
    };
    for (size_t k = 0; k < affine.strides.size(); ++k) {
      const int64_t stride = affine.strides[k];
      if (stride == 0) continue;
      const bool power = stride > 1 && (stride & (stride - 1)) == 0;
      if (stride == 1)
        add(counters_[k]);
      else if (power && one_in(random_, 2))
        add(writer_.value(
            kI32, fmt::format("shl i32 {} {}", counters_[k], i32(std::countr_zero(static_cast<uint64_t>(stride))))));
      else if (one_in(random_, 2))
        add(writer_.value(kI32, fmt::format("mul i32 {} {}", counters_[k], i32(stride))));
      else
        add(writer_.value(kI32, fmt::format("mul i32 {} {}", i32(stride), counters_[k])));
    }
    if (affine.offset != 0 || sum.empty()) add(i32(affine.offset));
    if (sum.starts_with('%') && one_in(random_, 8)) sum = writer_.value(Type::I64, "cast i64 " + sum);
    return sum;
  }

  // An element of an input, sometimes behind a gate that is false for a part of the iterations.
  std::string load(Parameter& from) {
    Affine index = input_index();
    const int64_t least = index.least(extents_);
    const bool gated = one_in(random_, 3);
    index.offset = -least + (gated ? between(random_, -20, 5) : static_cast<int64_t>(below(random_, 5)));
    const auto needed = static_cast<uint64_t>(std::max<int64_t>(index.largest(extents_) + 1, 1));
    if (!gated) {
      from.count = std::max(from.count, needed);
      return writer_.value(from.type, fmt::format("load {} p{}[{}]", name_of(from.type), from.slot, index_of(index)));
    }
    from.count = std::max(from.count, needed - std::min<uint64_t>(needed - 1, below(random_, 20)));
    const uint64_t end = from.count;
    const std::string at = index_of(index), t = at.starts_with('%') ? name_of(writer_.type_of(at)) : "i32";
    const std::string above = writer_.value(Type::Bool, fmt::format("cmplt {} {}:-1 {}", t, t, at));
    const std::string under = writer_.value(Type::Bool, fmt::format("cmplt {} {} {}:{}", t, at, t, end));
    const std::string gate = writer_.value(Type::Bool, fmt::format("and bool {} {}", above, under));
    return writer_.value(from.type, fmt::format("load {} p{}[{}] {} {}", name_of(from.type), from.slot, at, gate,
                                                number(from.type, random_bits(random_, from.type))));
  }

  // A reduction that uses some of the variables only, so that a compiler may move it out of loops.
  void partial() {
    const uint32_t id = next_register_++, used = used_;
    const auto here = static_cast<uint32_t>(loops_.size());
    const std::vector<uint64_t> extents = extents_;
    const std::vector<std::string> counters = counters_;
    writer_.declare(fmt::format("reg r{} {} 1", id, name_of(output_)));
    used_ = one_in(random_, 4) ? 0 : used & static_cast<uint32_t>(random_());
    const bool inner = one_in(random_, 4);
    if (inner && one_in(random_, 2)) partial();
    store_register(id, one_in(random_, 3) ? term() : number(output_, random_bits(random_, output_)));
    extents_.resize(here);
    extents_.push_back(one_in(random_, 8) ? 0 : 1 + below(random_, inner ? 4 : 7));
    begin(here, true);
    used_ |= 1u << here;
    if (inner) partial();
    store_register(id, combine(output_, load_register(id), term()));
    if (one_in(random_, 4)) store_register(id, combine(output_, load_register(id), term()));
    writer_.end_loop(loops_.back().variable);
    loops_.pop_back();
    extents_ = extents;
    counters_ = counters;
    used_ = used;
    last_ = load_register(id);
  }

  // Something of the output's type that uses no other variables than it may.
  std::string term() {
    const auto cast = [&](const std::string& value) {
      if (writer_.type_of(value) == output_) return value;
      return writer_.value(output_, fmt::format("cast {} {}", name_of(output_), value));
    };
    std::string out = cast(load(inputs_[below(random_, inputs_.size())]));
    if (!last_.empty() && one_in(random_, 2)) out = combine(output_, out, last_);
    for (size_t k = 0; k < loops_.size(); ++k)
      if ((used_ >> k & 1) != 0 && one_in(random_, 3)) out = combine(output_, out, cast(counters_[k]));
    return out;
  }

  // Loads of inputs and something computed of them, of the output's type.
  std::string body() {
    last_.clear();
    for (uint32_t k = static_cast<uint32_t>(below(random_, 6)); k < 3; ++k) partial();
    for (Parameter& input : inputs_)
      if (!one_in(random_, 3)) load(input);
    expressions_.set_budget(8);
    return expressions_.of(output_, 3);
  }

  std::string combine(Type type, const std::string& a, const std::string& b) {
    const bool is_bool = type == Type::Bool;
    static const std::vector<std::string> kBools = {"and", "or", "xor", "max"}, kNumbers = {"add", "add", "max", "mul"};
    return writer_.value(type,
                         fmt::format("{} {} {} {}", one_of(random_, is_bool ? kBools : kNumbers), name_of(type), a, b));
  }

  std::string load_register(uint32_t id) {
    return writer_.value(output_, fmt::format("load {} r{}[i32:0]", name_of(output_), id));
  }
  void store_register(uint32_t id, const std::string& value) {
    writer_.line(fmt::format("store {} r{}[i32:0] {}", name_of(output_), id, value));
  }

  std::string reduction(uint32_t outer, uint32_t depth) {
    const uint32_t id = next_register_++;
    writer_.declare(fmt::format("reg r{} {} 1", id, name_of(output_)));
    store_register(id, number(output_, one_in(random_, 2) ? 0 : random_bits(random_, output_)));
    for (uint32_t k = outer; k < depth; ++k) begin(k, true);
    const std::string term = body();
    store_register(id, combine(output_, load_register(id), term));
    for (uint32_t k = depth; k-- > outer;) {
      writer_.end_loop(loops_.back().variable);
      loops_.pop_back();
      counters_.pop_back();
    }
    std::string result = load_register(id);
    if (one_in(random_, 2)) result = combine(output_, result, body());
    return result;
  }

  // do ... while: counts in a register of its own.
  std::string repeated(const std::string& value) {
    const uint32_t count = next_register_++, sum = next_register_++;
    writer_.declare(fmt::format("reg r{} i32 1", count));
    writer_.declare(fmt::format("reg r{} {} 1", sum, name_of(output_)));
    writer_.line(fmt::format("store i32 r{}[i32:0] {}", count, i32(between(random_, 0, 4))));
    store_register(sum, value);
    const std::string label = writer_.reserve();
    writer_.line("do " + label);
    writer_.open();
    store_register(sum, combine(output_, load_register(sum), value));
    const std::string left = writer_.value(kI32, fmt::format("load i32 r{}[i32:0]", count));
    const std::string less = writer_.value(kI32, fmt::format("sub i32 {} i32:1", left));
    writer_.line(fmt::format("store i32 r{}[i32:0] {}", count, less));
    const std::string more = writer_.value(Type::Bool, fmt::format("cmplt i32 i32:0 {}", less));
    writer_.line(fmt::format("while {} {}", label, more));
    writer_.close();
    return load_register(sum);
  }

  std::string load_output(const Affine& index) {
    Affine at = index;
    if (one_in(random_, 3)) at.offset += between(random_, 0, 3);
    take_output(at);
    return writer_.value(output_, fmt::format("load {} p0[{}]", name_of(output_), index_of(at)));
  }

  void take_output(Affine& index) {
    index.offset -= std::min<int64_t>(index.least(extents_of(index)), 0);
    output_count_ = std::max(output_count_, static_cast<uint64_t>(index.largest(extents_of(index)) + 1));
  }
  std::vector<uint64_t> extents_of(const Affine& index) const {
    return {extents_.begin(), extents_.begin() + static_cast<ptrdiff_t>(index.strides.size())};
  }

  void store(Affine index, const std::string& value) {
    take_output(index);
    const std::string at = index_of(index), line = fmt::format("store {} p0[{}] {}", name_of(output_), at, value);
    if (!one_in(random_, 6)) return writer_.line(line);
    const std::string gate = writer_.value(
        Type::Bool, fmt::format("cmplt i32 {} {}", one_of(random_, counters_), i32(between(random_, 0, 70))));
    writer_.line("if " + gate);
    writer_.line(line);
    writer_.line("endif");
  }

  RandomProgram finish() {
    RandomProgram out;
    std::vector<Parameter> all = {{0, output_, output_count_}};
    all.insert(all.end(), inputs_.begin(), inputs_.end());
    std::string head;
    for (const Parameter& p : all) {
      head += fmt::format("param p{} {} {}\n", p.slot, name_of(p.type), p.count);
      const uint64_t bytes = p.count * info(p.type).bytes;
      // Sometimes two parameters share memory, whole or shifted.
      if (!out.memories.empty() && one_in(random_, 12)) {
        const auto memory = below(random_, out.memories.size());
        const uint64_t offset = one_in(random_, 2) ? 0 : info(p.type).bytes * below(random_, 40);
        if (out.memories[memory].size() < offset + bytes) out.memories[memory].resize(offset + bytes);
        out.views.push_back({memory, offset, bytes});
        continue;
      }
      const uint64_t offset = one_in(random_, 3) ? below(random_, 300) : 0;
      out.views.push_back({out.memories.size(), offset, bytes});
      out.memories.push_back(random_memory(random_, p.type, offset + bytes + below(random_, 100)));
    }
    out.numbers = numbers_;
    out.text = writer_.text("nest", head);
    return out;
  }

  Random& random_;
  NestOptions options_;
  Writer writer_;
  Expressions expressions_;
  Type output_ = kI32;
  bool in_place_ = false;
  uint64_t output_count_ = 1;
  uint32_t next_register_ = 0;
  std::vector<Parameter> inputs_;
  std::vector<uint64_t> extents_;      // of the nest
  std::vector<Loop> loops_;            // open ones
  std::vector<std::string> counters_;  // of open loops, as i32
  uint32_t used_ = ~0u;                // bit k: the variable of loop k may be used
  std::string last_;                   // what the reduction before has made
  std::vector<int64_t> numbers_;
};

}  // namespace

RandomProgram random_nest(Random& random, const NestOptions& options) { return NestMaker(random, options).make(); }

}  // namespace kerr::loops
