#include "loops/scalar/allocate.hpp"

#include <algorithm>
#include <span>

namespace kerr::loops::scalar {
namespace {

using isa::riscv::Op;

// Those that routines leave alone come last: what lives across no call takes the others first.
constexpr RegId kIntegers[] = {10, 11, 12, 13, 14, 15, 16, 17, 28, 29,          // a0-a7, t3, t4
                               9,  18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 4};  // s1-s11, tp
constexpr size_t kIntegersChanged = 10;
constexpr RegId kFloats[] = {34, 35, 36, 37, 38, 39,  // ft2-ft7
                             42, 43, 44, 45, 46, 47, 48, 49, 40, 41, 50, 51,
                             52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
constexpr size_t kFloatsChanged = 6;

struct Interval {
  uint32_t begin = ~0u, end = 0;
  float weight = 0;   // of definitions and uses
  uint32_t hint = 0;  // a register that it is copied from or to
  bool constant = false;
  int32_t value = 0;
  uint32_t definitions = 0;
};

template <class Function>
void each_use(const Machine& m, const Step& s, Function&& use) {
  switch (s.kind) {
    case Step::Kind::Instruction:
    case Step::Kind::Branch:
      use(s.rs1);
      use(s.rs2);
      return;
    case Step::Kind::Call:
      for (uint32_t i = 0; i < m.calls[s.label].operand_count; ++i) use(m.calls[s.label].operands[i]);
      return;
    default: return;
  }
}
template <class Function>
void each_definition(const Machine& m, const Step& s, Function&& define) {
  switch (s.kind) {
    case Step::Kind::Instruction:
    case Step::Kind::Constant:
    case Step::Kind::Define: define(s.rd); return;
    case Step::Kind::Call:
      for (uint32_t i = 0; i < m.calls[s.label].result_count; ++i) define(m.calls[s.label].results[i]);
      return;
    default: return;
  }
}

// An instruction is pure if it only makes a number.
bool is_pure(const Step& s) {
  if (s.rd < kFirstVirtual) return false;
  if (s.kind == Step::Kind::Constant) return true;
  if (s.kind != Step::Kind::Instruction) return false;
  const isa::riscv::Kind kind = isa::riscv::row(s.op).kind;
  return kind == isa::riscv::Kind::Alu || kind == isa::riscv::Kind::Mul || kind == isa::riscv::Kind::Div ||
         kind == isa::riscv::Kind::Float || kind == isa::riscv::Kind::Load;
}

// From the end: a pure step goes whose result nobody behind it uses; of what is defined several times, only when nobody
// uses it.
void remove_unused(Machine& m) {
  std::vector<uint32_t> uses(m.is_float.size());
  const auto count = [&](RegId reg, int by) {
    if (reg >= kFirstVirtual) uses[reg - kFirstVirtual] += static_cast<uint32_t>(by);
  };
  for (const Step& s : m.steps) each_use(m, s, [&](RegId reg) { count(reg, 1); });
  for (size_t i = m.steps.size(); i-- > 0;) {
    Step& s = m.steps[i];
    bool needed = true;
    if (is_pure(s)) {
      needed = uses[s.rd - kFirstVirtual] != 0;
    } else if (s.kind == Step::Kind::Call) {
      needed = false;
      each_definition(m, s, [&](RegId reg) { needed |= reg < kFirstVirtual || uses[reg - kFirstVirtual] != 0; });
    }
    if (needed) continue;
    each_use(m, s, [&](RegId reg) { count(reg, -1); });
    s.kind = Step::Kind::Define;
    s.rd = kZero;
  }
  std::erase_if(m.steps, [](const Step& s) { return s.kind == Step::Kind::Define && s.rd == kZero; });
}

struct Loop {
  uint32_t begin, end;
};

std::vector<Interval> intervals_of(const Machine& m, std::vector<uint32_t>& calls) {
  std::vector<Interval> intervals(m.is_float.size());
  std::vector<uint32_t> loop_end(m.steps.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < m.steps.size(); ++i) {
    if (m.steps[i].kind == Step::Kind::LoopBegin) open.push_back(i);
    if (m.steps[i].kind == Step::Kind::LoopEnd) {
      loop_end[open.back()] = i;
      open.pop_back();
    }
  }
  std::vector<Loop> loops;
  uint32_t cold = 0;
  for (uint32_t i = 0; i < m.steps.size(); ++i) {
    const Step& s = m.steps[i];
    if (s.kind == Step::Kind::LoopBegin) loops.push_back({i, loop_end[i]});
    if (s.kind == Step::Kind::LoopEnd) loops.pop_back();
    if (s.kind == Step::Kind::ColdBegin) ++cold;
    if (s.kind == Step::Kind::ColdEnd) --cold;
    if (s.kind == Step::Kind::Call) calls.push_back(i);
    float weight = cold != 0 ? 0.01f : 1;
    for (size_t depth = 0; depth < std::min<size_t>(loops.size(), 8); ++depth) weight *= 8;
    const auto touch = [&](RegId reg) {
      Interval& interval = intervals[reg - kFirstVirtual];
      interval.begin = std::min(interval.begin, i);
      interval.end = std::max(interval.end, i);
      interval.weight += weight;
      // The outermost loop that began behind it: what is inside may come again.
      const auto outer = std::partition_point(loops.begin(), loops.end(),
                                              [&](const Loop& loop) { return loop.begin < interval.begin; });
      if (outer != loops.end()) interval.end = std::max(interval.end, outer->end);
    };
    each_use(m, s, [&](RegId reg) {
      if (reg >= kFirstVirtual) touch(reg);
    });
    each_definition(m, s, [&](RegId reg) {
      if (reg < kFirstVirtual) return;
      touch(reg);
      Interval& interval = intervals[reg - kFirstVirtual];
      interval.end = std::max(interval.end, i + 1);  // two results of a step are two registers
      ++interval.definitions;
      if (s.kind == Step::Kind::Constant && !m.in_float_file(reg)) {
        interval.constant = interval.definitions == 1;
        interval.value = s.imm;
      } else {
        interval.constant = false;
      }
    });
    const bool copy = s.kind == Step::Kind::Instruction &&
                      ((s.op == Op::Addi && s.imm == 0) || (s.op == Op::FsgnjS && s.rs1 == s.rs2)) &&
                      s.rd >= kFirstVirtual && s.rs1 >= kFirstVirtual;
    if (copy) {
      intervals[s.rd - kFirstVirtual].hint = s.rs1;
      if (intervals[s.rs1 - kFirstVirtual].hint == 0) intervals[s.rs1 - kFirstVirtual].hint = s.rd;
    }
  }
  return intervals;
}

class Scan {
 public:
  Scan(const Machine& m, const std::vector<Interval>& intervals, const std::vector<uint32_t>& calls)
      : m_(m), intervals_(intervals), calls_(calls) {
    out_.places.resize(intervals.size());
  }

  Allocation run() {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < intervals_.size(); ++i)
      if (intervals_[i].begin != ~0u) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return intervals_[a].begin != intervals_[b].begin ? intervals_[a].begin < intervals_[b].begin : a < b;
    });
    for (uint32_t i : order) place(i);
    return std::move(out_);
  }

