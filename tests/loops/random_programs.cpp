#include "tests/loops/random_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "loops/interpret.hpp"
#include "loops/numbers.hpp"

namespace kerr::loops {

namespace {

constexpr Type kI32 = Type::I32;

uint64_t below(Random& random, uint64_t n) { return random() % n; }
bool one_in(Random& random, uint64_t n) { return below(random, n) == 0; }
int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(below(random, static_cast<uint64_t>(high - low + 1)));
}
template <class T>
const T& one_of(Random& random, const std::vector<T>& all) {
  return all[below(random, all.size())];
}

std::string name_of(Type type) { return std::string(info(type).name); }
uint64_t mask(Type type) { return ~uint64_t{0} >> (64 - 8 * info(type).bytes); }

std::vector<std::byte> random_memory(Random& random, Type type, uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  const size_t size = info(type).bytes;
  for (size_t at = 0; at < bytes; at += size) {
    const uint64_t bits = random_bits(random, type);
    std::memcpy(out.data() + at, &bits, std::min<size_t>(size, bytes - at));
  }
  return out;
}

// Lines with fresh names, and what may be used where the next line goes.
class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  struct Known {
    Type type;
    std::string name;
  };

  void declare(const std::string& line) { declarations_ += line + "\n"; }
  void line(const std::string& line) { body_ += line + "\n"; }
  std::string value(Type type, const std::string& what) {
    const std::string name = fmt::format("%{}", next_++);
    line(name + " = " + what);
    known_.push_back({type, name});
    return name;
  }
  std::string reserve() { return fmt::format("%{}", next_++); }
  void know(Type type, const std::string& name) { known_.push_back({type, name}); }

  /// Until close(), which forgets what was made since.
  void open() { marks_.push_back(known_.size()); }
  void close() {
    known_.resize(marks_.back());
    marks_.pop_back();
  }

  std::string begin_loop(Type type, const std::string& extent, const std::string& axis) {
    open();
    return value(type, fmt::format("loop {} {} {}", name_of(type), extent, axis));
  }
  void end_loop(const std::string& variable) {
    line("end " + variable);
    close();
  }

  std::optional<std::string> known(Type type) const {
    std::vector<std::string> names;
    for (const Known& k : known_)
      if (k.type == type) names.push_back(k.name);
    if (names.empty()) return std::nullopt;
    return one_of(random_, names);
  }

  Type type_of(const std::string& name) const {
    return std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.name == name; })->type;
  }

  std::string text(const std::string& kernel, const std::string& parameters = "") const {
    return "kernel " + kernel + "\n" + parameters + declarations_ + body_;
  }

 private:
  Random& random_;
  std::string declarations_, body_;
  uint32_t next_ = 1;
  std::vector<Known> known_;
  std::vector<size_t> marks_;
};

std::string number(Type type, uint64_t bits) { return name_of(type) + ":" + text_of_number(type, bits); }
std::string i32(int64_t value) { return fmt::format("i32:{}", value); }

// Expressions of any type out of what a Writer knows.
class Expressions {
 public:
  Expressions(Random& random, Writer& writer, const ExpressionOptions& options)
      : random_(random), writer_(writer), options_(options) {}

  /// A parameter whose elements may be loaded, at any index below its count.
  void add_source(uint32_t slot, Type type, uint64_t count) { sources_.push_back({slot, type, count}); }
  void set_budget(uint32_t lines) { budget_ = lines; }

  std::string of(Type type, uint32_t levels) {
    if (levels == 0 || budget_ == 0) return leaf(type);
    --budget_;
    switch (below(random_, 8)) {
      case 0: return leaf(type);
      case 1: return cast(type, levels);
      case 2: return bitcast(type, levels);
      case 3:
        if (const auto loaded = load(type, levels)) return *loaded;
        break;
      default: break;
    }
    return arithmetic(type, levels);
  }

  Type any_type() {
    Type type = random_type(random_);
    while (type == Type::F64 && !options_.f64) type = random_type(random_);
    return type;
  }

 private:
  struct Source {
    uint32_t slot;
    Type type;
    uint64_t count;
  };

  std::string leaf(Type type) {
    if (!one_in(random_, 4))
      if (const auto known = writer_.known(type)) return *known;
    return number(type, random_bits(random_, type));
  }

  std::string cast(Type type, uint32_t levels) {
    const Type from = any_type();
    return writer_.value(type, fmt::format("cast {} {}", name_of(type), of(from, levels - 1)));
  }

