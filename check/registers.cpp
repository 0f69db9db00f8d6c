// Accesses of harts to registers: NIU counters, streams, semaphores, mailboxes, reset.
#include <utility>

#include "arch/firmware_layout.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tensix_config.hpp"
#include "arch/tile_registers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

namespace {

constexpr bool is_niu(uint32_t address) { return address - arch::kNiuBase < 2 * arch::kNiuStride; }
constexpr uint32_t counters_base = arch::niu_counter_address(0, 0) - arch::kNiuBase;

constexpr bool is_semaphore(uint32_t address) {
  return address - arch::kSemaphoreBase < 4u * arch::kSemaphores && address % 4 == 0;
}
constexpr bool is_config(uint32_t address) {
  return address - arch::kConfigBase < 4u * arch::kConfigBanks * arch::kConfigWords;
}
constexpr bool is_gpr(uint32_t address) {
  return address - arch::kGprBase < 4u * static_cast<uint32_t>(arch::kGprsPerThread);
}
// Words that do something when they are written.
constexpr bool is_trigger(uint32_t address) { return address == arch::kIcInvalidateAll || address == arch::kPrngSeed; }
// The FIFOs of mailboxes that a hart fills and empties; -1: none.
constexpr int mailbox_of(int h) { return arch::kMailboxIndex[static_cast<size_t>(h)]; }
constexpr bool is_mailbox(uint32_t address) { return address - arch::kMailboxBase < 4 * arch::kMailboxPageBytes; }
constexpr uint32_t kPcBufBytes = 0x10000, kDstWindowBytes = 0x8000;
constexpr bool is_pc_buf(uint32_t address) { return address - arch::kPcBufBase < arch::kTensixThreads * kPcBufBytes; }
constexpr uint32_t stream_of(uint32_t address) { return (address - arch::kOverlayBase) / arch::kStreamStride; }
constexpr uint32_t register_of(uint32_t address) { return (address - arch::kOverlayBase) % arch::kStreamStride / 4; }

}  // namespace

void TileChecker::hart_loads_register(const Actor& a, uint32_t address, uint32_t value) {
  const int h = hart_index(a.agent);
  if (is_niu(address)) {
    const int noc = static_cast<int>((address - arch::kNiuBase) / arch::kNiuStride);
    const uint32_t offset = (address - arch::kNiuBase) % arch::kNiuStride;
    if (offset - counters_base < 4u * arch::niu::kCounters) {
      return hart_loads_counter(a, noc, static_cast<int>((offset - counters_base) / 4), value);
    }
    const uint32_t buffer = offset / arch::niu::kCommandBufferStride;
    if (buffer < 4 && offset % arch::niu::kCommandBufferStride == arch::niu::kCmdCtrl && value == 0 &&
        code_.use_of_load(a.pc).decides) {
      command_buffers_[static_cast<size_t>(noc)][buffer].last = CommandBuffer::kNone;
    }
    return;
  }
  if (is_stream(address)) {
    look_at_pages(a, address);
    const auto found = registers_.find(address);
    if (found != registers_.end()) {
      const uint32_t mask = arch::kStreamCounterMask;
      if ((found->second.value() & mask) != (value & mask)) found->second.forget(value);
      take_history(a, hart(h), found->second, mask);
    }
    return;
  }
  const int t = h - kTrisc0;
  if ((address == arch::kTtSyncThreadIdle || address == arch::kTtSyncMopIdle) && t >= 0) {
    check_sync_is_used(a, address);
    hart_waits_for_stores(h, true);
  }
  if (address == arch::kTtSyncThreadIdle && t >= 0) {
    drains(hart(h), t);
    return thread_is_idle(h);
  }
  if (is_config(address) || is_gpr(address)) return hart_waits_for_stores(h, false);
  if (is_semaphore(address) && t >= 0) return hart_loads_semaphore(a, (address - arch::kSemaphoreBase) / 4, value);
  if (const int own = mailbox_of(h); is_mailbox(address) && own >= 0) {
    if (address & arch::kMailboxQuery) return;
    return take_entry(hart(h),
                      mailboxes_[(address - arch::kMailboxBase) / arch::kMailboxPageBytes][static_cast<size_t>(own)]);
  }
  if (address == arch::kPcBufOfTrisc && t >= 0) return take_entry(hart(h), pc_bufs_[static_cast<size_t>(t)]);
  if (h == 0 && is_pc_buf(address)) {
    const int of = static_cast<int>((address - arch::kPcBufBase) / kPcBufBytes);
    const SnapshotPtr clock = hart(kTrisc0 + of).release();
    hart(h).acquire([&](Clock& c) { c.join(clock); });
    drains(hart(h), of);
  }
}

