// One tile with harts, Tensix or Ethernet.   docs/hardware/tile.md, noc.md 9
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/in_large_pages.hpp"
#include "emu/memory/l1.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/noc/inbox.hpp"
#include "emu/noc/niu.hpp"
#include "emu/noc/reorder.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/remark.hpp"
#include "emu/options.hpp"
#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tensix/windows.hpp"
#include "emu/tile/address_map.hpp"
#include "emu/tile/agents.hpp"
#include "emu/tile/debug_interface.hpp"
#include "emu/tile/debug_registers.hpp"
#include "emu/tile/ethernet_registers.hpp"
#include "emu/tile/mailboxes.hpp"
#include "emu/tile/pic.hpp"
#include "emu/tile/reset_control.hpp"
#include "emu/tile/stream_registers.hpp"
#include "emu/tile/sync_window.hpp"
#include "emu/tile/tdma_registers.hpp"
#include "emu/tile/tile_stops.hpp"

namespace kerr::emu {

/// Where in its code an agent is and what it waits for, for the deadlock report.
struct AgentWait {
  Agent agent;
  uint32_t pc = 0;                // of a hart
  uint32_t address = 0;           // of a hart that polls a register or is blocked on one
  std::vector<uint32_t> words{};  // of L1, that a hart polls
  WaitMask waits_for = 0;
  std::string text;  // "polling at pc 0x4a1c on stream register, last stream 9 register 10 (REMOTE_DEST_BUF_SIZE)"
};

/// Sums since power-on, for reports.
struct TileCounters {
  std::array<uint64_t, kHarts> hart_instructions{};
  std::array<uint64_t, kThreads> thread_instructions{};
  uint64_t mvmuls = 0;
  std::array<uint64_t, arch::kNocs> packets_sent{};
  std::array<uint64_t, arch::kNocs> bytes_sent{};
};

/// How an access of the host comes to a tile.
struct HostWay {
  int noc = 0;
  bool posted = false;  // a write that is not acknowledged
};

/// An Ethernet tile has 512 KiB of L1, two harts (E0 and E1, of index Brisc and Ncrisc) and EthernetRegisters; its
/// coprocessor and what else only Tensix tiles have is out of everybody's reach.
///
/// A tile knows nothing of other tiles: it takes messages from its inbox and leaves messages in its outbox. Between two
/// calls of run() nothing happens in it but what the host does through host_read() and host_write().
///
/// Powers on with all harts in soft reset and memory zero. `options` must outlive it; if they have an observer, it is
/// to be an ObservedTile. `lines`: decoded code shared by all tiles of a machine.
/// Costs some hundred kilobytes until somebody uses it. Not thread-safe; different tiles may run on different threads.
class Tile : public InLargePages, protected MessageSink, protected NiuTile {
 public:
  Tile(TileId id, const NocGeometry& geometry, const Options& options = kUsualOptions,
       std::shared_ptr<DecodedLines> lines = nullptr);
  virtual ~Tile();
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  TileId id() const { return id_; }

  // --- the machine ---

  /// Runs to `end`; relaxed: a multiple of kQuantumCycles. After a fault the agent at fault stops, the others continue.
  void run(Cycle end) { agents_.run(end); }
  Cycle time() const { return agents_.time(); }
  /// The earliest cycle at which something can happen here, kNever if the tile sleeps until a message or the host
  /// reaches it.
  Cycle next_event() const { return agents_.next_event(); }
  /// The same, if harts that run did not: kNever if nothing can happen here but what such harts bring about.
  Cycle next_event_beside_running() const { return agents_.next_event_beside_running(); }
  Inbox& inbox() { return inbox_; }
  Outbox& outbox() { return outbox_; }
  FaultLog& faults() { return faults_; }
  RemarkLog& remarks();
  /// Sets parked harts free, at the tile's time: for a machine that does not park and was given the state of one that
  /// does.
  void unpark();

  // --- the host ---

  /// Immediately, at the tile's time. L1: any range. Registers: 4-byte aligned address and length, word by word, with
  /// all side effects, as over the NoC. False, with a fault in the log, for anything else.
  /// The NIU of `way` counts what is done: a request for a range of L1, and one for each register.
  bool host_read(uint64_t address, std::span<uint8_t> out, HostWay way = {});
  bool host_write(uint64_t address, std::span<const uint8_t> bytes, HostWay way = {});

  // --- inspection ---

