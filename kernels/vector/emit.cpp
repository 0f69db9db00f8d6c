#include "kernels/vector/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "isa/tensix/instructions.hpp"
#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::vector {

namespace tx = isa::tensix;

namespace {

constexpr int kRegisters = 8;
// By fixed value: 0, 1, -1, the lane's number, the place.
constexpr uint32_t kFixedRegisters[Code::kFixedValues] = {9, 10, 11, 15, Code::kPlaceRegister};
constexpr uint32_t kNever = ~0u;

bool makeable(Operation operation) { return operation == Operation::Load || operation == Operation::Constant; }

// A spilled value is kept for one group of lanes at a time: groups run through the whole code one after the other, each
// two rows further. So values may be two rows apart, as long as those of the last group are inside the free tiles.
constexpr uint32_t kGroupRows = 2, kGroups = kTileRows / kGroupRows;
uint32_t spill_places(const DstUse& dst) {
  if (dst.first_spill >= dst.tiles) return 0;
  const uint32_t groups = (dst.tiles - dst.first_spill - 1) * kGroups + 1;
  return dst.dst32 ? groups : groups / 2;
}

class Emitter {
 public:
  Emitter(const Code& code, const DstUse& dst)
      : code_(code),
        dst_(dst),
        uses_(code.values()),
        maker_(code.values()),
        at_(code.values(), kNowhere),
        spilled_(code.values()) {
    const auto& steps = code.steps();
    for (uint32_t i = 0; i < steps.size(); ++i) {
      for (const Value v : steps[i].sources) {
        if (v != Value{} && v.id >= Code::kFixedValues) uses_[v.id].push_back(i);
      }
      if (steps[i].result != Value{}) maker_[steps[i].result.id] = &steps[i];
    }
    // Read backwards from here on: the next use is the last element.
    for (auto& list : uses_) std::reverse(list.begin(), list.end());
    owner_.fill(kNobody);
    slots_.assign(spill_places(dst), kNobody);
  }

  Emitted run() {
    for (now_ = 0; now_ < code_.steps().size(); ++now_) step(code_.steps()[now_]);
    out_.uses_place = code_.uses_place();
    return std::move(out_);
  }

 private:
  static constexpr int kNowhere = -1;
  static constexpr uint16_t kNobody = 0xFFFF;

  // ---- registers

  uint32_t next_use(uint16_t value) const { return uses_[value].empty() ? kNever : uses_[value].back(); }

  uint32_t reg(Value v) const {
    if (v.id < Code::kFixedValues) return kFixedRegisters[v.id];
    return static_cast<uint32_t>(at_[v.id]);
  }

  void place(uint16_t value, int r) {
    owner_[static_cast<size_t>(r)] = value;
    at_[value] = r;
  }
  void leave(uint16_t value) {
    if (at_[value] == kNowhere) return;
    owner_[static_cast<size_t>(at_[value])] = kNobody;
    at_[value] = kNowhere;
  }

  // Whether `value` rather than `other` leaves its register: the one that is needed later, but where nothing can be
  // spilled one that can be made again.
  bool leaves_rather(uint16_t value, uint16_t other) const {
    const auto again = [&](uint16_t v) { return makeable(maker_[v]->operation); };
    if (slots_.empty() && again(value) != again(other)) return again(value);
    return next_use(value) > next_use(other);
  }

  // A register that holds nothing that this step needs.
  int free_register() {
    int victim = -1;
    const int registers = code_.uses_place() ? static_cast<int>(Code::kPlaceRegister) : kRegisters;
    for (int r = 0; r < registers; ++r) {
      const uint16_t value = owner_[static_cast<size_t>(r)];
      if (value == kNobody) return r;
      if (locked_ >> r & 1) continue;
      if (victim < 0 || leaves_rather(value, owner_[static_cast<size_t>(victim)])) victim = r;
    }
    if (victim < 0) throw std::length_error("a step of a vector kernel needs more than eight registers");
    const uint16_t value = owner_[static_cast<size_t>(victim)];
    if (next_use(value) != kNever && !makeable(maker_[value]->operation) && !spilled_[value]) spill(value);
    leave(value);
    return victim;
  }

  void spill(uint16_t value) {
    const auto place = std::ranges::find(slots_, kNobody);
    if (place == slots_.end()) {
      throw std::length_error(fmt::format(
          "the expression keeps more values than the vector unit's eight registers and the {} places in {} free "
          "tiles of Dst hold: split it",
          slots_.size(), dst_.tiles - std::min(dst_.first_spill, dst_.tiles)));
    }
    *place = value;
    spilled_[value] = kTileRows * dst_.first_spill +
                      static_cast<uint32_t>(place - slots_.begin()) * (dst_.dst32 ? 1 : 2) * kGroupRows;
    ++out_.spills;
    const auto r = static_cast<uint32_t>(at_[value]);
    remark_ = "kept in Dst";
    store_exact(dst_.dst32, r, *spilled_[value], *spilled_[value] + kGroupRows,
                [&](const auto& store) { push(store, r, {r}); });
  }

