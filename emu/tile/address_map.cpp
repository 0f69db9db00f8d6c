#include "emu/tile/address_map.hpp"

#include <fmt/format.h>

#include <cstring>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kPageBytes = 0x1000;
constexpr uint32_t kFirst = arch::kLdmBase;
constexpr uint32_t kPages = (0xFFFF'FFFFu - kFirst) / kPageBytes + 1;
constexpr uint32_t kWindowBytes = 0x1'0000;  // of pushes and PCBufs: one for each thread
constexpr int kPages64K = kWindowBytes / kPageBytes;

// Each window for pushes is a thread's, for BRISC; a TRISC sees its own thread in the first.
[[gnu::always_inline]] inline int thread_pushed_to(arch::Hart hart, uint32_t address) {
  return hart == arch::Hart::Brisc ? static_cast<int>((address - arch::kInstructionPushBase) / kWindowBytes)
                                   : thread_of(hart);
}

}  // namespace

// --- the map ---------------------------------------------------------------------------------------------------------

AddressMap::Region AddressMap::region_of(uint32_t address) const {
  if (parts_.ethernet) [[unlikely]]
    return ethernet_region_of(address);
  static constexpr auto kMap = [] {
    std::array<Region, kPages> map{};
    const auto set = [&map](uint32_t base, uint32_t pages, Region region) {
      for (uint32_t i = 0; i < pages; ++i) map[(base - kFirst) / kPageBytes + i] = region;
    };
    set(arch::kTdmaBase, 1, Region::Tdma);
    set(arch::kDebugBase, 1, Region::Debug);
    set(arch::kPicBase, 1, Region::Pic);
    set(arch::kLdmSlowBase[0], 10, Region::LocalMemory);
    set(arch::kNiuBase, kPages64K, Region::Niu0);
    set(arch::kNiuBase + arch::kNiuStride, kPages64K, Region::Niu1);
    set(arch::kOverlayBase, arch::kStreams, Region::Overlay);
    set(arch::kMopConfigBase, 1, Region::Mop);
    set(arch::kDstWindowBase, 8, Region::Dst);
    set(arch::kGprBase, 1, Region::Gpr);
    set(arch::kInstructionPushBase, 3 * kPages64K, Region::Push);
    set(arch::kPcBufBase, 3 * kPages64K, Region::Sync);
    set(arch::kMailboxBase, 4, Region::Mailbox);
    set(arch::kConfigBase, kPages64K, Region::Config);
    return map;
  }();
  return address < kFirst ? Region::None : kMap[(address - kFirst) / kPageBytes];
}

AddressMap::Region AddressMap::ethernet_region_of(uint32_t address) {
  if (EthernetRegisters::holds(address)) return Region::Ethernet;
  if (address >= arch::niu_base(0) && address < arch::niu_base(1)) return Region::Niu0;
  if (address >= arch::niu_base(1) && address < arch::kOverlayBase) return Region::Niu1;
  const bool stream = address - arch::kOverlayBase < arch::ethernet::kStreams * arch::kStreamStride;
  return address >= arch::kOverlayBase && stream ? Region::Overlay : Region::None;
}

std::string AddressMap::name(uint32_t address) const {
  return region_of(address) == Region::Ethernet ? EthernetRegisters::name(address) : register_name(address);
}

uint8_t AddressMap::accessors_of(Region region, uint32_t address) {
  switch (region) {
    case Region::None: return 0;
    case Region::Debug:
    case Region::Pic:
    case Region::LocalMemory:
    case Region::Niu0:
    case Region::Niu1:
    case Region::Overlay:
    case Region::Ethernet: return arch::kByAll;
    case Region::Mop:
    case Region::Dst: return arch::kByTrisc;
    case Region::Tdma:
    case Region::Gpr:
    case Region::Mailbox:
    case Region::Config: return arch::kByBrisc | arch::kByTrisc;
    // The windows of threads 1 and 2 are BRISC's; a TRISC sees its own thread in the first.
    case Region::Push:
      return address < arch::kInstructionPushBase + kWindowBytes ? arch::kByBrisc | arch::kByTrisc : arch::kByBrisc;
    case Region::Sync:
      return address < arch::kPcBufBase + kWindowBytes ? arch::kByBrisc | arch::kByTrisc : arch::kByBrisc;
  }
  return 0;
}

AddressMap::Accessor AddressMap::accessor_of(arch::Hart hart) {
  switch (hart) {
    case arch::Hart::Brisc: return {arch::kByBrisc, hart};
    case arch::Hart::Ncrisc: return {arch::kByNcrisc, hart};
    default: return {arch::kByTrisc, hart};
  }
}

