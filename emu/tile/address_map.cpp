#include "emu/tile/address_map.hpp"

#include <fmt/format.h>

#include <cstring>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kPageBytes = 0x1000;
constexpr uint32_t kFirst = arch::kLdmBase;
constexpr uint32_t kPages = (0xFFFF'FFFFu - kFirst) / kPageBytes + 1;
constexpr uint32_t kWindowBytes = 0x1'0000;  // of pushes and PCBufs: one for each thread
constexpr int kPages64K = kWindowBytes / kPageBytes;

const char* verb(bool store) { return store ? "store" : "load"; }

}  // namespace

// --- the map
// ------------------------------------------------------------------------------------------------------------

AddressMap::Unit AddressMap::unit_of(uint32_t address) const {
  if (units_.ethernet) [[unlikely]] return ethernet_unit_of(address);
  static constexpr auto kMap = [] {
    std::array<Unit, kPages> map{};
    const auto set = [&map](uint32_t base, uint32_t pages, Unit unit) {
      for (uint32_t i = 0; i < pages; ++i) map[(base - kFirst) / kPageBytes + i] = unit;
    };
    set(arch::kTdmaBase, 1, Unit::Tdma);
    set(arch::kDebugBase, 1, Unit::Debug);
    set(arch::kPicBase, 1, Unit::Pic);
    set(arch::kLdmSlowBase[0], 10, Unit::LocalMemory);
    set(arch::kNiuBase, kPages64K, Unit::Niu0);
    set(arch::kNiuBase + arch::kNiuStride, kPages64K, Unit::Niu1);
    set(arch::kOverlayBase, arch::kStreams, Unit::Overlay);
    set(arch::kMopConfigBase, 1, Unit::Mop);
    set(arch::kDstWindowBase, 8, Unit::Dst);
    set(arch::kGprBase, 1, Unit::Gpr);
    set(arch::kInstructionPushBase, 3 * kPages64K, Unit::Push);
    set(arch::kPcBufBase, 3 * kPages64K, Unit::Sync);
    set(arch::kMailboxBase, 4, Unit::Mailbox);
    set(arch::kConfigBase, kPages64K, Unit::Config);
    return map;
  }();
  return address < kFirst ? Unit::None : kMap[(address - kFirst) / kPageBytes];
}

AddressMap::Unit AddressMap::ethernet_unit_of(uint32_t address) {
  if (EthernetRegisters::holds(address)) return Unit::Ethernet;
  if (address >= arch::niu_base(0) && address < arch::niu_base(1)) return Unit::Niu0;
  if (address >= arch::niu_base(1) && address < arch::kOverlayBase) return Unit::Niu1;
  const bool stream = address - arch::kOverlayBase < arch::ethernet::kStreams * arch::kStreamStride;
  return address >= arch::kOverlayBase && stream ? Unit::Overlay : Unit::None;
}

std::string AddressMap::name(uint32_t address) const {
  return unit_of(address) == Unit::Ethernet ? EthernetRegisters::name(address) : register_name(address);
}

uint8_t AddressMap::accessors_of(Unit unit, uint32_t address) {
  switch (unit) {
    case Unit::None: return 0;
    case Unit::Debug:
    case Unit::Pic:
    case Unit::LocalMemory:
    case Unit::Niu0:
    case Unit::Niu1:
    case Unit::Overlay:
    case Unit::Ethernet: return arch::kByAll;
    case Unit::Mop:
    case Unit::Dst: return arch::kByTrisc;
    case Unit::Tdma:
    case Unit::Gpr:
    case Unit::Mailbox:
    case Unit::Config: return arch::kByBrisc | arch::kByTrisc;
    // The windows of threads 1 and 2 are BRISC's; a TRISC sees its own thread in the first.
    case Unit::Push:
      return address < arch::kInstructionPushBase + kWindowBytes ? arch::kByBrisc | arch::kByTrisc : arch::kByBrisc;
    case Unit::Sync:
      return address < arch::kPcBufBase + kWindowBytes ? arch::kByBrisc | arch::kByTrisc : arch::kByBrisc;
  }
  return 0;
}

TdmaRegisters::Who AddressMap::tdma_accessor(Accessor who) {
  if (who.mask == arch::kByBrisc) return TdmaRegisters::Who::Brisc;
  const int thread = who.mask == arch::kByTrisc ? thread_of(who.hart) : 0;
  return static_cast<TdmaRegisters::Who>(static_cast<int>(TdmaRegisters::Who::Trisc0) + thread);
}

AddressMap::Accessor AddressMap::accessor_of(HartIndex hart) {
  switch (hart) {
    case HartIndex::Brisc: return {arch::kByBrisc, hart};
    case HartIndex::Ncrisc: return {arch::kByNcrisc, hart};
    default: return {arch::kByTrisc, hart};
  }
}