  // The register of a source, which is brought there if it is elsewhere, and stays for this step.
  void bring(Value v) {
    if (v == Value{} || v.id < Code::kFixedValues) return;
    if (at_[v.id] == kNowhere) {
      const int r = free_register();
      make_again(v.id, static_cast<uint32_t>(r));
      place(v.id, r);
    }
    locked_ |= 1u << at_[v.id];
  }

  void make_again(uint16_t value, uint32_t r) {
    if (!spilled_[value]) return make(*maker_[value], r);
    remark_ = "again";
    load_exact(dst_.dst32, r, *spilled_[value], *spilled_[value] + kGroupRows,
               [&](const auto& load) { push(load, r, {r}); });
  }

  // ---- steps

  void step(const Step& s) {
    locked_ = 0;
    for (const Value v : s.sources) bring(v);
    remark_ = code_.remark_of(s);
    for (const Value v : s.sources) {
      if (v == Value{} || v.id < Code::kFixedValues) continue;
      auto& uses = uses_[v.id];
      while (!uses.empty() && uses.back() <= now_) uses.pop_back();
    }
    if (s.operation == Operation::Store) {
      const uint32_t r = reg(s.sources[0]);
      push(dst_access<tx::SFPSTORE>(r, mode_of(s), static_cast<uint32_t>(s.immediate), s.row), r, {r});
      forget_the_dead(s);
      return;
    }
    std::array<uint32_t, 4> sources{};
    for (size_t i = 0; i < sources.size(); ++i) {
      if (s.sources[i] != Value{}) sources[i] = reg(s.sources[i]);
    }
    const uint32_t target = is_tied(s.operation) ? tied_target(s) : fresh_target(s);
    issue(s, target, sources);
    forget_the_dead(s);
    if (next_use(s.result.id) != kNever) place(s.result.id, static_cast<int>(target));
  }

  // Those whose result takes the place of source a.
  static bool is_tied(Operation operation) {
    using enum Operation;
    constexpr Operation kTied[] = {IntegerAdd, IntegerSub, ShiftBy, ShiftByArithmetic, Xor, And, Or, Select};
    return std::ranges::count(kTied, operation) != 0;
  }

  uint32_t tied_target(const Step& s) {
    const Value a = s.sources[0];
    // What a Select tests is read before it writes.
    const auto others_end = s.operation == Operation::Select ? s.sources.begin() + 2 : s.sources.end();
    if (a.id >= Code::kFixedValues && next_use(a.id) == kNever &&
        std::count(s.sources.begin() + 1, others_end, a) == 0) {
      const uint32_t r = reg(a);
      leave(a.id);
      return r;
    }
    const auto r = static_cast<uint32_t>(free_register());
    push(tx::SFPMOV{.instr_mod1 = 2, .lreg_dest = r, .lreg_c = reg(a)}, r, {reg(a)});
    return r;
  }

  // A register for a result that is written when all sources have been read.
  uint32_t fresh_target(const Step& s) {
    for (const Value v : s.sources) {
      if (v != Value{} && v.id >= Code::kFixedValues && next_use(v.id) == kNever) return reg(v);
    }
    return static_cast<uint32_t>(free_register());
  }

  void forget_the_dead(const Step& s) {
    for (const Value v : s.sources) {
      if (v == Value{} || v.id < Code::kFixedValues || next_use(v.id) != kNever) continue;
      leave(v.id);
      if (spilled_[v.id]) std::ranges::replace(slots_, v.id, kNobody);
    }
  }

  // ---- instructions

  DstMode mode_of(const Step& s) const { return s.mode.value_or(number_mode(dst_.dst32)); }

  void make(const Step& s, uint32_t r) {
    if (s.operation == Operation::Load) {
      return push(dst_access<tx::SFPLOAD>(r, mode_of(s), static_cast<uint32_t>(s.immediate), s.row), r, {r});
    }
    const auto bits = static_cast<uint32_t>(s.immediate);
    if ((bits & 0xFFFF) == 0) return push(tx::SFPLOADI{.imm16 = bits >> 16, .instr_mod0 = 0, .lreg_ind = r}, r, {});
    if (bits >> 16 == 0) return push(tx::SFPLOADI{.imm16 = bits, .instr_mod0 = 2, .lreg_ind = r}, r, {});
    push(tx::SFPLOADI{.imm16 = bits >> 16, .instr_mod0 = 8, .lreg_ind = r}, r, {});
    push(tx::SFPLOADI{.imm16 = bits & 0xFFFF, .instr_mod0 = 10, .lreg_ind = r}, r, {r});
  }

