// How a thread issues: fetch, wait gate, unit.   docs/hardware/tensix-datapath.md 2, 5.1
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/dispatch.hpp"
#include "isa/disassembler.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu {

using isa::tensix::Row;
using tensix::Fetch;
using tensix::Issue;

namespace {

// isa::tensix::row_of() without a call.
const std::array<const Row*, 256> kRowOfOpcode = [] {
  std::array<const Row*, 256> of{};
  for (const Row& row : isa::tensix::rows()) of[static_cast<size_t>(row.opcode)] = &row;
  return of;
}();

using Execute = Issue (*)(Coprocessor& coprocessor, int thread, uint32_t word);

template <class Instruction>
Issue execute_in(Coprocessor& coprocessor, int thread, uint32_t word) {
  return tensix::execute<Instruction>(coprocessor.units(), thread, word);
}

// What the words of an opcode have in common, where the issue loop wants it.
struct Prepared {
  uint32_t stray_bits = ~0u;  // no operand has them
  uint32_t unit = 0;          // one bit; none: the opcode names no instruction
  Execute execute = nullptr;
};
const std::array<Prepared, 256> kPrepared = [] {
  std::array<Prepared, 256> of{};
#define X(mnemonic, ...) \
  of[static_cast<size_t>(isa::tensix::Opcode::mnemonic)].execute = execute_in<isa::tensix::mnemonic>;
#include "isa/tensix/instructions.def"
  for (const Row& row : isa::tensix::rows()) {
    Prepared& p = of[static_cast<size_t>(row.opcode)];
    p.stray_bits = 0x00FFFFFF & ~row.named_bits;
    p.unit = 1u << static_cast<unsigned>(row.unit);
  }
  return of;
}();

// Precondition: the opcode of the word exists.
Issue execute(Coprocessor& coprocessor, int thread, uint32_t word) {
  return kPrepared[word >> 24].execute(coprocessor, thread, word);
}

// What a halted thread waits for: nobody announces it.
constexpr WaitMask kForEver = WaitMask{1} << 63;

}  // namespace

Issue tensix::not_modelled(const char* mnemonic) {
  return Issue::unsupported(fmt::format("{} is not modelled", mnemonic));
}

void Coprocessor::run(int thread, Cycle cycle, Cycle end) {
  turn_start = cycle;
  if (observer != nullptr) {
    issue_loop<false, true>(thread, cycle, end);
  } else if (timed) {
    issue_loop<false, false>(thread, cycle, end);
  } else {
    issue_quickly(thread, cycle, end);
  }
}

void Coprocessor::run_exact(int thread, Cycle& cycle, const Cycle& limit) {
  timed = true;
  observer ? issue_loop<true, true>(thread, cycle, limit) : issue_loop<true, false>(thread, cycle, limit);
}

// Once for each policy.
template <bool kExact, bool kObserved>
void Coprocessor::issue_loop(int thread, Cycle& cycle, const Cycle& limit) {
  CoprocessorThread& t = threads[thread];
  if (t.halted) return;
  t.waits_for = 0;
  while (cycle < limit) {
    const uint64_t before = t.instructions;
    if constexpr (kObserved) observed_cycle = cycle;
    if (!step(thread, cycle)) {
      if constexpr (kObserved) {
        if (t.waits_for != 0) observer->stalled(actor(thread), {.what = t.waits_for});
      }
      return;
    }
    if constexpr (kObserved) {
      if (t.instructions != before) {
        tell_footprint(thread);
        observer->issued(actor(thread), t.current);
      }
    }
    cycle = kExact ? next_cycle(thread, cycle) : cycle + 1;
  }
}