Access AddressMap::unreachable(Region region, uint32_t address, const char* action) {
  if (region == Region::None) {
    return reporter_.fault(FaultCategory::OutOfBounds, address,
                           fmt::format("{} of {:#010x}: nothing is mapped there; silicon hangs or ignores it ({})",
                                       action, address, nearest_region(address)));
  }
  const bool foreign_push = region == Region::Push && accessors_of(region, address) == arch::kByBrisc;
  return reporter_.fault(
      FaultCategory::UndefinedBehavior, address,
      fmt::format("{} of {}: {}", action, register_name(address),
                  foreign_push ? "only BRISC may push to the threads of others; silicon hangs the hart"
                               : "this is not mapped for who accesses it; silicon hangs the hart"),
      "docs/hardware/tile.md 2.1 lists who reaches what.");
}

// --- harts -----------------------------------------------------------------------------------------------------------

Access AddressMap::load(arch::Hart hart, uint32_t address, unsigned bytes, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = address;
  const Region region = region_of(address);
  const Accessor who = accessor_of(hart);
  if (!(accessors_of(region, address) & who.mask)) return unreachable(region, address, "load");
  if (region == Region::Dst) {
    return parts_.windows.load_dst(thread_of(hart), address - arch::kDstWindowBase, bytes, reply.value);
  }
  const Access access = load_word(region, who, address & ~3u, reply);
  if (bytes == 4 || access != Access::Done) return access;
  reply.value = reply.value >> (8 * (address & 3)) & (bytes == 1 ? 0xFFu : 0xFFFFu);
  return access;
}

Access AddressMap::store(arch::Hart hart, uint32_t address, unsigned bytes, uint32_t value, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = address;
  const Region region = region_of(address);
  const Accessor who = accessor_of(hart);
  if (!(accessors_of(region, address) & who.mask)) return unreachable(region, address, "store");
  if (region == Region::Dst) {
    return parts_.windows.store_dst(thread_of(hart), address - arch::kDstWindowBase, bytes, value);
  }
  if (bytes != 4) {
    return reporter_.fault(
        FaultCategory::Unsupported, address,
        fmt::format("{}-byte store to {}: what the hardware makes of it is not documented", bytes, name(address)),
        "Store whole words to registers.");
  }
  return store_word(region, who, address, value, reply);
}

HartBus::Push AddressMap::last_push(arch::Hart hart, uint32_t address, uint32_t pc) {
  static_assert(kPushBytes == 3 * kWindowBytes);
  const int thread = thread_pushed_to(hart, address);
  if (parts_.ethernet || thread < 0) return {};  // it was no push
  const uint32_t number = parts_.coprocessor.threads[thread].front.pushes();
  parts_.coprocessor.pushers->note(thread, {number, pc, agent_of(hart)});
  return {thread, number};
}

Access AddressMap::push(arch::Hart hart, uint32_t address, uint32_t word, bool fused, BusReply& reply) {
  last_access_[static_cast<size_t>(hart)] = address;
  if (parts_.ethernet || hart == arch::Hart::Ncrisc) {
    return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                           parts_.ethernet ? ".ttinsn in an Ethernet tile: it has no coprocessor"
                                           : ".ttinsn on NCRISC: it has no coprocessor thread");
  }
  const bool brisc = hart == arch::Hart::Brisc;
  const int thread = thread_pushed_to(hart, address);
  if (parts_.coprocessor.debug_owned >> thread & 1) {
    return reporter_.fault(
        FaultCategory::UndefinedBehavior, arch::kInstructionPushBase,
        fmt::format("a push to thread {} while the debug bus owns its FIFO is lost on silicon", thread),
        "Clear its bit in INSTRN_BUF_CTRL0 first.");
  }
  tensix::FrontEnd& front = parts_.coprocessor.threads[thread].front;
  const Cycle now = parts_.agents.now();
  if (brisc ? front.push_after_mop(word, now, fused) : front.push_before_mop(word, now, fused)) return Access::Done;
  reply.wait = wait::fifo(thread);
  return Access::Wait;
}

WaitMask AddressMap::watch_of(arch::Hart hart, uint32_t address) const {
  const bool trisc = thread_of(hart) >= 0;
  switch (region_of(address)) {
    case Region::Tdma: return parts_.tdma.watch_of(address);
    case Region::Debug: return parts_.debug.watch_of(address);
    case Region::Pic: return address < arch::kPcSnapshotBase ? parts_.pic.watch_of(address) : 0;
    case Region::Niu0: return parts_.nius[0].watch_of((address & ~3u) - arch::niu_base(0));
    case Region::Niu1: return parts_.nius[1].watch_of((address & ~3u) - arch::niu_base(1));
    case Region::Overlay: return parts_.streams.watch_of(address - arch::kOverlayBase);
    case Region::Ethernet: return parts_.ethernet->watch_of(address & ~3u);
    case Region::Gpr: return wait::kGpr;
    case Region::Config: return wait::kConfig;
    case Region::Mailbox: return address & arch::kMailboxQuery ? wait::kMailbox : WaitMask{0};
    case Region::Sync:
      return trisc && address >= arch::kSemaphoreBase ? wait::semaphore((address - arch::kSemaphoreBase) / 4)
                                                      : WaitMask{0};
    // Local memory through the slow window changes without notice, by its own hart; Dst by units.
    default: return 0;
  }
}