  void issue(const Step& s, uint32_t d, const std::array<uint32_t, 4>& sources) {
    const auto [a, b, c, e] = sources;
    const auto immediate12 = static_cast<uint32_t>(s.immediate) & 0xFFF;
    switch (s.operation) {
      case Operation::Load:
      case Operation::Constant: return make(s, d);
      case Operation::Store: return;
      case Operation::Mad:
        return push(tx::SFPMAD{.instr_mod1 = (s.negate_a ? 1u : 0u) | (s.negate_c ? 2u : 0u),
                               .lreg_dest = d,
                               .lreg_src_c = c,
                               .lreg_src_b = b,
                               .lreg_src_a = a},
                    d, {a, b, c}, true);
      case Operation::Move:
        return push(tx::SFPMOV{.instr_mod1 = s.negate_a ? 1u : 0u, .lreg_dest = d, .lreg_c = a}, d, {a});
      case Operation::Abs: return push(tx::SFPSETSGN{.instr_mod1 = 1, .lreg_dest = d, .lreg_c = a}, d, {a});
      case Operation::IntegerAdd: return push(tx::SFPIADD{.instr_mod1 = 4, .lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::IntegerSub: return push(tx::SFPIADD{.instr_mod1 = 6, .lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::IntegerAddConstant:
        return push(tx::SFPIADD{.instr_mod1 = 5, .lreg_dest = d, .lreg_c = a, .imm12 = immediate12}, d, {a});
      case Operation::ShiftConstant:
        return push(tx::SFPSHFT{.instr_mod1 = 5, .lreg_dest = d, .lreg_c = a, .imm12 = immediate12}, d, {a});
      case Operation::ShiftRightArithmeticConstant:
        return push(tx::SFPSHFT{.instr_mod1 = 7, .lreg_dest = d, .lreg_c = a, .imm12 = immediate12}, d, {a});
      case Operation::And: return push(tx::SFPAND{.lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::Or: return push(tx::SFPOR{.lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::Xor: return push(tx::SFPXOR{.lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::Not: return push(tx::SFPNOT{.lreg_dest = d, .lreg_c = a}, d, {a});
      case Operation::ShiftBy: return push(tx::SFPSHFT{.instr_mod1 = 0, .lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::ShiftByArithmetic:
        return push(tx::SFPSHFT{.instr_mod1 = 2, .lreg_dest = d, .lreg_c = b}, d, {d, b});
      case Operation::MultiplyLow:
      case Operation::MultiplyHigh:
        return push(tx::SFPMUL24{.instr_mod1 = s.operation == Operation::MultiplyHigh ? 1u : 0u,
                                 .lreg_dest = d,
                                 .lreg_src_c = kFixedRegisters[0],
                                 .lreg_src_b = b,
                                 .lreg_src_a = a},
                    d, {a, b}, true);
      case Operation::SignMagnitude: return push(tx::SFPCAST{.instr_mod1 = 3, .lreg_dest = d, .lreg_src_c = a}, d, {a});
      case Operation::MagnitudeToFp32:
        return push(tx::SFPCAST{.instr_mod1 = 0, .lreg_dest = d, .lreg_src_c = a}, d, {a});
      case Operation::ReciprocalEstimate: return push(tx::SFPARECIP{.lreg_dest = d, .lreg_c = a}, d, {a});
      case Operation::RoundToBf16:
        return push(tx::SFP_STOCH_RND{.instr_mod1 = 1, .lreg_dest = d, .lreg_src_c = a}, d, {a});
      case Operation::Select:
        test(s.test, c, e);
        push(tx::SFPMOV{.lreg_dest = d, .lreg_c = b}, d, {b});
        return push(tx::SFPENCC{}, kNever, {});
    }
  }

  void test(Test t, uint32_t left, uint32_t right) {
    constexpr uint32_t kModes[] = {0, 4, 6, 2};
    switch (t) {
      case Test::Greater:
        return push(tx::SFPGT{.instr_mod1 = 1, .lreg_dest = left, .lreg_c = right}, kNever, {left, right});
      case Test::NotGreater:
        return push(tx::SFPLE{.instr_mod1 = 1, .lreg_dest = left, .lreg_c = right}, kNever, {left, right});
      default: return push(tx::SFPSETCC{.instr_mod1 = kModes[static_cast<int>(t)], .lreg_c = left}, kNever, {left});
    }
  }

  template <class T>
  void push(const T& instruction, uint32_t writes, std::initializer_list<uint32_t> reads, bool two_cycles = false) {
    if (late_ != kNever && (writes == late_ || std::count(reads.begin(), reads.end(), late_) != 0)) {
      out_.words.push_back({tx::SFPNOP{}.encode(), {}});
    }
    late_ = two_cycles ? writes : kNever;
    out_.words.push_back({instruction.encode(), std::exchange(remark_, {})});
  }

  const Code& code_;
  const DstUse dst_;
  std::vector<std::vector<uint32_t>> uses_;  // by value: steps that read it, the next one last
  std::vector<const Step*> maker_;
  std::vector<int> at_;                           // by value: its register
  std::vector<std::optional<uint32_t>> spilled_;  // by value: its row of the section
  std::array<uint16_t, kRegisters> owner_{};
  uint32_t locked_ = 0;  // registers of this step's sources
  uint32_t now_ = 0;
  std::vector<uint16_t> slots_;  // places in the free tiles of Dst: the value that each keeps
  uint32_t late_ = kNever;       // register whose value comes a cycle late
  std::string remark_;
  Emitted out_;
};

}  // namespace

Emitted emit(const Code& code, const DstUse& dst) { return Emitter(code, dst).run(); }

}  // namespace kerr::kernels::vector