// The same without exact timing and observer. Most instructions come out of a MOP or a
// playback and find nothing in their way; all others take the way through step().
void Coprocessor::issue_quickly(int thread, Cycle cycle, Cycle end) {
  CoprocessorThread& t = threads[thread];
  const tensix::WaitGate& gate = gates[thread];
  if (t.halted) return;
  t.waits_for = 0;
  for (; cycle < end; ++cycle) {
    if (t.has_current || !t.front.next_prepared(t.current)) {
      if (!step(thread, cycle)) return;
      continue;
    }
    t.has_current = true;
    const uint32_t word = t.current;
    const Prepared& p = kPrepared[word >> 24];
    const uint32_t stray = word & p.stray_bits;
    if ((stray != 0 && tolerance.strict()) || gate.latched() || !holds.free(thread, p.unit) || sfpu.busy())
        [[unlikely]] {
      if (!step(thread, cycle)) return;
      continue;
    }
    sfpu.set_time(t.instructions + t.idle);
    Issue answer = p.execute(*this, thread, word);
    if (!answer.is_done()) [[unlikely]] {
      if (answer.kind() == Issue::Kind::Odd) answer = tolerated(thread, cycle, std::move(answer));
      if (!answer.is_done()) {
        refused(thread, cycle, answer);
        return;
      }
    }
    if (stray != 0) [[unlikely]]
      static_cast<void>(odd(thread, cycle, Oddity::StrayBits, stray));
    ++t.instructions;
    t.has_current = false;
    tell_of_progress(thread);
  }
}

// One cycle of one thread: false when it cannot go on.
bool Coprocessor::step(int thread, Cycle cycle) {
  if (timed && sfpu.busy() && !let_macros_act(thread, cycle)) return false;
  if (!threads[thread].has_current) return fetch(thread, cycle);
  return issue(thread, cycle);
}

bool Coprocessor::fetch(int thread, Cycle cycle) {
  CoprocessorThread& t = threads[thread];
  tensix::WaitGate& gate = gates[thread];
  const Cycle now = own_time(thread);
  const bool records = t.front.records();
  const Fetch fetched = t.front.next(now);
  if (t.front.pushed() > now) t.idle += t.front.pushed() - now;
  if (records && fetched.kind == Fetch::Kind::Consumed) ++t.idle;
  switch (fetched.kind) {
    case Fetch::Kind::Word:
      t.current = fetched.word;
      t.has_current = true;
      return issue(thread, cycle);
    case Fetch::Kind::Consumed:
      tell_of_progress(thread);
      return fetched.word == 0 || took_in(thread, cycle, fetched.word);
    case Fetch::Kind::Empty: {
      if (sfpu.moves(thread)) {
        if (timed) return true;
        if (!let_macros_act(thread, std::max(now, t.front.next_push(turn_start)))) return false;
        if (sfpu.moves(thread)) return false;  // goes on in the next turn
      }
      const bool was_latched = gate.latched();
      const bool released = gate.released();
      if (was_latched && released) board.about_to_change(wait::thread_idle(thread));
      return block(thread, wait::fifo(thread), "");
    }
    case Fetch::Kind::Fault:
      t.current = fetched.word;
      t.has_current = true;
      return halt(thread, cycle, FaultCategory::UndefinedBehavior, 0, fetched.why, "");
  }
  return false;
}

// An expander took in a word with bits of no operand.
bool Coprocessor::took_in(int thread, Cycle cycle, uint32_t word) {
  CoprocessorThread& t = threads[thread];
  t.current = word;
  const Issue answer = odd(thread, cycle, Oddity::StrayBits, isa::tensix::unnamed_bits(word));
  if (answer.is_done()) return true;
  t.has_current = true;
  return refused(thread, cycle, answer);
}

bool Coprocessor::issue(int thread, Cycle cycle) {
  CoprocessorThread& t = threads[thread];
  tensix::WaitGate& gate = gates[thread];
  const Row* row = kRowOfOpcode[t.current >> 24];
  if (row == nullptr) {
    return halt(thread, cycle, FaultCategory::UndefinedBehavior, 0,
                fmt::format("{:#010x} is no Tensix instruction", t.current), "");
  }
  const uint32_t stray = t.current & 0x00FFFFFF & ~row->named_bits;
  if (stray != 0 && tolerance.strict()) {
    return refused(thread, cycle, odd(thread, cycle, Oddity::StrayBits, stray));
  }
  if (!gate.released() && isa::tensix::held_by(row->gate, gate.block_mask())) return stand(thread, cycle, 0, "");
  if (holds.held(thread, row->unit)) {
    if (holds.in_reset(row->unit)) return stand(thread, cycle, wait::kUnitIdle, "its unit is held in soft reset");
    return stand(thread, cycle, wait::kUnitIdle, "another thread's instruction retries in the scalar unit");
  }

  Cycle start = timed ? cycle : own_time(thread);
  if (sfpu.busy()) [[unlikely]] {
    start = start_beside_macros(thread, *row, start);
    if (timed && start > cycle) return true;
    if (!let_macros_act(thread, start)) return false;
  }
  sfpu.set_time(start);
  if (notes()) note_before(thread, *row);
  Issue answer = execute(*this, thread, t.current);
  if (answer.kind() == Issue::Kind::Odd) answer = tolerated(thread, cycle, std::move(answer));
  if (!answer.is_done()) return refused(thread, cycle, answer);
  if (stray != 0) static_cast<void>(odd(thread, cycle, Oddity::StrayBits, stray));
  if (!timed) started(thread, *row, start);
  ++t.instructions;
  if (notes()) note_executed(*row, answer);
  t.has_current = false;
  tell_of_progress(thread);
  return true;
}

