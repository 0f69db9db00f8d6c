#include "tests/loops/tiles/random_contractions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "loops/floats.hpp"
#include "tests/loops/random_text.hpp"

namespace kerr::loops {
namespace {

class Maker {
 public:
  Maker(Random& random, const ContractionOptions& options) : random_(random), options_(options) {}

  RandomProgram make() {
    make_loops();
    const bool tf32 = one_in(random_, 6);
    types_[0] = type();
    types_[1] = one_in(random_, 4) ? type() : types_[0];
    const bool scaled = one_in(random_, 4);  // a third factor
    const bool wide = one_in(random_, 5);    // i64 indices
    index_type_ = wide ? "i64" : "i32";
    // The body first: it says how long the parameters are.
    for (const Loop& loop : loops_) {
      if (!loop.reduces)
        line("%{} = loop {} {}:{} {}", loop.name, index_type_, index_type_, loop.extent,
             one_in(random_, 4) ? "global" : "weak");
    }
    line("store f32 r0[i32:0] f32:0.0");
    std::vector<const Loop*> sums;
    for (const Loop& loop : loops_)
      if (loop.reduces) sums.push_back(&loop);
    // The inner ones of several loops may make a sum of their own.
    const size_t apart = one_in(random_, 3) ? below(random_, sums.size()) : 0;
    const std::string reg = apart == 0 ? "r0" : "r1";
    for (size_t k = 0; k < sums.size(); ++k) {
      if (apart != 0 && k == apart) line("store f32 r1[i32:0] f32:0.0");
      line("%{} = loop {} {}:{} reduce", sums[k]->name, index_type_, index_type_, sums[k]->extent);
    }
    std::string a = factor(1, 0), b = factor(2, 1);
    std::string product;
    const Type of = types_[0] == types_[1] && one_in(random_, 2) ? types_[0] : Type::F32;
    if (of == Type::F32) {
      a = cast(a, types_[0]), b = cast(b, types_[1]);
      if (scaled) a = value("mul f32 {} {}", cast(factor(3, one_in(random_, 2) ? 0 : 1), types_[0]), a);
    }
    product =
        one_in(random_, 2) ? value("mul {} {} {}", info(of).name, a, b) : value("mul {} {} {}", info(of).name, b, a);
    if (of != Type::F32) product = value("cast f32 {}", product);
    add_to(reg, product);
    for (size_t k = sums.size(); k-- > 0;) {
      line("end %{}", sums[k]->name);
      if (apart == 0 || k != apart) continue;
      std::string part = value("load f32 r1[i32:0]");
      if (one_in(random_, 2)) {
        const std::string open =
            value("cmplt {} %{} {}:{}", index_type_, sums[0]->name, index_type_, sums[0]->extent - sums[0]->extent / 3);
        part = value("where f32 {} {} f32:0.0", open, part);
      }
      add_to("r0", part);
    }
    finish();
    for (size_t k = loops_.size(); k-- > 0;)
      if (!loops_[k].reduces) line("end %{}", loops_[k].name);
    return complete(tf32);
  }

 private:
  struct Loop {
    std::string name;
    uint64_t extent;
    bool in[2];  // which factors depend on it
    bool reduces;
  };

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  template <class... Args>
  std::string value(fmt::format_string<Args...> format, Args&&... args) {
    const std::string name = fmt::format("%v{}", values_++);
    body_ += name + " = " + fmt::format(format, std::forward<Args>(args)...) + "\n";
    return name;
  }
  void add_to(const std::string& reg, const std::string& what) {
    const std::string before = value("load f32 {}[i32:0]", reg);
    const std::string after =
        one_in(random_, 2) ? value("add f32 {} {}", before, what) : value("add f32 {} {}", what, before);
    line("store f32 {}[i32:0] {}", reg, after);
  }
  std::string cast(const std::string& of, Type type) { return type == Type::F32 ? of : value("cast f32 {}", of); }
  Type type() { return one_of(random_, std::vector<Type>{Type::F32, Type::F32, Type::Bf16, Type::Bf16, Type::F16}); }