Access AddressMap::unreachable(Unit unit, uint32_t address, const char* action) {
  if (unit == Unit::None) {
    return reporter_.fault(
        FaultCategory::OutOfBounds, address,
        fmt::format("{} of {:#010x}: nothing is mapped there; silicon hangs or ignores it ({})", action, address,
                    nearest_region(address)));
  }
  const bool foreign_push = unit == Unit::Push && accessors_of(unit, address) == arch::kByBrisc;
  return reporter_.fault(
      FaultCategory::UndefinedBehavior, address,
      fmt::format("{} of {}: {}", action, register_name(address),
                  foreign_push ? "only BRISC may push to the threads of others; silicon hangs the hart"
                               : "this is not mapped for who accesses it; silicon hangs the hart"),
      "docs/hardware/tile.md 2.1 lists who reaches what.");
}

// --- harts
// --------------------------------------------------------------------------------------------------------------

Access AddressMap::load(HartIndex hart, uint32_t address, unsigned bytes, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = address;
  const Unit unit = unit_of(address);
  const Accessor who = accessor_of(hart);
  if (!(accessors_of(unit, address) & who.mask)) return unreachable(unit, address, verb(false));
  if (unit == Unit::Dst) {
    return units_.coprocessor.dst_window_read(thread_of(hart), address - arch::kDstWindowBase, bytes, reply.value,
                                              units_.agents.now());
  }
  const Access access = load_word(unit, who, address & ~3u, reply);
  if (bytes == 4 || access != Access::Done) return access;
  reply.value = reply.value >> (8 * (address & 3)) & (bytes == 1 ? 0xFFu : 0xFFFFu);
  return access;
}

Access AddressMap::store(HartIndex hart, uint32_t address, unsigned bytes, uint32_t value, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = address;
  const Unit unit = unit_of(address);
  const Accessor who = accessor_of(hart);
  if (!(accessors_of(unit, address) & who.mask)) return unreachable(unit, address, verb(true));
  if (unit == Unit::Dst) {
    return units_.coprocessor.dst_window_write(thread_of(hart), address - arch::kDstWindowBase, bytes, value,
                                               units_.agents.now());
  }
  if (bytes != 4) {
    return reporter_.fault(FaultCategory::Unsupported, address,
                           fmt::format("{}-byte store to {}: what the hardware makes of it is not documented", bytes,
                                       name(address)),
                           "Store whole words to registers.");
  }
  return store_word(unit, who, address, value, reply);
}

Access AddressMap::push(HartIndex hart, uint32_t word, bool fused, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = arch::kInstructionPushBase;
  if (units_.ethernet) {
    return reporter_.fault(FaultCategory::UndefinedBehavior, arch::kInstructionPushBase,
                           ".ttinsn in an Ethernet tile: it has no coprocessor");
  }
  if (hart == HartIndex::Ncrisc) {
    return reporter_.fault(FaultCategory::UndefinedBehavior, arch::kInstructionPushBase,
                           ".ttinsn on NCRISC: it has no coprocessor thread");
  }
  const int thread = hart == HartIndex::Brisc ? 0 : thread_of(hart);
  return units_.windows.push(hart, thread, word, units_.agents.now(), fused, reply);
}

WaitMask AddressMap::watch_of(HartIndex hart, uint32_t address) const {
  const bool trisc = thread_of(hart) >= 0;
  switch (unit_of(address)) {
    case Unit::Tdma: return units_.tdma.watch_of(address);
    case Unit::Debug: return units_.debug.watch_of(address);
    case Unit::Pic: return address < arch::kPcSnapshotBase ? units_.pic.watch_of(address) : 0;
    case Unit::Niu0: return units_.nius[0].watch_of((address & ~3u) - arch::niu_base(0));
    case Unit::Niu1: return units_.nius[1].watch_of((address & ~3u) - arch::niu_base(1));
    case Unit::Overlay: return units_.streams.watch_of(address - arch::kOverlayBase);
    case Unit::Ethernet: return units_.ethernet->watch_of(address & ~3u);
    case Unit::Gpr: return wait::kGpr;
    case Unit::Config: return wait::kConfig;
    case Unit::Mailbox: return address & arch::kMailboxQuery ? wait::kMailbox : WaitMask{0};
    case Unit::Sync:
      return trisc && address >= arch::kSemaphoreBase ? wait::semaphore((address - arch::kSemaphoreBase) / 4) : WaitMask{0};
    // Local memory through the slow window changes without notice, by its own hart; Dst by units.
    default: return 0;
  }
}