// An instruction that waits or faults.
bool Coprocessor::refused(int thread, Cycle cycle, const Issue& answer) {
  CoprocessorThread& t = threads[thread];
  if (answer.kind() == Issue::Kind::Wait) return stand(thread, cycle, answer.waits_for(), answer.why());
  if (const Issue::Problem* problem = answer.problem()) {
    return halt(thread, cycle, problem->category, problem->address, problem->what, problem->advice);
  }
  t.halted = true;
  return block(thread, kForEver, "of a fault");
}

// Executes an instruction again for each oddity that a unit finds in it: noted only if it is done in the end.
Issue Coprocessor::tolerated(int thread, Cycle cycle, Issue answer) {
  const uint32_t word = threads[thread].current;
  if (tolerance.strict()) return odd(thread, cycle, answer.oddity(), answer.odd_bits());
  std::array<std::pair<Oddity, uint32_t>, kOddities> found;  // each is tolerated once it was found
  size_t count = 0;
  while (answer.kind() == Issue::Kind::Odd) {
    found[count++] = {answer.oddity(), answer.odd_bits()};
    tolerance.add(answer.oddity());
    answer = execute(*this, thread, word);
  }
  tolerance.clear();
  if (!answer.is_done()) return answer;
  for (size_t n = 0; n < count; ++n) static_cast<void>(odd(thread, cycle, found[n].first, found[n].second));
  return answer;
}

// A remark, or the fault that it is in a strict machine.
Issue Coprocessor::odd(int thread, Cycle cycle, Oddity oddity, uint32_t bits) {
  const uint32_t word = threads[thread].current;
  if (!tolerance.strict() && remarks.again(word, oddity, bits, agent_of_thread(thread))) return Issue::done();
  const Remark remark{.oddity = oddity,
                      .instruction = word,
                      .bits = bits,
                      .cycle = cycle,
                      .tile = tile,
                      .agent = agent_of_thread(thread)};
  if (tolerance.strict()) return Issue::fault(category_of(oddity), remark.what(), std::string(advice_for(oddity)));
  remarks.note(remark);
  return Issue::done();
}

// A latched wait that does not hold this instruction is still over as soon as its conditions are met.
bool Coprocessor::block(int thread, WaitMask what, const char* why) {
  CoprocessorThread& t = threads[thread];
  const tensix::WaitGate& gate = gates[thread];
  t.waits_for = what | (gate.latched() && !t.halted ? gate.waits_for() : 0);
  t.why = why;
  t.waited |= t.has_current;
  ++t.fruitless_looks;
  return false;
}

bool Coprocessor::halt(int thread, Cycle cycle, FaultCategory category, uint64_t address, std::string what,
                       std::string advice) {
  CoprocessorThread& t = threads[thread];
  faults.report({.category = category,
                 .cycle = cycle,
                 .tile = tile,
                 .agent = agent_of_thread(thread),
                 .instruction = t.current,
                 .address = address,
                 .what = std::move(what),
                 .advice = std::move(advice)});
  t.halted = true;
  return block(thread, kForEver, "of a fault");
}

std::string Coprocessor::describe(int thread) const {
  const CoprocessorThread& t = threads[thread];
  const tensix::WaitGate& gate = gates[thread];
  if (!t.has_current) {
    if (gate.latched()) return "no instruction; latched " + gate.describe();
    return t.front.empty() ? "empty" : "running";
  }
  std::string out = fmt::format("{} ({:#010x})", isa::disassemble_tensix(t.current), t.current);
  if (t.waits_for == 0) return out;
  if (t.why[0] != '\0') return out + " because " + t.why;
  return out + ", held by " + gate.describe();
}

}  // namespace kerr::emu