  std::string bitcast(Type type, uint32_t levels) {
    std::vector<Type> same_size;
    for (const TypeInfo& t : kTypes)
      if (t.bytes == info(type).bytes && (options_.f64 || t.type != Type::F64)) same_size.push_back(t.type);
    return writer_.value(type, fmt::format("bitcast {} {}", name_of(type), of(one_of(random_, same_size), levels - 1)));
  }

  // At a computed index, which is either brought into range or guarded.
  std::optional<std::string> load(Type type, uint32_t levels) {
    std::vector<Source> fit;
    for (const Source& s : sources_)
      if (s.type == type) fit.push_back(s);
    if (fit.empty()) return std::nullopt;
    const Source source = one_of(random_, fit);
    const Type index_type = one_of(random_, std::vector<Type>{Type::I32, Type::I32, Type::U32, Type::I64, Type::U8});
    const std::string index = of(index_type, levels - 1), t = name_of(index_type);
    const uint64_t most = std::min(source.count, index_type == Type::U8 ? uint64_t{255} : source.count);
    if (one_in(random_, 2)) {
      uint64_t bits = 1;  // the largest power of two that is not above the count, less one
      while (bits * 2 <= most) bits *= 2;
      const std::string inside = writer_.value(index_type, fmt::format("and {} {} {}:{}", t, index, t, bits - 1));
      return writer_.value(type, fmt::format("load {} p{}[{}]", name_of(type), source.slot, inside));
    }
    std::string gate = writer_.value(Type::Bool, fmt::format("cmplt {} {} {}:{}", t, index, t, most));
    if (info(index_type).is_signed) {
      const std::string above = writer_.value(Type::Bool, fmt::format("cmplt {} {}:-1 {}", t, t, index));
      gate = writer_.value(Type::Bool, fmt::format("and bool {} {}", gate, above));
    }
    const std::string otherwise = of(type, levels - 1);
    return writer_.value(type,
                         fmt::format("load {} p{}[{}] {} {}", name_of(type), source.slot, index, gate, otherwise));
  }

  bool may_use(const Operation& row) const {
    return options_.functions || (row.verb != Verb::Exp2 && row.verb != Verb::Log2 && row.verb != Verb::Sin);
  }

  std::string arithmetic(Type type, uint32_t levels) {
    std::vector<const Operation*> rows;
    for (const Operation& row : operations())
      if (row.kind != OperandKind::Compare && computes(row.verb, type) && may_use(row)) rows.push_back(&row);
    if (type == Type::Bool) {
      for (const Operation& row : operations())
        if (row.kind == OperandKind::Compare) rows.insert(rows.end(), 3, &row);
    }
    const Operation& row = *one_of(random_, rows);
    Type operand = type;
    if (row.kind == OperandKind::Compare) operand = any_type();
    std::string line = fmt::format("{} {}", row.name, name_of(operand));
    for (uint32_t k = 0; k < row.operands; ++k) {
      Type wanted = operand;
      if (row.kind == OperandKind::Select && k == 0) wanted = Type::Bool;
      if (row.kind == OperandKind::Shift && k == 1) {
        line += " " + shift_count(type, levels);
        continue;
      }
      line += " " + of(wanted, levels - 1);
    }
    return writer_.value(type, line);
  }

  std::string shift_count(Type type, uint32_t levels) {
    std::vector<Type> integers;
    for (const TypeInfo& t : kTypes)
      if (is_integer(t.type)) integers.push_back(t.type);
    const Type count = one_of(random_, integers);
    if (one_in(random_, 3)) return of(count, levels - 1);
    return number(count, below(random_, 8 * info(type).bytes + 2));
  }

  Random& random_;
  Writer& writer_;
  ExpressionOptions options_;
  std::vector<Source> sources_;
  uint32_t budget_ = 60;  // lines that expressions may still take, roughly
};

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
      if (takes(strides[k])) sum += strides[k] * (static_cast<int64_t>(extents[k]) - 1);
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
      stride *= static_cast<int64_t>(extents_[k]);
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
      if (one_in(random_, 3)) continue;
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
            kI32, fmt::format("shl i32 {} {}", counters_[k], i32(__builtin_ctzll(static_cast<uint64_t>(stride))))));
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

  // Loads of inputs and something computed of them, of the output's type.
  std::string body() {
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
    return {extents_.begin(), extents_.begin() + static_cast<std::ptrdiff_t>(index.strides.size())};
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
  std::vector<int64_t> numbers_;
};

}  // namespace

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

RandomProgram random_nest(Random& random, const NestOptions& options) { return NestMaker(random, options).make(); }

}  // namespace kerr::loops