  void make_loops() {
    uint64_t left = options_.most_products;
    const auto add = [&](const char* kind, uint64_t count, bool a, bool b, bool reduces) {
      for (uint64_t k = 0; k < count; ++k) {
        uint64_t extent = one_in(random_, 6) ? 1 : 1 + below(random_, one_in(random_, 3) ? 70 : 12);
        extent = std::clamp<uint64_t>(extent, 1, std::max<uint64_t>(left, 1));
        left /= extent;
        loops_.push_back({fmt::format("{}{}", kind, k), extent, {a, b}, reduces});
      }
    };
    add("m", 1 + below(random_, 3), true, false, false);
    add("n", below(random_, 3), false, true, false);
    if (one_in(random_, 3)) add("b", 1 + below(random_, 2), true, true, false);
    if (one_in(random_, 8)) add("o", 1, false, false, false);
    std::shuffle(loops_.begin(), loops_.end(), random_);
    const size_t outer = loops_.size();
    add("k", 1 + below(random_, 3), true, true, true);
    for (size_t k = outer; k < loops_.size(); ++k)
      if (one_in(random_, 10)) loops_[k].in[below(random_, 2)] = false;
  }

  // A load at an index of the loops that the factor depends on, with a gate as padding has, and a prologue.
  std::string factor(uint32_t slot, size_t which) {
    std::vector<const Loop*> mine;
    for (const Loop& loop : loops_)
      if (loop.in[which] && !(slot == 3 && one_in(random_, 2))) mine.push_back(&loop);
    std::shuffle(mine.begin(), mine.end(), random_);
    uint64_t count = 1;
    std::string index = fmt::format("{}:0", index_type_);
    std::string gate;
    for (const Loop* loop : mine) {
      uint64_t extent = loop->extent, padding = 0;
      std::string variable = "%" + loop->name;
      if (one_in(random_, 5) && extent > 2) {  // the memory lacks some at both ends
        padding = 1;
        const std::string low = value("cmplt {} {}:{} {}", index_type_, index_type_, padding - 1, variable);
        const std::string high = value("cmplt {} {} {}:{}", index_type_, variable, index_type_, extent - 1);
        const std::string both = value("and bool {} {}", low, high);
        gate = gate.empty() ? both : value("and bool {} {}", gate, both);
        extent -= 2;
      }
      uint64_t step = one_in(random_, 5) ? 2 : 1;
      if (one_in(random_, 6)) step = 0;  // all at one place
      if (padding != 0) variable = value("sub {} {} {}:1", index_type_, variable, index_type_);
      if (one_in(random_, 8) && padding == 0) {  // backwards
        variable = value("sub {} {}:{} {}", index_type_, index_type_, extent - 1, variable);
      }
      const uint64_t stride = step * count;
      const std::string term = (stride & (stride - 1)) == 0 && stride > 1 && one_in(random_, 2)
                                   ? value("shl {} {} i32:{}", index_type_, variable, std::countr_zero(stride))
                                   : value("mul {} {} {}:{}", index_type_, variable, index_type_, stride);
      index = value("add {} {} {}", index_type_, index, term);
      if (step != 0) count = step * count * (extent - 1) + count;
    }
    const Type own = types_[slot == 3 ? 0 : which];
    const std::string_view name = info(own).name;
    if (own == Type::F32 && one_in(random_, 6)) {  // the sum or maximum of a few
      const std::string reg = fmt::format("r{}", 1 + slot), loop = fmt::format("q{}", slot);
      const uint64_t few = 1 + below(random_, 3);
      counts_[slot] = {own, count * few};
      line("store f32 {}[i32:0] f32:0.0", reg);
      line("%{} = loop {} {}:{} reduce", loop, index_type_, index_type_, few);
      index =
          value("add {} {} {}", index_type_, index, value("mul {} %{} {}:{}", index_type_, loop, index_type_, count));
      const std::string one = gate.empty() ? value("load f32 p{}[{}]", slot, index)
                                           : value("load f32 p{}[{}] {} f32:0.0", slot, index, gate);
      const std::string before = value("load f32 {}[i32:0]", reg);
      line("store f32 {}[i32:0] {}", reg, value("{} f32 {} {}", one_in(random_, 2) ? "add" : "max", before, one));
      line("end %{}", loop);
      return value("load f32 {}[i32:0]", reg);
    }
    counts_[slot] = {own, count};
    std::string loaded = gate.empty() ? value("load {} p{}[{}]", name, slot, index)
                                      : value("load {} p{}[{}] {} {}:{}", name, slot, index, gate, name,
                                              one_in(random_, 6) ? "1.0" : "0.0");
    switch (below(random_, 8)) {
      case 0: return value("neg {} {}", name, loaded);
      case 1: return value("add {} {} {}:0.5", name, loaded, name);
      case 2:
        return value("where {} {} {} {}:0.0", name, value("cmplt {} {}:0.0 {}", name, name, loaded), loaded, name);
      default: return loaded;
    }
  }