 private:
  void place(uint32_t i) {
    const Interval& interval = intervals_[i];
    const bool float_file = m_.is_float[i];
    const std::span<const RegId> registers =
        float_file ? std::span<const RegId>(kFloats) : std::span<const RegId>(kIntegers);
    const size_t first = crosses_call(interval) ? (float_file ? kFloatsChanged : kIntegersChanged) : 0;
    for (RegId reg : registers) {
      if (holder_[reg] != kNobody && intervals_[holder_[reg]].end <= interval.begin) free(reg);
    }
    for (uint32_t slot_at = 0; slot_at < busy_slots_.size();) {
      // Slots are taken back in no order; there are few while there are few spills.
      if (busy_slots_[slot_at].end <= interval.begin) {
        free_slots_.push_back(busy_slots_[slot_at].slot);
        busy_slots_[slot_at] = busy_slots_.back();
        busy_slots_.pop_back();
      } else {
        ++slot_at;
      }
      if (busy_slots_.size() > 64 && slot_at >= 64) break;
    }
    const RegId hint = hinted(interval, registers.subspan(first));
    if (hint != 0) return take(i, hint);
    for (RegId reg : registers.subspan(first)) {
      if (holder_[reg] == kNobody) return take(i, reg);
    }
    // The cheapest goes to memory: the new one, or the holder of a register that it may have.
    RegId cheapest = 0;
    float least = cost(i);
    for (RegId reg : registers.subspan(first)) {
      if (cost(holder_[reg]) < least) {
        least = cost(holder_[reg]);
        cheapest = reg;
      }
    }
    if (cheapest == 0) return spill(i);
    spill(holder_[cheapest]);
    free(cheapest);
    take(i, cheapest);
  }

  float cost(uint32_t i) const {
    const Interval& interval = intervals_[i];
    return interval.weight / static_cast<float>(interval.end - interval.begin + 1) * (interval.constant ? 0.5f : 1);
  }
  RegId hinted(const Interval& interval, std::span<const RegId> allowed) const {
    if (interval.hint < kFirstVirtual) return 0;
    const Place place = out_.places[interval.hint - kFirstVirtual];
    if (place.kind != Place::Kind::Register || holder_[place.number] != kNobody) return 0;
    return std::find(allowed.begin(), allowed.end(), place.number) != allowed.end() ? place.number : 0;
  }
  bool crosses_call(const Interval& interval) const {
    const auto call = std::upper_bound(calls_.begin(), calls_.end(), interval.begin);
    return call != calls_.end() && *call < interval.end;
  }
  void take(uint32_t i, RegId reg) {
    holder_[reg] = i;
    out_.places[i] = {Place::Kind::Register, reg, 0};
  }
  void free(RegId reg) { holder_[reg] = kNobody; }
  void spill(uint32_t i) {
    if (intervals_[i].constant && intervals_[i].definitions == 1) {
      out_.places[i] = {Place::Kind::Constant, 0, intervals_[i].value};
      return;
    }
    // A slot must be free from the interval's begin on, which may lie behind us: only new ones are.
    uint32_t slot = out_.slots;
    if (out_.places[i].kind == Place::Kind::Unused && !free_slots_.empty()) {
      slot = free_slots_.back();
      free_slots_.pop_back();
    } else {
      ++out_.slots;
    }
    out_.places[i] = {Place::Kind::Slot, slot, 0};
    busy_slots_.push_back({slot, intervals_[i].end});
  }

  static constexpr uint32_t kNobody = ~0u;
  struct BusySlot {
    uint32_t slot, end;
  };
  const Machine& m_;
  const std::vector<Interval>& intervals_;
  const std::vector<uint32_t>& calls_;
  Allocation out_;
  std::array<uint32_t, 64> holder_ = [] {
    std::array<uint32_t, 64> nobody;
    nobody.fill(kNobody);
    return nobody;
  }();
  std::vector<BusySlot> busy_slots_;
  std::vector<uint32_t> free_slots_;
};

}  // namespace

Allocation allocate(Machine& machine) {
  remove_unused(machine);
  std::vector<uint32_t> calls;
  const std::vector<Interval> intervals = intervals_of(machine, calls);
  return Scan(machine, intervals, calls).run();
}

}  // namespace kerr::loops::scalar