ClockPart AddressMap::clock_of(uint32_t address) const {
  switch (region_of(address)) {
    case Region::Debug: return parts_.debug.clock_of(address, parts_.agents.now());
    case Region::Ethernet: return parts_.ethernet->clock_of(address, parts_.agents.now());
    default: return ClockPart::None;
  }
}

// Instructions take effect when they start, so nothing is ever seen executing: both words show what is queued.
uint32_t AddressMap::coprocessor_status(arch::Hart hart, bool busy) {
  uint32_t all = 0;
  for (int thread = 0; thread < kThreads; ++thread) all |= parts_.coprocessor.queued_classes(thread);
  const uint32_t own = thread_of(hart) >= 0 ? parts_.coprocessor.queued_classes(thread_of(hart)) : all;
  if (busy) return own | all << 11;
  const uint32_t lanes = parts_.coprocessor.sfpu.enabled() != 0;
  return own | lanes << 11 | all << 13 | lanes << 24;
}

// --- coprocessor, NoC, host ------------------------------------------------------------------------------------------

// The scalar unit reaches what the NoC reaches, and the TDMA registers. All three threads see the same.
Access AddressMap::load(uint32_t address, BusReply& reply) {
  if (region_of(address) == Region::Tdma) {
    const Access access = parts_.tdma.load(address, reply.value);
    return told(AccessKind::Load, address, reply.value, access);
  }
  return load_register(address, reply);
}

Access AddressMap::store(uint32_t address, uint32_t value, BusReply& reply) {
  if (region_of(address) == Region::Tdma) {
    return told(AccessKind::Store, address, value, parts_.tdma.store(address, value));
  }
  return store_register(address, value, reply);
}

// Tells the observer of an access to a word, if it was done. Harts tell of their own accesses.
Access AddressMap::told(AccessKind kind, uint32_t address, uint32_t value, Access access) {
  if (access == Access::Done) parts_.agents.accessed(kind, address, 4, value);
  return access;
}

Access AddressMap::load_register(uint32_t address, BusReply& reply) {
  const Region region = region_of(address);
  if (!(accessors_of(region, address) & arch::kByNoc)) return unreachable(region, address, "load");
  const Access access = load_word(region, {arch::kByNoc, arch::Hart::Brisc}, address, reply);
  return told(AccessKind::Load, address, reply.value, access);
}

uint32_t AddressMap::look(uint32_t address) {
  BusReply reply;
  load_word(region_of(address), {arch::kByNoc, arch::Hart::Brisc}, address, reply);
  return reply.value;
}

Access AddressMap::store_register(uint32_t address, uint32_t value, BusReply& reply) {
  const Region region = region_of(address);
  if (!(accessors_of(region, address) & arch::kByNoc)) return unreachable(region, address, "store");
  const Access access = store_word(region, {arch::kByNoc, arch::Hart::Brisc}, address, value, reply);
  return told(AccessKind::Store, address, value, access);
}

// --- dispatch --------------------------------------------------------------------------------------------------------

// Slots of 8 KiB in launch-message order; the 4 KiB of a TRISC appear twice.
uint8_t* AddressMap::local_word(uint32_t address) {
  const uint32_t offset = address - arch::kLdmSlowBase[0];
  const std::span<uint8_t> local = parts_.harts[offset / arch::kLdmSlowStride].local_memory();
  return local.data() + (offset & (local.size() - 1));
}

// Automatic TTSync holds a TRISC's access back until earlier instructions of its thread have executed.
bool AddressMap::must_wait(Region region, Accessor who, uint32_t address, bool store, BusReply& reply) const {
  using Kind = tensix::TrackedAccess::Kind;
  if (who.mask != arch::kByTrisc) return false;
  tensix::TrackedAccess access{Kind::Gpr, store};
  switch (region) {
    case Region::Gpr: break;
    case Region::Tdma: access.kind = Kind::Tdma; break;
    case Region::Config: access = {Kind::Config, store, (address - arch::kConfigBase) / 4}; break;
    default: return false;
  }
  const int thread = thread_of(who.hart);
  if (!parts_.coprocessor.must_wait(thread, access)) return false;
  reply.wait = wait::in_flight(thread);
  return true;
}

