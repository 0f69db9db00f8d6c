// SFPLOADMACRO: a load, and up to four instructions that execute in later cycles.   docs/hardware/tensix-math.md 11
//
// What a gap between two instructions lets pass is executed when the next instruction comes (catch_up), or while the
// thread stands still: emu/tensix/macro_time.cpp says how long a gap is.
//
// In a cycle up to five sub-units work. All of them read the registers as they stood at its beginning. A result of the
// MAD sub-unit is visible two cycles after it began, all others after one. SFPSWAP and the lane shifts of SFPSHFT2,
// which take two cycles, are executed in their first.
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

// The byte of a sequence that tells a sub-unit what to do.
struct Step {
  unsigned what, delay;
  bool to_macro_register, keep;
};
Step step_of(uint32_t sequence, unsigned unit) {
  const uint32_t q = sequence >> 8 * unit;
  return {q & 7, q >> 3 & 7, (q & 0x40) != 0, (q & 0x80) != 0};
}
enum : unsigned { kNothing, kUndefined, kNop, kStoreLreg0, kFirstTemplateStep };

bool executes(unsigned unit, Opcode op) {
  switch (op) {
    case Opcode::SFPABS:
    case Opcode::SFPAND:
    case Opcode::SFPARECIP:
    case Opcode::SFPCAST:
    case Opcode::SFPCOMPC:
    case Opcode::SFPCONFIG:
    case Opcode::SFPDIVP2:
    case Opcode::SFPENCC:
    case Opcode::SFPEXEXP:
    case Opcode::SFPEXMAN:
    case Opcode::SFPGT:
    case Opcode::SFPIADD:
    case Opcode::SFPLE:
    case Opcode::SFPLZ:
    case Opcode::SFPMOV:
    case Opcode::SFPNOT:
    case Opcode::SFPOR:
    case Opcode::SFPPOPC:
    case Opcode::SFPPUSHC:
    case Opcode::SFPSETCC:
    case Opcode::SFPSETEXP:
    case Opcode::SFPSETMAN:
    case Opcode::SFPSETSGN:
    case Opcode::SFPSHFT:
    case Opcode::SFPSWAP:
    case Opcode::SFPTRANSP:
    case Opcode::SFPXOR: return unit == static_cast<unsigned>(SubUnit::Simple);
    case Opcode::SFPADD:
    case Opcode::SFPADDI:
    case Opcode::SFPLUT:
    case Opcode::SFPLUTFP32:
    case Opcode::SFPMAD:
    case Opcode::SFPMUL:
    case Opcode::SFPMULI:
    case Opcode::SFPMUL24: return unit == static_cast<unsigned>(SubUnit::Mad);
    case Opcode::SFPSHFT2:
    case Opcode::SFP_STOCH_RND: return unit == static_cast<unsigned>(SubUnit::Round);
    case Opcode::SFPSTORE: return unit == static_cast<unsigned>(SubUnit::Store);
    default: return false;
  }
}

// Calls f(instruction) with the instruction decoded, if a macro can hold it.
template <class F>
Issue with_instruction(uint32_t word, F f) {
  switch (opcode_of(word)) {
#define X(mnemonic, ...)                                                         \
  case Opcode::mnemonic:                                                         \
    if constexpr (VectorInstruction<mnemonic>) return f(mnemonic::decode(word)); \
    break;
#include "isa/tensix/instructions.def"
  }
  return Issue::done();
}

Operands template_operands(uint32_t word) {
  Operands r;
  Issue done = with_instruction(word, [&](const auto& i) {
    r = operands_of(i);
    return Issue::done();
  });
  static_cast<void>(done);
  return r;
}

bool does_something(const MacroQueue::Due& due, SubUnit unit) {
  return due.uses(unit) && opcode_of(due.instruction[static_cast<unsigned>(unit)].word) != Opcode::SFPNOP;
}

}  // namespace

Issue Sfpu::check_macro(unsigned macro) const {
  for (unsigned c = 1; c < kLaneColumns; ++c) {
    if (macros_[c].sequences[macro] == macros_[0].sequences[macro] && macros_[c].templates == macros_[0].templates &&
        macros_[c].misc == macros_[0].misc) {
      continue;
    }
    return Issue::unsupported(fmt::format(
        "SFPLOADMACRO {} while columns 0 and {} of lanes are configured differently is not modelled", macro, c));
  }
  for (unsigned unit = 0; unit < kMacroUnits; ++unit) {
    const Step step = step_of(macros_[0].sequences[macro], unit);
    if (step.what == kUndefined) {
      return Issue::undefined(fmt::format("sequence {} = {:#010x}: selector 1 of sub-unit {} has no meaning", macro,
                                          macros_[0].sequences[macro], unit));
    }
    if (unit != static_cast<unsigned>(SubUnit::Store)) continue;
    const bool from_template = step.what >= kFirstTemplateStep;
    const uint32_t word = from_template ? macros_[0].templates[step.what - kFirstTemplateStep] : 0;
    if (step.what == kNop || (from_template && opcode_of(word) != Opcode::SFPSTORE)) {
      return Issue::undefined(fmt::format("sequence {} gives the store sub-unit something other than SFPSTORE", macro));
    }
  }
  return Issue::done();
}

