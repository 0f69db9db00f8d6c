// The prefetcher (HD): fetches records from pinned host memory and relays their payloads to the dispatch tile.
// BRISC of the prefetch tile, NoC 0.   docs/hardware/fast-dispatch.md 4.3, 6.3, 8.1, 9
#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

namespace kerr::firmware {
namespace {

using Report = Reporter<offsetof(cq::ConfigBlock, diagnostics)>;
using cq::PrefetchId;

constexpr int kNoc = 0;
constexpr uint32_t kTransactionId = 1;

NocWriter<kNoc> g_writer;
NocAtomics<kNoc, kAtomicBuffer, kTransactionId> g_atomics;

// One command buffer of the dispatch tile as its producer sees it. `free` pages = credit + the semaphore, both free
// running; the consumer adds to the semaphore, acquire() takes from the credit.
struct Downstream {
  uint32_t tile_xy;
  uint32_t base;
  uint32_t bytes;
  uint32_t log2_page;
  uint32_t pages;
  uint32_t credit_sem;  // here
  uint32_t page_sem;    // in the dispatch tile
  uint32_t credit;
  uint32_t write_ptr;

  void init(uint32_t xy, uint32_t base_, uint32_t pages_, uint32_t log2, uint32_t own_sem, uint32_t their_sem) {
    tile_xy = xy;
    base = base_;
    pages = pages_;
    log2_page = log2;
    bytes = pages_ << log2;
    credit_sem = cq::sem_address(kLayout, own_sem);
    page_sem = cq::sem_address(kLayout, their_sem);
    credit = 0;
    write_ptr = base_;
  }

  void acquire(uint32_t n) {
    while (static_cast<int32_t>(n - (credit + load(credit_sem))) > 0) fence();
    credit -= n;
  }

  // Copies `length` bytes from L1 `source` to whole pages of the consumer, then says so.
  void relay(uint32_t source, uint32_t length) {
    const uint32_t page = 1u << log2_page;
    const uint32_t n = (length + page - 1) >> log2_page;
    acquire(n);
    const Destination to = Destination::unicast(tile_xy);
    const uint32_t room = base + bytes - write_ptr;
    const uint32_t first = min(length, room);
    g_writer.write(to, write_ptr, source, first);
    if (length > first) g_writer.write(to, base, source + first, length - first);
    write_ptr += n << log2_page;
    if (write_ptr >= base + bytes) write_ptr -= bytes;
    // The source is free for the next record when the data have left; the count travels behind them on the same
    // virtual channel.
    g_writer.flush();
    g_atomics.add(tile_xy, page_sem, n);
  }

  // Until the consumer has returned every page.
  void wait_all_returned() const {
    while (credit + load(credit_sem) != pages) fence();
  }
};

// Records come through cmddat_q. One read may be under way while earlier bytes are executed.
struct Fetcher {
  uint32_t issue_base, issue_end;
  uint32_t host_mid;
  uint32_t entry;     // next prefetch_q entry to take up
  uint32_t host_ptr;  // next byte of the issue ring, low 32 bits
  uint32_t command;   // next byte to execute
  uint32_t fence_ptr;  // end of the bytes that have arrived
  uint32_t pending_bytes;
  uint32_t pending_entry;
  uint32_t reads;     // packets requested, counted as the NIU counts responses

  void init() {
    issue_base = KERR_CONFIG(issue_base);
    issue_end = issue_base + KERR_CONFIG(issue_bytes);
    host_mid = KERR_CONFIG(region_base_hi);
    entry = cq::kPrefetchQ;
    host_ptr = issue_base;
    command = fence_ptr = cq::kCmddatQ;
    pending_bytes = 0;
    reads = counter(kNoc, niu::kMstRdRespReceived);
  }

  // Starts reading the record of the next entry, if the entry is set and there is room.
  void start_read() {
    const uint32_t value = load<uint16_t>(entry);
    if (value == 0) return;
    // EXEC_BUF is not a command of this firmware, so no entry may ask for its stall.
    Report::require((value & cq::kPrefetchQStallFlag) == 0, CqError::kBadExecBuf, value);
    const uint32_t size = value << 4;
    Report::require(size % cq::kPcieAlign == 0 && size <= cq::kCmddatQBytes && size <= issue_end - issue_base,
                    CqError::kBadLength, size);
    if (fence_ptr + size > cq::kCmddatQ + cq::kCmddatQBytes) {
      if (command != fence_ptr) return;  // unread commands left: not yet
      command = fence_ptr = cq::kCmddatQ;
    }
    if (host_ptr + size > issue_end) host_ptr = issue_base;
    const CommandBuffer buffer(kNoc, kReadBuffer);
    for (uint32_t at = 0; at < size; at += niu::kMaxPacketBytes) {
      buffer.wait_accepted();
      buffer.set(niu::kTargAddrLo, host_ptr + at);
      buffer.set(niu::kTargAddrMid, host_mid);
      buffer.set(niu::kTargAddrHi, cq::kPcieNocXyAddr & 0xFFF);
      buffer.set(niu::kRetAddrLo, fence_ptr + at);
      buffer.set(niu::kAtLenBe, min(size - at, niu::kMaxPacketBytes));
      buffer.set(niu::kCtrl, niu::kCtrlWordRead);
      buffer.issue();
      ++reads;
    }
    host_ptr += size;
    pending_bytes = size;
    pending_entry = entry;
    entry += cq::kPrefetchQEntryBytes;
    if (entry == cq::kPrefetchQ + cq::kPrefetchQBytes) entry = cq::kPrefetchQ;
  }