  void finish() {
    std::string out = value("load f32 r0[i32:0]");
    std::vector<const Loop*> mine;
    for (const Loop& loop : loops_)
      if (!loop.reduces) mine.push_back(&loop);
    std::shuffle(mine.begin(), mine.end(), random_);
    uint64_t count = 1;
    std::string index = fmt::format("{}:0", index_type_);
    for (const Loop* loop : mine) {
      index = value("add {} {} {}", index_type_, index,
                    value("mul {} %{} {}:{}", index_type_, loop->name, index_type_, count));
      count *= loop->extent;
    }
    const bool narrow = one_in(random_, 4);
    counts_[0] = {narrow ? Type::Bf16 : Type::F32, count};
    switch (below(random_, 6)) {
      case 0: out = value("mul f32 {} f32:0.25", out); break;
      case 1: {
        counts_[4] = {Type::F32, count};
        out = value("add f32 {} {}", out, value("load f32 p4[{}]", index));
        break;
      }
      case 2: out = value("max f32 {} f32:0.0", out); break;
      case 3: {  // in place
        if (!narrow) out = value("add f32 {} {}", out, value("load f32 p0[{}]", index));
        break;
      }
      default: break;
    }
    if (narrow) out = value("cast bf16 {}", out);
    const bool gated = one_in(random_, 8);
    if (gated) line("if {}", value("cmplt {} {} {}:{}", index_type_, index, index_type_, count - count / 3));
    line("store {} p0[{}] {}", info(counts_[0].first).name, index, out);
    if (gated) line("endif");
  }

  RandomProgram complete(bool tf32) {
    RandomProgram out;
    out.text = fmt::format("kernel contraction{}\n", tf32 ? " tf32=1" : "");
    const float scale = std::ldexp(1.0f, static_cast<int>(below(random_, 5)) - 2);
    for (uint32_t slot = 0; slot < 5; ++slot) {
      const auto [type, count] = counts_[slot];
      if (count == 0) continue;
      out.text += fmt::format("param p{} {} {}\n", slot, info(type).name, count);
      const uint64_t bytes = count * info(type).bytes;
      out.views.push_back({out.memories.size(), 64, bytes});
      std::vector<std::byte> memory(bytes + 128, std::byte{0xA5});
      for (uint64_t k = 0; k < count; ++k) {
        const uint64_t bits = number(type, scale);
        std::memcpy(memory.data() + 64 + k * info(type).bytes, &bits, info(type).bytes);
      }
      out.memories.push_back(std::move(memory));
    }
    for (uint32_t reg = 0; reg < 5; ++reg) out.text += fmt::format("reg r{} f32 1\n", reg);
    out.text += body_;
    return out;
  }

  uint64_t number(Type type, float scale) {
    auto value = static_cast<float>(static_cast<int64_t>(random_() % 200'001) - 100'000) / 50'000 * scale;
    if (options_.integers) value = static_cast<float>(between(random_, -4, 4));
    if (options_.special) {
      switch (below(random_, 40)) {
        case 0: value = INFINITY; break;
        case 1: value = -INFINITY; break;
        case 2: value = NAN; break;
        case 3: value = 0; break;
        case 4: value *= 0x1p20f; break;
        case 5: value *= 0x1p-20f; break;
        default: break;
      }
    }
    const auto bits = std::bit_cast<uint32_t>(value);
    return type == Type::F32 ? bits : type == Type::Bf16 ? bf16_of_f32(bits) : f16_of_f32(bits);
  }

  Random& random_;
  const ContractionOptions options_;
  std::vector<Loop> loops_;
  Type types_[2] = {};
  std::string index_type_, body_;
  std::pair<Type, uint64_t> counts_[5] = {};  // by slot
  uint32_t values_ = 0;
};

}  // namespace

RandomProgram random_contraction(Random& random, const ContractionOptions& options) {
  return Maker(random, options).make();
}

}  // namespace kerr::loops