// The load part is an SFPLOAD whose VD is split over the operand fields; bit 0 of the address does not count.
Issue Sfpu::perform(const SFPLOADMACRO& i, const Operands&, LaneMask lanes) {
  const unsigned macro = i.lreg_ind >> 2, vd = (i.dest_reg_addr & 1) << 2 | (i.lreg_ind & 3);
  const Settings& s = settings(thread_);
  if (Issue no = check_access(s, i.sfpu_addr_mode); !no.is_done()) return no;
  if (Issue no = check_macro(macro); !no.is_done()) return no;
  const unsigned address = load_address(s, i.dest_reg_addr, i.instr_mod0);
  load(s, vd, i.instr_mod0, address, lanes);
  apply_modifier(s, i.sfpu_addr_mode);
  schedule(macro, vd, i.instr_mod0, address, thread_);
  return Issue::done();
}

void Sfpu::schedule(unsigned macro, unsigned vd, unsigned mode, unsigned address, int thread) {
  constexpr unsigned kLongest = MacroQueue::kDelays - 1;
  const MacroConfig& m = macros_[0];
  for (unsigned unit = 0; unit < kMacroUnits; ++unit) {
    const Step step = step_of(m.sequences[macro], unit);
    if (step.delay != kLongest) queue_.cancel(unit, step.delay);
    if (step.what == kNothing) continue;

    Scheduled s;
    s.thread = static_cast<int8_t>(thread);
    s.counts_instructions = m.misc >> (8 + unit) & 1;
    s.word = step.what == kNop          ? SFPNOP{}.encode()
             : step.what == kStoreLreg0 ? SFPSTORE{}.encode()
                                        : m.templates[step.what - kFirstTemplateStep];
    if (!executes(unit, opcode_of(s.word))) s.word = SFPNOP{}.encode();
    s.operands = template_operands(s.word);
    if (unit == static_cast<unsigned>(SubUnit::Store)) {
      if (!step.keep) s.operands.vd = vd;
      if (step.to_macro_register) s.operands.vd = kMacroRegister;
      s.mode = static_cast<uint8_t>(m.misc >> (4 + macro) & 1 ? mode : m.misc & 15);
      s.address = static_cast<uint16_t>(address);
    } else {
      (step.keep ? s.operands.vb : s.operands.vc) = vd;
      s.operands.vd = step.to_macro_register ? kMacroRegister : vd;
    }
    queue_.schedule(unit, step.delay, s);
    busy_ = true;
    last_cycle_ = now_;
    macro_thread_ = thread;
  }
}

// ---------------------------------------------------------------- cycles

void Sfpu::begin_cycle() {
  before_ = lregs_;
  in_macro_cycle_ = true;
}

void Sfpu::end_cycle() {
  in_macro_cycle_ = false;
  if (result_old_) commit(mad_old_);
  result_old_ = result_new_;
  if (result_new_) mad_old_ = mad_new_;
  result_new_ = false;
  refresh_enabled();
  busy_ = !queue_.empty() || result_old_;
}

// What the document asks of a macro.
Issue Sfpu::check_cycle(const MacroQueue::Due& due) {
  const Scheduled& simple = due.instruction[static_cast<unsigned>(SubUnit::Simple)];
  const Scheduled& round = due.instruction[static_cast<unsigned>(SubUnit::Round)];
  const bool simple_works = does_something(due, SubUnit::Simple), round_works = does_something(due, SubUnit::Round);
  if (simple_works && round_works && (simple.operands.vd == kMacroRegister) == (round.operands.vd == kMacroRegister)) {
    return Issue::undefined(
        "the simple and the round sub-unit work in one cycle of a macro, and not exactly one of them writes LReg 16");
  }
  const bool swaps = simple_works && opcode_of(simple.word) == Opcode::SFPSWAP;
  if (swapped_last_cycle_ && (simple_works || round_works)) {
    return Issue::undefined("the cycle after an SFPSWAP of a macro gives the simple or the round sub-unit work");
  }
  if (swaps && does_something(due, SubUnit::Mad)) {
    return Issue::undefined("an SFPSWAP and an instruction of the MAD sub-unit in one cycle of a macro");
  }
  swapped_last_cycle_ = swaps;
  return Issue::done();
}

// Registers are read from before_, and predication is that of the cycle's beginning. Only the simple sub-unit reads and
// writes the flags themselves.
Issue Sfpu::run_cycle(MacroQueue::Due& due) {
  if (Issue no = check_cycle(due); !no.is_done()) return no;
  for (const SubUnit unit : {SubUnit::Store, SubUnit::Mad, SubUnit::Round, SubUnit::Simple}) {
    if (!due.uses(unit)) continue;
    if (Issue issue = run_scheduled(due.instruction[static_cast<unsigned>(unit)]); !issue.is_done()) return issue;
  }
  return Issue::done();
}

Issue Sfpu::run_scheduled(const Scheduled& s) {
  const int issuing = thread_;
  thread_ = s.thread;
  scheduled_ = true;
  Issue issue = with_instruction(s.word, [&](const auto& i) -> Issue {
    if constexpr (std::is_same_v<std::decay_t<decltype(i)>, SFPSTORE>) {
      return store(settings(thread_), s.operands.vd, s.mode, s.address, kAllLanes);
    } else {
      return perform(i, s.operands, kAllLanes);
    }
  });
  scheduled_ = false;
  thread_ = issuing;
  return issue;
}

Issue Sfpu::idle_cycle() {
  MacroQueue::Due due = queue_.next_cycle(false);
  begin_cycle();
  Issue issue = run_cycle(due);
  end_cycle();
  return issue;
}

Issue Sfpu::catch_up() {
  for (; busy_ && last_cycle_ + 1 < now_ && moves_by_itself(); ++last_cycle_) {
    if (Issue issue = idle_cycle(); !issue.is_done()) return issue;
  }
  return Issue::done();
}

Issue Sfpu::drain(int thread) {
  while (moves(thread)) {
    if (Issue issue = idle_cycle(); !issue.is_done()) return issue;
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