Access AddressMap::load_word(Region region, Accessor who, uint32_t address, BusReply& reply) {
  if (must_wait(region, who, address, false, reply)) return Access::Wait;
  switch (region) {
    case Region::Overlay:
      return parts_.streams.load(address - arch::kOverlayBase, reply.value, who.mask == arch::kByNoc);
    case Region::Niu0: return parts_.nius[0].load(address - arch::niu_base(0), reply.value);
    case Region::Niu1: return parts_.nius[1].load(address - arch::niu_base(1), reply.value);
    case Region::Debug: return parts_.debug.load(address, reply.value, parts_.agents.now());
    case Region::Ethernet: return parts_.ethernet->load(address, reply.value, parts_.agents.now());
    case Region::Tdma: return parts_.tdma.load(address, reply.value, who.hart);
    case Region::Pic: {
      if (address < arch::kPcSnapshotBase) return parts_.pic.load(address, reply.value);
      const uint32_t index = (address - arch::kPcSnapshotBase) / 4;
      if (index >= kHarts) break;
      parts_.agents.catch_up();
      reply.value = parts_.harts[index].state().pc;
      return Access::Done;
    }
    case Region::LocalMemory:
      parts_.agents.catch_up();
      if (costs_ != nullptr && who.mask != arch::kByNoc) {
        reply.late = std::max(parts_.agents.now(), local_free_);
        local_free_ = reply.late + costs_->hart_window_server;
      }
      std::memcpy(&reply.value, local_word(address), 4);
      return Access::Done;
    case Region::Gpr: return parts_.windows.load_gpr(who.hart, address - arch::kGprBase, reply.value);
    case Region::Config: return parts_.windows.load_config(address - arch::kConfigBase, reply.value);
    case Region::Sync:
      if (who.mask == arch::kByTrisc) return parts_.sync.load(thread_of(who.hart), address - arch::kPcBufBase, reply);
      return parts_.sync.drained(static_cast<int>((address - arch::kPcBufBase) / kWindowBytes), reply);
    case Region::Mailbox: {
      const int from = static_cast<int>((address - arch::kMailboxBase) / arch::kMailboxPageBytes);
      const int to = arch::kMailboxIndex[static_cast<size_t>(who.hart)];
      if (!(address & arch::kMailboxQuery)) return parts_.mailboxes.pop(from, to, reply);
      reply.value = parts_.mailboxes.waiting(from, to);
      return Access::Done;
    }
    case Region::Push:
    case Region::Mop:
      return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                             fmt::format("load of {}: the window is write only", register_name(address)));
    case Region::Dst:
    case Region::None: break;
  }
  return unreachable(Region::None, address, "load");
}

Access AddressMap::store_word(Region region, Accessor who, uint32_t address, uint32_t value, BusReply& reply) {
  if (must_wait(region, who, address, true, reply)) return Access::Wait;
  switch (region) {
    case Region::Overlay: return parts_.streams.store(address - arch::kOverlayBase, value);
    case Region::Niu0: return parts_.nius[0].store(address - arch::niu_base(0), value);
    case Region::Niu1: return parts_.nius[1].store(address - arch::niu_base(1), value);
    case Region::Debug: return parts_.debug.store(address, value, parts_.agents.now());
    case Region::Ethernet: return parts_.ethernet->store(address, value, parts_.agents.now());
    case Region::Tdma: return parts_.tdma.store(address, value, who.hart);
    case Region::Pic:
      if (address < arch::kPcSnapshotBase) return parts_.pic.store(address, value);
      return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                             fmt::format("store to {}, which is read only", register_name(address)));
    case Region::LocalMemory:
      parts_.agents.about_to_change(wait::kDebugRegisters);
      std::memcpy(local_word(address), &value, 4);
      return Access::Done;
    case Region::Gpr: return parts_.windows.store_gpr(who.hart, address - arch::kGprBase, value);
    case Region::Config: return parts_.windows.store_config(address - arch::kConfigBase, value);
    case Region::Push: return push(who.hart, address, value, false, reply);
    case Region::Sync:
      if (who.mask == arch::kByTrisc) return parts_.sync.store(address - arch::kPcBufBase, value);
      return parts_.sync.push(static_cast<int>((address - arch::kPcBufBase) / kWindowBytes), value, reply);
    case Region::Mailbox: {
      const int to = static_cast<int>((address - arch::kMailboxBase) / arch::kMailboxPageBytes);
      return parts_.mailboxes.push(arch::kMailboxIndex[static_cast<size_t>(who.hart)], to, value, reply);
    }
    case Region::Mop:
      return parts_.windows.store_mop_config(thread_of(who.hart), address - arch::kMopConfigBase, value);
    case Region::Dst:
    case Region::None: break;
  }
  return unreachable(Region::None, address, "store");
}

}  // namespace kerr::emu