ClockPart AddressMap::clock_of(uint32_t address) const {
  switch (unit_of(address)) {
    case Unit::Debug: return units_.debug.clock_of(address, units_.agents.now());
    case Unit::Ethernet: return units_.ethernet->clock_of(address, units_.agents.now());
    default: return ClockPart::None;
  }
}

// Instructions take effect when they start, so nothing is ever seen executing: both words show what is queued.
uint32_t AddressMap::coprocessor_status(HartIndex hart, bool busy) {
  uint32_t all = 0;
  for (int thread = 0; thread < kThreads; ++thread) all |= units_.coprocessor.queued_classes(thread);
  const uint32_t own = thread_of(hart) >= 0 ? units_.coprocessor.queued_classes(thread_of(hart)) : all;
  if (busy) return own | all << 11;
  const uint32_t lanes = units_.coprocessor.any_lane_enabled();
  return own | lanes << 11 | all << 13 | lanes << 24;
}

// --- coprocessor, NoC, host
// ---------------------------------------------------------------------------------------------

// The scalar unit reaches what the NoC reaches, and the TDMA registers. All three threads see the same.
Access AddressMap::load(uint32_t address, BusReply& reply) {
  if (unit_of(address) == Unit::Tdma) {
    return told(AccessKind::Load, address, units_.tdma.load(address, reply.value, TdmaRegisters::Who::Trisc0));
  }
  return load_register(address, reply);
}

Access AddressMap::store(uint32_t address, uint32_t value, BusReply& reply) {
  if (unit_of(address) == Unit::Tdma) {
    return told(AccessKind::Store, address, units_.tdma.store(address, value, TdmaRegisters::Who::Trisc0));
  }
  return store_register(address, value, reply);
}

// Tells the observer of an access to a word, if it was done. Harts tell of their own accesses.
Access AddressMap::told(AccessKind kind, uint32_t address, Access access) {
  if (access == Access::Done) units_.agents.accessed(kind, address, 4);
  return access;
}

Access AddressMap::load_register(uint32_t address, BusReply& reply) {
  const Unit unit = unit_of(address);
  if (!(accessors_of(unit, address) & arch::kByNoc)) return unreachable(unit, address, verb(false));
  return told(AccessKind::Load, address, load_word(unit, {arch::kByNoc, HartIndex::Brisc}, address, reply));
}

Access AddressMap::store_register(uint32_t address, uint32_t value, BusReply& reply) {
  const Unit unit = unit_of(address);
  if (!(accessors_of(unit, address) & arch::kByNoc)) return unreachable(unit, address, verb(true));
  return told(AccessKind::Store, address, store_word(unit, {arch::kByNoc, HartIndex::Brisc}, address, value, reply));
}

// --- dispatch
// -----------------------------------------------------------------------------------------------------------

// Slots of 8 KiB in launch-message order; the 4 KiB of a TRISC appear twice.
uint32_t& AddressMap::local_word(uint32_t address) {
  const uint32_t offset = address - arch::kLdmSlowBase[0];
  Hart& hart = units_.harts[offset / arch::kLdmSlowStride];
  return *reinterpret_cast<uint32_t*>(hart.local_memory() + (offset & (hart.local_bytes() - 1)));
}

// Automatic TTSync holds a TRISC's access back until earlier instructions of its thread have executed.
bool AddressMap::must_wait(Unit unit, Accessor who, uint32_t address, bool store, BusReply& reply) const {
  using Kind = tensix::TrackedAccess::Kind;
  if (who.mask != arch::kByTrisc) return false;
  const int thread = thread_of(who.hart);
  const Kind kind = unit == Unit::Gpr ? Kind::Gpr : unit == Unit::Tdma ? Kind::Tdma : Kind::Config;
  const uint32_t word = kind == Kind::Config ? (address - arch::kConfigBase) / 4 : 0;
  if (!units_.coprocessor.must_wait(thread, {kind, store, word})) return false;
  reply.wait = wait::in_flight(thread);
  return true;
}