// Edge: mailbox.
void TileChecker::take_entry(AgentClock& reader, Entries& fifo) {
  if (fifo.empty()) return;
  const SnapshotPtr clock = std::move(fifo.front());
  fifo.pop_front();
  reader.acquire([&](Clock& c) { c.join(clock); });
}

void TileChecker::put_entry(AgentClock& writer, Entries& fifo, size_t depth) {
  fifo.push_back(writer.release());
  if (fifo.size() > depth) fifo.pop_front();  // a reset has emptied it
}

// Everything that the thread was given is over. Edge: drain.
void TileChecker::drains(AgentClock& reader, int t) {
  ThreadClock& of = thread(t);
  for (const ThreadClock::Gate& gate : std::exchange(of.gates, {})) pass(t, gate);
  const SnapshotPtr clock = of.clock.snapshot();
  reader.acquire([&](Clock& c) {
    c.join(clock);
    for (int l = 0; l < kLanes; ++l) c.raise(component::lane(t, static_cast<Lane>(l)), of.issue);
  });
}

void TileChecker::hart_loads_counter(const Actor& a, int noc, int counter, uint32_t value) {
  if (const std::optional<size_t> n = ReceivedRequests::index_of(counter)) {  // edge: receiver-counter
    ReceivedRequests& received = received_[static_cast<size_t>(noc)][*n];
    return take_history(a, hart(hart_index(a.agent)), received.history(place_, directory_, value), ~0u);
  }
  NiuCounters& niu = nius_[static_cast<size_t>(noc)];
  const std::optional<uint32_t> last = niu.final_value(counter);
  if (!last) return;
  const auto ahead = static_cast<int32_t>(value - *last);
  if (ahead > 0 && counter < arch::niu::kMstReqsOutstandingId) niu.resynchronise(counter, value);
  const LoadUse use = code_.use_of_load(a.pc);
  OutstandingIds& ids = ids_[static_cast<size_t>(noc)];
  const bool counts_id = counter >= arch::niu::kMstReqsOutstandingId && counter < arch::niu::kMstReqsOutstandingId + 16;
  if (counts_id && !use.waits) ids.at_most(counter - arch::niu::kMstReqsOutstandingId, value);
  if (!use.decides) return;
  const int h = hart_index(a.agent);
  const auto shared = SharedCounters::of_index(counter);
  uint32_t demanded = value;
  if (use.waits) {
    const auto registers = view_.registers[static_cast<size_t>(h)];
    const auto leaves = [&](uint32_t v) {
      return code_.leaves(a.pc, v, registers, [&](uint32_t at, uint32_t n) { return peek(h, at, n); });
    };
    const std::optional<bool> left = leaves(value);
    if (left == false) {
      if (value == niu.final_value(counter) && counter < arch::niu::kMstReqsOutstandingId) {
        const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
        const Stamp* const request = shared ? shared_.last_request(noc, *shared, h) : nullptr;
        found(Rule::NocCount, request, "request", by, "barrier",
              {.space = Space::Counter, .tile = view_.tile, .address = static_cast<uint64_t>(counter), .bytes = 4},
              "a barrier waits for more than the requests issued will give");
      }
      return;
    }
    if (left == true && shared && counts_alone(h)) {
      if (shared_.is_equality(noc, *shared, h, a.pc, [&] { return leaves(value + 1) == false; }))
        check_wait(a, noc, *shared);
    }
    if (counts_id)
      ids.at_most(counter - arch::niu::kMstReqsOutstandingId,
                  left == true ? OutstandingIds::most_that_leaves(value, leaves) : value);
    // The least that would have been enough. Counters wrap; nobody waits for more than half of their range.
    if (left == true && !use.lives && counter < arch::niu::kMstReqsOutstandingId && leaves(value - 1) == true) {
      uint32_t enough = 1, too_far = 2;
      while (too_far < 0x4000'0000 && leaves(value - too_far) == true) {
        enough = too_far;
        too_far *= 2;
      }
      while (too_far - enough > 1) {
        const uint32_t middle = enough + (too_far - enough) / 2;
        (leaves(value - middle) == true ? enough : too_far) = middle;
      }
      demanded = value - enough;
    }
  }
  if (shared && demanded == niu.final_value(counter)) ids.none();
  hart(h).acquire([&](Clock& c) { niu.acquire(c, counter, demanded); });
  waits_[static_cast<size_t>(h)] = Wait{.noc = noc, .counter = counter, .cycle = a.cycle, .pc = a.pc, .word = a.word};
}