  /// Every hart that is out of reset, where it runs or what it waits for; every thread that holds an instruction it
  /// cannot issue, every NIU (as Agent::Units) with requests outstanding. Empty if the tile was never started.
  std::vector<AgentWait> describe_waits();
  TileCounters counters();
  void serialize(Archive& archive);

  L1& l1() { return l1_; }
  const Hart& hart(arch::Hart hart) const { return harts_[static_cast<size_t>(hart)]; }
  Coprocessor& coprocessor() { return *coprocessor_; }
  const Niu& niu(int noc) const { return nius_[static_cast<size_t>(noc)]; }
  /// For an observer.
  TileView view();
  /// That the tile is there.
  void tell_made(Observer& observer);
  /// For a debugger, the same in all calls: it must outlive the tile.
  TileStops& stops(Debugger& debugger);
  bool has_stops() const { return stops_ != nullptr; }
  /// AddressMap::look().
  uint32_t look(uint32_t address) { return map_.look(address); }
  /// HartBus::watch_of().
  WaitMask watch_of(arch::Hart hart, uint32_t address) const { return map_.watch_of(hart, address); }
  /// What the hart last accessed beyond L1 and its own memory, by name.
  std::string last_access(arch::Hart hart) const;

 protected:
  // MessageSink: a packet has arrived.
  void apply(const Message& message, Cycle now) override;
  // NiuTile
  Cycle now() const override { return agents_.now(); }
  Access load_register(uint32_t address, uint32_t& value) override {
    BusReply reply;
    const Access access = map_.load_register(address, reply);
    value = reply.value;
    return access;
  }
  Access store_register(uint32_t address, uint32_t value) override {
    BusReply reply;
    return map_.store_register(address, value, reply);
  }
  uint64_t send(Message&& message) override;
  void interrupt(int noc) override { pic_.raise_hardware(Pic::kNiuInterrupt + static_cast<unsigned>(noc)); }
  Actor actor() const { return agents_.actor(); }
  void number(Message& message) {
    message.sequence = sequence_++;
    if (message.packet == Message::kNotSent) message.packet = message.sequence;
  }
  /// Into the outbox or the own inbox.
  void put(Message&& message);

 private:
  // Reporter
  void report(FaultCategory category, uint64_t address, std::string what, std::string advice) override;

  void watch_for(const PrintListener& listener);
  bool write_for_host(uint64_t address, std::span<const uint8_t> bytes, HostWay way);
  /// What the host accesses beyond L1; else a fault.
  bool are_registers(const char* action, uint64_t address, size_t bytes);

  const TileId id_;

  // Memory and mail.
  L1 l1_;           // l1.hpp
  CodeCache code_;  // ../riscv/code_cache.hpp
  Inbox inbox_;     // ../noc/inbox.hpp
  Outbox outbox_;
  uint64_t sequence_ = 0;
  FaultLog faults_;                        // ../observe/fault.hpp
  const timing::Parameters* const costs_;  // in exact timing
  const Reorder reorder_;  // ../noc/reorder.hpp; of packets to itself: the machine does it for packets to other tiles

  // Who acts, and in what order.
  Agents agents_;                                   // agents.hpp
  std::array<Hart, kHarts> harts_;                  // ../riscv/hart.hpp
  const std::unique_ptr<Coprocessor> coprocessor_;  // ../tensix/coprocessor.hpp
  std::array<Niu, arch::kNocs> nius_;               // ../noc/niu.hpp

  // Registers.
  StreamRegisters streams_;                      // stream_registers.hpp
  Mailboxes mailboxes_;                          // mailboxes.hpp
  SyncWindow sync_;                              // sync_window.hpp: PCBufs, TTSync, semaphores
  TdmaRegisters tdma_;                           // tdma_registers.hpp
  Pic pic_;                                      // pic.hpp
  ResetControl reset_;                           // reset_control.hpp
  tensix::Windows windows_;                      // ../tensix/windows.hpp: GPRs, MOP configuration, configuration, Dst
  DebugInterface debug_interface_;               // debug_interface.hpp: halts, steps and shows harts
  DebugRegisters debug_;                         // debug_registers.hpp, wall clock
  std::unique_ptr<EthernetRegisters> ethernet_;  // ethernet_registers.hpp; nothing in a Tensix tile

  AddressMap map_;  // address_map.hpp: which addresses each agent reaches

  std::unique_ptr<TileStops> stops_;  // tile_stops.hpp
};

}  // namespace kerr::emu