Access AddressMap::load_word(Unit unit, Accessor who, uint32_t address, BusReply& reply) {
  switch (unit) {
    case Unit::Gpr:
    case Unit::Config:
    case Unit::Tdma:
      if (must_wait(unit, who, address, false, reply)) return Access::Wait;
      break;
    default: break;
  }
  switch (unit) {
    case Unit::Overlay: return units_.streams.load(address - arch::kOverlayBase, reply.value);
    case Unit::Niu0: return units_.nius[0].load(address - arch::niu_base(0), reply.value);
    case Unit::Niu1: return units_.nius[1].load(address - arch::niu_base(1), reply.value);
    case Unit::Debug: return units_.debug.load(address, reply.value, units_.agents.now());
    case Unit::Ethernet: return units_.ethernet->load(address, reply.value, units_.agents.now());
    case Unit::Tdma: return units_.tdma.load(address, reply.value, tdma_accessor(who));
    case Unit::Pic: {
      if (address < arch::kPcSnapshotBase) return units_.pic.load(address, reply.value);
      const uint32_t index = (address - arch::kPcSnapshotBase) / 4;
      if (index >= kHarts) break;
      units_.agents.catch_up();
      reply.value = units_.harts[index].pc();
      return Access::Done;
    }
    case Unit::LocalMemory:
      units_.agents.catch_up();
      if (costs_ != nullptr && who.mask != arch::kByNoc) {
        reply.late = std::max(units_.agents.now(), local_free_);
        local_free_ = reply.late + costs_->hart_window_server;
      }
      reply.value = local_word(address);
      return Access::Done;
    case Unit::Gpr: return units_.windows.load_gpr(who.hart, address - arch::kGprBase, reply.value);
    case Unit::Config:
      return units_.coprocessor.config_read(address - arch::kConfigBase, reply.value, units_.agents.current(),
                                            units_.agents.now());
    case Unit::Sync:
      if (who.mask == arch::kByTrisc)
        return units_.windows.load_sync(thread_of(who.hart), address - arch::kPcBufBase, reply);
      return units_.pc_bufs.drained(static_cast<int>((address - arch::kPcBufBase) / kWindowBytes), reply);
    case Unit::Mailbox: {
      const int from = static_cast<int>((address - arch::kMailboxBase) / arch::kMailboxPageBytes);
      const int to = arch::kMailboxIndex[static_cast<size_t>(who.hart)];
      if (!(address & arch::kMailboxQuery)) return units_.mailboxes.pop(from, to, reply);
      reply.value = units_.mailboxes.waiting(from, to);
      return Access::Done;
    }
    case Unit::Push:
    case Unit::Mop:
      return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                             fmt::format("load of {}: the window is write only", register_name(address)));
    case Unit::Dst:
    case Unit::None: break;
  }
  return unreachable(Unit::None, address, verb(false));
}

Access AddressMap::store_word(Unit unit, Accessor who, uint32_t address, uint32_t value, BusReply& reply) {
  switch (unit) {
    case Unit::Gpr:
    case Unit::Config:
    case Unit::Tdma:
      if (must_wait(unit, who, address, true, reply)) return Access::Wait;
      break;
    default: break;
  }
  switch (unit) {
    case Unit::Overlay: return units_.streams.store(address - arch::kOverlayBase, value);
    case Unit::Niu0: return units_.nius[0].store(address - arch::niu_base(0), value);
    case Unit::Niu1: return units_.nius[1].store(address - arch::niu_base(1), value);
    case Unit::Debug: return units_.debug.store(address, value, units_.agents.current(), units_.agents.now());
    case Unit::Ethernet: return units_.ethernet->store(address, value, units_.agents.now());
    case Unit::Tdma: return units_.tdma.store(address, value, tdma_accessor(who));
    case Unit::Pic:
      if (address < arch::kPcSnapshotBase) return units_.pic.store(address, value);
      return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                             fmt::format("store to {}, which is read only", register_name(address)));
    case Unit::LocalMemory:
      units_.agents.about_to_change(wait::kDebugRegisters);
      local_word(address) = value;
      return Access::Done;
    case Unit::Gpr: return units_.windows.store_gpr(who.hart, address - arch::kGprBase, value);
    case Unit::Config:
      return units_.coprocessor.config_write(address - arch::kConfigBase, value, units_.agents.current(),
                                             units_.agents.now());
    case Unit::Push: {
      const int thread = thread_of(who.hart);
      const int window = static_cast<int>((address - arch::kInstructionPushBase) / kWindowBytes);
      return units_.windows.push(who.hart, thread >= 0 ? thread : window, value, units_.agents.now(), false, reply);
    }
    case Unit::Sync:
      if (who.mask == arch::kByTrisc)
        return units_.windows.store_sync(thread_of(who.hart), address - arch::kPcBufBase, value);
      return units_.pc_bufs.push(static_cast<int>((address - arch::kPcBufBase) / kWindowBytes), value, reply);
    case Unit::Mailbox: {
      const int to = static_cast<int>((address - arch::kMailboxBase) / arch::kMailboxPageBytes);
      return units_.mailboxes.push(arch::kMailboxIndex[static_cast<size_t>(who.hart)], to, value, reply);
    }
    case Unit::Mop: return units_.windows.store_mop_config(thread_of(who.hart), address - arch::kMopConfigBase, value);
    case Unit::Dst:
    case Unit::None: break;
  }
  return unreachable(Unit::None, address, verb(true));
}

}  // namespace kerr::emu
