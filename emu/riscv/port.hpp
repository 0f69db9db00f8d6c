// A hart's way to everything but its registers: its accesses with their checks, what an observer is told of them, its
// faults.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "emu/agent.hpp"
#include "emu/memory/l1.hpp"
#include "emu/memory/l1_size.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/print_listener.hpp"
#include "emu/riscv/bus.hpp"
#include "emu/riscv/state.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// A function that returns false has done nothing, and the hart is no longer Running.
/// `kObserved`: the observer is told. Whoever passes false has none, or it was told before.
struct HartPort {
  static constexpr uint32_t kNoLine = ~0u;

  const TileId tile;
  const arch::Hart index;
  HartState& state;
  L1& l1;
  HartBus& bus;
  FaultLog& faults;
  Observer* observer = nullptr;
  PrintListener* prints = nullptr;
  const bool* tells_all = nullptr;  // Observer::wants_all_retired; null: all
  uint32_t told_line = kNoLine;     // from which the instruction came that the observer was told of
  const uint32_t l1_bytes = emu::l1_bytes(tile);
  bool at_stop = false;  // it came to an instruction that CodeCache::stop_at() has replaced, and is Paused there
  Cycle late = 0;        // exact timing: when the value of the last load is there, if that is later than usual

  template <bool kObserved>
  bool load(uint32_t address, unsigned bytes, uint32_t& value) {
    if (address % bytes != 0) [[unlikely]]
      return misaligned(AccessKind::Load, address, bytes);
    value = 0;
    if (address < l1_bytes) {
      std::memcpy(&value, l1.data() + address, bytes);
    } else if (state.is_private(address)) {
      std::memcpy(&value, state.at_private(address), bytes);
      return true;
    } else if (!load_register(address, bytes, value)) {
      return false;
    }
    if constexpr (kObserved) tell(AccessKind::Load, address, bytes, value);
    return true;
  }

  template <bool kObserved>
  bool store(uint32_t address, unsigned bytes, uint32_t value) {
    if (address % bytes != 0) [[unlikely]]
      return misaligned(AccessKind::Store, address, bytes);
    if (state.is_private(address)) {
      std::memcpy(state.at_private(address), &value, bytes);
      return true;
    }
    if (address < l1_bytes) {
      if constexpr (kObserved) {
        tell(AccessKind::Store, address, bytes, low_bytes(value, bytes));
        l1.write_told(address, {reinterpret_cast<const uint8_t*>(&value), bytes});
      } else {
        l1.write(address, {reinterpret_cast<const uint8_t*>(&value), bytes});
      }
      return true;
    }
    if (!store_register(address, bytes, value)) return false;
    if constexpr (kObserved) {
      tell_push(address, value);
      tell(AccessKind::Store, address, bytes, low_bytes(value, bytes));
    }
    return true;
  }

  /// Gives what the word was.
  bool amo(isa::riscv::Op op, uint32_t address, uint32_t operand, uint32_t& value);
  /// `.ttinsn`, at state.pc.
  bool push(uint32_t tensix_word);
  /// A .ttinsn at `pc` and the word behind it are pushes that are executed in one cycle.   docs/hardware/tile.md 1.3
  bool fuses_with_next(uint32_t pc) const { return pc % kFetchBytes != kFetchBytes - 4 && fuses(pc + 4); }

  bool can_fetch(uint32_t pc) { return (pc % 4 == 0 && pc < l1_bytes) || refuse_fetch(pc); }
  uint32_t word_at_pc() const {
    return state.pc % 4 == 0 && in_l1(tile, state.pc, 4) ? l1.load<uint32_t>(state.pc) : 0;
  }

  /// Who acts, when, and by which instruction.
  Actor actor() const {
    return {.tile = tile, .agent = agent_of(index), .cycle = state.cycle, .pc = state.pc, .word = word_at_pc()};
  }
  /// The observer is told of the instruction that was executed at `pc`. `marked`: in any case.
  void tell_retired(uint32_t pc, uint32_t word, bool marked) {
    const uint32_t line = pc / L1::kLineBytes;
    if (!marked && line == told_line && tells_all != nullptr && !*tells_all) return;
    told_line = line;
    observer->retired({.tile = tile, .agent = agent_of(index), .cycle = state.cycle, .pc = pc, .word = word}, pc, word);
  }
  /// Tells the observer of a push that was done: a .ttinsn or, if `address` is in a window for pushes, a store.
  void tell_push(uint32_t address, uint32_t tensix_word) {
    if (address - arch::kInstructionPushBase < HartBus::kPushBytes) [[unlikely]]
      tell_push_to(address, tensix_word);
  }
  /// Tells the listener, if there is one, of an addi into x0 at state.pc, whose register holds `value`.
  void tell_print(const isa::riscv::Instruction& i, uint32_t value);
  /// What executes an instruction that it knows nothing of. Always false.
  bool refuse(const isa::riscv::Instruction& i);
  /// Records a fault of the instruction at state.pc and halts the hart. Always false.
  bool stop(FaultCategory category, uint64_t address, std::string what, std::string advice);

 private:
  static constexpr uint32_t low_bytes(uint32_t value, unsigned bytes) { return value & ~0u >> (32 - 8 * bytes); }
  void tell_push_to(uint32_t address, uint32_t tensix_word);
  static constexpr uint32_t kFetchBytes = 16;
  static constexpr uint32_t kDisableFusion = 1u << 18;  // cfg0.DisTriscCache

  void tell(AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) {
    observer->accessed(actor(), kind, address, bytes, value);
  }
  bool load_register(uint32_t address, unsigned bytes, uint32_t& value);
  bool store_register(uint32_t address, unsigned bytes, uint32_t value);
  bool settle(Access access, const BusReply& reply);
  bool fuses(uint32_t second) const {
    return thread_of(index) >= 0 && (state.csrs[0] & kDisableFusion) == 0 &&
           isa::riscv::is_ttinsn(l1.load<uint32_t>(second));
  }
  bool misaligned(AccessKind kind, uint32_t address, unsigned bytes);
  bool refuse_fetch(uint32_t pc);
};

}  // namespace kerr::emu
