// Who reaches what at which address.   docs/hardware/tile.md 2.1, 2.2, 1.9
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/noc/niu.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/options.hpp"
#include "emu/riscv/bus.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tensix/bus.hpp"
#include "emu/tensix/windows.hpp"
#include "emu/tile/agents.hpp"
#include "emu/tile/debug_registers.hpp"
#include "emu/tile/ethernet_registers.hpp"
#include "emu/tile/mailboxes.hpp"
#include "emu/tile/pic.hpp"
#include "emu/tile/stream_registers.hpp"
#include "emu/tile/sync_window.hpp"
#include "emu/tile/tdma_registers.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// Everything that has an address above L1. An access that silicon hangs on, that reaches nothing or that has the wrong
/// width is a fault of the agent that made it.
class AddressMap final : public HartBus, public CoprocessorBus {
 public:
  struct Parts {
    std::array<Hart, kHarts>& harts;
    Coprocessor& coprocessor;
    tensix::Windows& windows;
    std::array<Niu, arch::kNocs>& nius;
    StreamRegisters& streams;
    Mailboxes& mailboxes;
    SyncWindow& sync;
    DebugRegisters& debug;
    Pic& pic;
    TdmaRegisters& tdma;
    Agents& agents;
    EthernetRegisters* ethernet;  // of an Ethernet tile: then there is no coprocessor
  };
  AddressMap(const Parts& parts, Reporter& reporter, const Options& options)
      : parts_(parts), reporter_(reporter), costs_(options.costs()) {}

  // --- harts ---
  Access load(arch::Hart hart, uint32_t address, unsigned bytes, BusReply& reply) override;
  Access store(arch::Hart hart, uint32_t address, unsigned bytes, uint32_t value, BusReply& reply) override;
  Access push(arch::Hart hart, uint32_t address, uint32_t word, bool fused, BusReply& reply) override;
  Push last_push(arch::Hart hart, uint32_t address, uint32_t pc) override;
  WaitMask watch_of(arch::Hart hart, uint32_t address) const override;
  ClockPart clock_of(uint32_t address) const override;
  uint32_t coprocessor_status(arch::Hart hart, bool busy) override;

  // --- the coprocessor: STOREREG and its kin see what the NoC sees ---
  Access load(uint32_t address, BusReply& reply) override;
  Access store(uint32_t address, uint32_t value, BusReply& reply) override;

  // --- the NoC and the host: aligned words ---
  Access load_register(uint32_t address, BusReply& reply);
  Access store_register(uint32_t address, uint32_t value, BusReply& reply);

  /// What a load over the NoC would give, for words of streams and NIUs, which it does not change. Nobody is told.
  uint32_t look(uint32_t address);

  /// What the hart last loaded or stored beyond its own memory and L1: names what it polls, or what blocks it.
  uint32_t last_access(arch::Hart hart) const { return last_access_[static_cast<size_t>(hart)]; }

  void serialize(Archive& a) { a.machinery(last_access_, local_free_); }

 private:
  enum class Region : uint8_t {
    None,
    Tdma,
    Debug,
    Pic,
    LocalMemory,
    Niu0,
    Niu1,
    Overlay,
    Mop,
    Dst,
    Gpr,
    Push,
    Sync,
    Mailbox,
    Config,
    Ethernet
  };
  struct Accessor {
    uint8_t mask;     // arch::Accessor
    arch::Hart hart;  // of a hart
  };

  Region region_of(uint32_t address) const;
  static Region ethernet_region_of(uint32_t address);
  static uint8_t accessors_of(Region region, uint32_t address);
  static Accessor accessor_of(arch::Hart hart);
  std::string name(uint32_t address) const;

  bool must_wait(Region region, Accessor who, uint32_t address, bool store, BusReply& reply) const;
  Access load_word(Region region, Accessor who, uint32_t address, BusReply& reply);
  Access store_word(Region region, Accessor who, uint32_t address, uint32_t value, BusReply& reply);
  Access told(AccessKind kind, uint32_t address, uint32_t value, Access access);
  uint8_t* local_word(uint32_t address);
  Access unreachable(Region region, uint32_t address, const char* action);

  const Parts parts_;
  Reporter& reporter_;
  const timing::Parameters* const costs_;  // exact timing: what loads of local memory cost
  std::array<uint32_t, kHarts> last_access_{};
  Cycle local_free_ = 0;  // when the one server of loads from local memories takes the next: timing.md 2.4
};

}  // namespace kerr::emu
