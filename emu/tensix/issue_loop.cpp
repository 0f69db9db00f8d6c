// How a thread issues: fetch, wait gate, unit.   docs/hardware/tensix-datapath.md 2, 5.1
#include <fmt/format.h>

#include <array>
#include <utility>

#include "emu/tensix/dispatch.hpp"
#include "emu/tensix/parts.hpp"
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
  for (const Row& row : isa::tensix::rows()) of[static_cast<std::size_t>(row.opcode)] = &row;
  return of;
}();

// What a halted thread waits for: nobody announces it.
constexpr WaitMask kForEver = WaitMask{1} << 63;

}  // namespace

Issue tensix::not_modelled(const char* mnemonic) {
  return Issue::unsupported(fmt::format("{} is not modelled", mnemonic));
}

// One cycle of one thread: false when it cannot go on.
bool Coprocessor::Parts::step(int thread, Cycle cycle) {
  if (!threads[static_cast<std::size_t>(thread)].has_current) return fetch(thread, cycle);
  return issue(thread, cycle);
}

bool Coprocessor::Parts::fetch(int thread, Cycle cycle) {
  CoprocessorThread& t = threads[static_cast<std::size_t>(thread)];
  tensix::WaitGate& gate = gates[static_cast<std::size_t>(thread)];
  const Fetch fetched = t.front.next();
  switch (fetched.kind) {
    case Fetch::Kind::Word:
      t.current = fetched.word;
      t.has_current = true;
      return issue(thread, cycle);
    case Fetch::Kind::Consumed:
      tell_of_progress(thread);
      return true;
    case Fetch::Kind::Empty: {
      if (sfpu.busy()) {
        const Issue late = sfpu.drain(thread);
        if (const Issue::Problem* problem = late.problem()) {
          return halt(thread, cycle, problem->category, problem->address, problem->what, problem->advice);
        }
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

bool Coprocessor::Parts::issue(int thread, Cycle cycle) {
  CoprocessorThread& t = threads[static_cast<std::size_t>(thread)];
  tensix::WaitGate& gate = gates[static_cast<std::size_t>(thread)];
  const Row* row = kRowOfOpcode[t.current >> 24];
  if (row == nullptr) {
    return halt(thread, cycle, FaultCategory::UndefinedBehavior, 0,
                fmt::format("{:#010x} is no Tensix instruction", t.current), "");
  }
  if (const std::uint32_t stray = t.current & 0x00FFFFFF & ~row->named_bits; stray != 0) {
    return halt(thread, cycle, FaultCategory::UndefinedBehavior, 0,
                fmt::format("operand bits {:#08x} of {} have no meaning", stray, row->mnemonic), "Leave them 0.");
  }
  if (!gate.released() && isa::tensix::held_by(row->gate, gate.block_mask())) return block(thread, 0, "");
  if (holds.held(thread, row->unit)) {
    if (holds.in_reset(row->unit)) return block(thread, wait::kUnitIdle, "its unit is held in soft reset");
    return block(thread, wait::kUnitIdle, "another thread's instruction retries in the scalar unit");
  }

  sfpu.set_time(cycle);
  if (timed) touched.before = bank_pointers();
  const Issue answer = sfpu.busy() ? issue_beside_macros(thread, *row) : tensix::dispatch(units(), thread, t.current);
  switch (answer.kind()) {
    case Issue::Kind::Done:
      ++t.instructions;
      if (timed) note_executed(*row, answer);
      t.has_current = false;
      tell_of_progress(thread);
      return true;
    case Issue::Kind::Wait: return block(thread, answer.waits_for(), answer.why());
    case Issue::Kind::Fault:
      if (const Issue::Problem* problem = answer.problem()) {
        return halt(thread, cycle, problem->category, problem->address, problem->what, problem->advice);
      }
      t.halted = true;
      return block(thread, kForEver, "of a fault");
  }
  return false;
}

// The vector unit still has instructions of an SFPLOADMACRO to execute: those that are due come first.
Issue Coprocessor::Parts::issue_beside_macros(int thread, const Row& row) {
  Issue late = row.unit == isa::tensix::Unit::Sync ? sfpu.drain(thread) : sfpu.catch_up(thread);
  if (!late.is_done()) return late;
  return tensix::dispatch(units(), thread, threads[static_cast<std::size_t>(thread)].current);
}

// A latched wait that does not hold this instruction is still over as soon as its conditions are met.
bool Coprocessor::Parts::block(int thread, WaitMask what, const char* why) {
  CoprocessorThread& t = threads[static_cast<std::size_t>(thread)];
  const tensix::WaitGate& gate = gates[static_cast<std::size_t>(thread)];
  t.waits_for = what | (gate.latched() && !t.halted ? gate.waits_for() : 0);
  t.why = why;
  ++t.fruitless_looks;
  return false;
}

bool Coprocessor::Parts::halt(int thread, Cycle cycle, FaultCategory category, std::uint64_t address, std::string what,
                              std::string advice) {
  CoprocessorThread& t = threads[static_cast<std::size_t>(thread)];
  Fault fault;
  fault.category = category;
  fault.cycle = cycle;
  fault.tile = tile;
  fault.agent = agent_of_thread(thread);
  fault.instruction = t.current;
  fault.address = address;
  fault.what = std::move(what);
  fault.advice = std::move(advice);
  faults.report(std::move(fault));
  t.halted = true;
  return block(thread, kForEver, "of a fault");
}

std::string Coprocessor::Parts::describe(int thread) const {
  const CoprocessorThread& t = threads[static_cast<std::size_t>(thread)];
  const tensix::WaitGate& gate = gates[static_cast<std::size_t>(thread)];
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