// Edge: stream-register.
void TileChecker::take_history(const Actor& a, AgentClock& reader, const ValueHistory& history, uint32_t mask) {
  const LoadUse& use = code_.use_of_load(a.pc);
  if (!use.decides) return;
  const int h = hart_index(a.agent);
  const auto leaves = [&](uint32_t v) {
    return code_.leaves(a.pc, v & mask, view_.registers[static_cast<size_t>(h)],
                        [&](uint32_t at, uint32_t n) { return peek(h, at, n); });
  };
  if (use.waits && leaves(history.value()) == false) return;
  reader.acquire([&](Clock& c) { use.waits && !use.lives ? history.acquire(c, leaves) : history.acquire(c); });
}

void TileChecker::hart_stores_register(const Actor& a, uint32_t address, uint32_t value) {
  const int h = hart_index(a.agent);
  AgentClock& by = hart(h);
  if (is_niu(address)) {
    const int noc = static_cast<int>((address - arch::kNiuBase) / arch::kNiuStride);
    return command_buffer_stored(a, noc, (address - arch::kNiuBase) % arch::kNiuStride, value);
  }
  if (is_stream(address)) {
    by.stores();
    return stream_stored(a, address, value, by.event(), by.release(), View(by.clock()));
  }
  const int t = h - kTrisc0;
  if (address - arch::kDstWindowBase < kDstWindowBytes) return coprocessor_.dst.forget();  // not told by row
  if (is_config(address) && !is_trigger(address))
    return hart_stores_config(a, (address - arch::kConfigBase) / 4, value);
  if (is_gpr(address)) return hart_stores_gpr(a, address);
  if (address - arch::kMopConfigBase < 4 * arch::kMopConfigWords)
    return hart_stores_mop_word(a, (address - arch::kMopConfigBase) / 4, value);
  if (is_semaphore(address) && t >= 0) return hart_stores_semaphore(a, (address - arch::kSemaphoreBase) / 4, value);
  if (const int own = mailbox_of(h); is_mailbox(address) && own >= 0) {
    const uint32_t to = (address - arch::kMailboxBase) / arch::kMailboxPageBytes;
    return put_entry(by, mailboxes_[static_cast<size_t>(own)][to], arch::kMailboxDepth);
  }
  if (h == 0 && is_pc_buf(address)) {
    return put_entry(by, pc_bufs_[(address - arch::kPcBufBase) / kPcBufBytes], arch::kPcBufDepth);
  }
  if (address == arch::kSoftReset0) {  // edge: soft-reset
    forget_fetches_of_held(value);
    const SnapshotPtr clock = by.release();
    for (AgentClock& other : harts_) {
      if (&other != &by) other.acquire([&](Clock& c) { c.join(clock); });
    }
    return;
  }
  if (address == arch::kIcInvalidateAll) {
    code_.forget();
    for (size_t other = 0; other < harts_.size(); ++other)
      if (value >> arch::kIcInvalidateBit[other] & 1) fetched_.forget(other);
    if (h == 0 && !kernels_[0].runs) begin_launch(a.cycle);
  }
}

void TileChecker::stream_stored(const Actor& a, uint32_t address, uint32_t value, const Event& event,
                                const SnapshotPtr& clock, const View& view) {
  const uint32_t reg = register_of(address);
  const uint32_t counter = arch::stream_address(static_cast<int>(stream_of(address)), arch::stream::kSpaceAvailable);
  if (reg == arch::stream::kSpaceAvailableUpdate) {
    ValueHistory& sum = registers_.try_emplace(counter, place_).first->second;
    const uint32_t amount = value >> arch::kStreamIncrementShift & arch::kStreamCounterMask;
    sum.note({(sum.value() + amount) & arch::kStreamCounterMask, event, clock, true, {}});
    return;
  }
  ValueHistory& history = registers_.try_emplace(address, place_).first->second;
  const uint32_t before = history.value();
  history.note({value & arch::kStreamCounterMask, event, clock, false, {}});
  if (reg == arch::stream::kRemoteDestBufSize) {
    registers_.try_emplace(counter, place_)
        .first->second.note({value & arch::kStreamCounterMask, event, clock, false, {}});
  }
  const int buffer = static_cast<int>(stream_of(address)) - static_cast<int>(arch::kFwB.first_cb_stream);
  if (buffer < 0 || buffer >= kBuffers) return;
  const Stamp by = stamp_of(a, event.place, event.component, event.number);
  if (!buffers_[buffer].used) return check_buffer_index(by, reg, buffer, event);
  if (reg == arch::stream::kRemoteDestBufSize) check_pages(true, by, view, buffer, before, value);
  if (reg == arch::stream::kRemoteDestBufStart) check_pages(false, by, view, buffer, before, value);
}

}  // namespace kerr::check