  // Waits for the read under way, then frees its entry: a free entry means that its bytes are consumed (4.4).
  void complete_read() {
    while (counter(kNoc, niu::kMstRdRespReceived) != reads) fence();
    fence_ptr += pending_bytes;
    pending_bytes = 0;
    store<uint16_t>(pending_entry, 0);
    store(cq::kPrefetchQRdPtr, pending_entry);
    store(cq::kPrefetchQPcieRdPtr, host_ptr);
  }

  // Returns with at least one command between `command` and `fence_ptr`, and the next read started if possible.
  void fetch() {
    while (command == fence_ptr) {
      if (pending_bytes == 0) {
        while (load<uint16_t>(entry) == 0) fence();
        start_read();
      }
      complete_read();
    }
    if (pending_bytes == 0) start_read();
  }
};

Fetcher g_fetcher;
Downstream g_dispatch_d;
Downstream g_dispatch_s;
uint32_t g_stalls;

uint32_t checked_stride(uint32_t command) {
  const uint32_t stride = load(command + offsetof(cq::RelayInline, stride));
  const uint32_t fetched = g_fetcher.fence_ptr - command;
  Report::require(stride >= cq::kPcieAlign && stride % cq::kPcieAlign == 0 && stride <= fetched, CqError::kBadStride,
                  stride);
  return stride;
}

uint32_t relay_inline(uint32_t command) {
  const uint32_t stride = checked_stride(command);
  const uint32_t length = load(command + offsetof(cq::RelayInline, length));
  const uint32_t dispatcher = load<uint8_t>(command + offsetof(cq::RelayInline, dispatcher));
  Report::require(dispatcher <= static_cast<uint32_t>(cq::Dispatcher::kDispatchS), CqError::kUnknownId, dispatcher);
  const bool to_s = dispatcher == static_cast<uint32_t>(cq::Dispatcher::kDispatchS);
  Report::require(!to_s || KERR_CONFIG(dispatch_s_enabled) != 0, CqError::kUnknownId, dispatcher);
  // A dispatch_s command is a single page; 64 pages always come back to dispatch_d (8.3).
  const uint32_t limit = to_s ? 1u << cq::kDispatchSCbLog2Page : cq::kMaxInlineBytes;
  Report::require(length >= cq::kCommandBytes && length <= limit && length <= stride - cq::kCommandBytes,
                  CqError::kBadLength, length);
  (to_s ? g_dispatch_s : g_dispatch_d).relay(command + sizeof(cq::RelayInline), length);
  return stride;
}

// Waits until the dispatcher has executed as many WAITs with NOTIFY_PREFETCH as there were STALLs.
void stall() {
  const uint32_t sem = cq::sem_address(kLayout, cq::kPrefetchDownstreamSyncSem);
  ++g_stalls;
  while (!reached(load(sem), g_stalls)) fence();
  Report::require(load(sem) == g_stalls, CqError::kStallOvertaken, load(sem));
}

// Executes one command and returns its stride; 0 ends the loop.
uint32_t execute(uint32_t command) {
  Report::begin_command(command);
  const uint32_t id = load<uint8_t>(command);
  switch (static_cast<PrefetchId>(id)) {
    case PrefetchId::kRelayInline: return relay_inline(command);
    case PrefetchId::kStall: stall(); return cq::kPcieAlign;
    case PrefetchId::kTerminate: return 0;
    default: Report::fail(CqError::kUnknownId, id);
  }
}

void init(uint32_t own_xy) {
  Report::check_host();
  Report::check(offsetof(cq::ConfigBlock, region_base_hi), cq::kRegionBaseHi);
  Report::check(offsetof(cq::ConfigBlock, prefetch_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, prefetch_q_base), cq::kPrefetchQ);
  Report::check(offsetof(cq::ConfigBlock, prefetch_q_entries), cq::kPrefetchQEntries);
  Report::check(offsetof(cq::ConfigBlock, prefetch_q_entry_bytes), cq::kPrefetchQEntryBytes);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_base), cq::kDispatchCb);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_pages), cq::kDispatchCbPages);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_log2_page), cq::kDispatchCbLog2Page);
  Report::check(offsetof(cq::ConfigBlock, cmddat_q_base), cq::kCmddatQ);
  Report::check(offsetof(cq::ConfigBlock, cmddat_q_bytes), cq::kCmddatQBytes);
  const uint32_t dispatch_xy = KERR_CONFIG(dispatch_xy);
  g_writer.init();
  g_atomics.init(own_xy);
  g_fetcher.init();
  g_dispatch_d.init(dispatch_xy, cq::kDispatchCb, cq::kDispatchCbPages, cq::kDispatchCbLog2Page,
                    cq::kPrefetchDownstreamCbSem, cq::kDispatchCbSem);
  g_dispatch_s.init(dispatch_xy, cq::kDispatchSCb, cq::kDispatchSCbPages, cq::kDispatchSCbLog2Page,
                    cq::kPrefetchDispatchSCbSem, cq::kDispatchSCbSem);
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  for (;;) {
    g_fetcher.fetch();
    const uint32_t stride = execute(g_fetcher.command);
    Report::end_command();
    if (stride == 0) break;
    g_fetcher.command += stride;
    Report::require(g_fetcher.command <= g_fetcher.fence_ptr, CqError::kBadStride, stride);
  }
  g_dispatch_d.wait_all_returned();
  g_dispatch_s.wait_all_returned();
  g_writer.barrier();
  g_atomics.finish();
}

}  // namespace kerr::firmware
