// Where programs begin and end, as the coprocessor's state is concerned, and waits of harts for their threads.
#include "arch/sync.hpp"
#include "check/tile_checker.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::check {

namespace {

constexpr uint8_t kAllThreads = 0b111;

// Stacks and variables of harts are in their local RAM, which nobody else sees: what is stored there tells nobody.
constexpr bool is_own_store(const isa::riscv::Instruction& i) {
  return i.rs1 == isa::reg::sp.number || i.rs1 == isa::reg::gp.number;
}

// Whether the load at `pc` is over before the hart's next store that others can see: its value is used, a fence or an
// atomic orders it, or enough instructions follow. Behind a jump nobody looks. docs/hardware/tile.md 4.3
bool is_over_in_time(const Code& code, uint32_t pc) {
  using isa::riscv::Kind;
  constexpr uint32_t kEnough = 7;
  const isa::riscv::Instruction load = isa::riscv::decode(code.word(pc));
  if (isa::riscv::row(load.op).kind != Kind::Load) return true;
  bool holds = load.rd != 0;  // the register still has the value
  for (uint32_t n = 1; n <= kEnough; ++n) {
    const isa::riscv::Instruction i = isa::riscv::decode(code.word(pc + 4 * n));
    const isa::riscv::RegisterNumbers used = isa::riscv::register_numbers(i);
    if (holds && (used.rs1 == load.rd || used.rs2 == load.rd)) return true;
    switch (isa::riscv::row(i.op).kind) {
      case Kind::Store:
        if (!is_own_store(i)) return false;
        break;
      case Kind::Load:
      case Kind::Alu:
      case Kind::Mul:
      case Kind::Div:
        if (i.rd == load.rd) holds = false;
        break;
      default: return true;
    }
  }
  return true;
}

}  // namespace

void TileChecker::kernel_begins(int h) {
  if (h >= kTrisc0) coprocessor_.started |= static_cast<uint8_t>(1u << (h - kTrisc0));
}

// The hart has seen that its thread has nothing to do. Firmware looks for it behind the kernel.
void TileChecker::thread_is_idle(int h) {
  const auto bit = static_cast<uint8_t>(1u << (h - kTrisc0));
  if (kernels_[static_cast<size_t>(h)].runs || (coprocessor_.started & bit) == 0) return;
  coprocessor_.ended |= bit;
  if (coprocessor_.ended != kAllThreads) return;
  coprocessor_.started = coprocessor_.ended = 0;
  check_coprocessor_at_the_end();
}

// The wait is in the memory system: the hart goes on until it uses the value.
void TileChecker::check_sync_is_used(const Actor& a, uint32_t address) {
  if (is_over_in_time(code_, a.pc)) return;
  const int h = hart_index(a.agent);
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  found(Rule::SyncUnused, nullptr, "", by, "wait",
        {.space = Space::Register, .tile = view_.tile, .address = address, .bytes = 4},
        "a load that is to wait for the coprocessor is not used before the next store");
}

}  // namespace kerr::check
