// The host side of a split prefetcher: fetches entries like the whole one and sends them on as they are. BRISC, NoC 0.
// docs/hardware/fast-dispatch.md 21
#include "firmware/cq/config.hpp"
#include "firmware/cq/issue_fetcher.hpp"
#include "firmware/cq/linear_pieces.hpp"
#include "firmware/cq/noc_reader.hpp"
#include "firmware/cq/noc_writer.hpp"
#include "firmware/cq/page_writer.hpp"

namespace kerr::firmware {
namespace {

using Report = Reporter<offsetof(cq::ConfigBlock, diagnostics)>;
using cq::PrefetchId;

constexpr int kNoc = 0;
constexpr uint32_t kTransactionId = 1;
// scratch_db: one header, and behind it the data that RELAY_LINEAR_H reads.
constexpr uint32_t kHeader = cq::kScratchDb;
constexpr uint32_t kData = cq::kScratchDb + sizeof(cq::SplitHeader);
constexpr uint32_t kDataBytes = 64 * 1024;

NocReader<kNoc> g_reader;
NocWriter<kNoc> g_writer;
NocAtomics<kNoc, kAtomicBuffer, kTransactionId> g_atomics;
PageWriter<g_writer, g_atomics,
           PageBuffer{cq::kCmddatQ, cq::kCmddatPages, 12, cq::kPrefetchDownstreamCbSem, cq::kPrefetchUpstreamCbSem}>
    g_downstream;
IssueFetcher<Report, g_reader> g_source;

void send_header(uint32_t length, uint32_t raw, uint32_t extra, uint32_t more, uint32_t stall, bool last) {
  g_writer.flush();  // the header before this one
  store(kHeader, length);
  store(kHeader + 4, raw | extra << 8 | more << 16 | stall << 24);
  drain_store(kHeader + 4);
  g_downstream.append(kHeader, sizeof(cq::SplitHeader), last);
}
static_assert(offsetof(cq::SplitHeader, raw_copy) == 4 && offsetof(cq::SplitHeader, stall) == 7);

// One record, contiguous in the other tile's ring.
void send(uint32_t source, uint32_t length, bool raw, bool more, bool stall) {
  const uint32_t pages = (length + sizeof(cq::SplitHeader) + cq::kPageBytes - 1) / cq::kPageBytes;
  Report::require(pages < cq::kCmddatPages, CqError::BadLength, length);
  const uint32_t rest = g_downstream.pages_to_end();
  if (pages > rest) {  // fill up to the end of the ring
    send_header(0, 0, rest - 1, 0, 0, true);
    if (rest > 1) g_downstream.skip(rest - 1);
  }
  send_header(length, raw, 0, more, stall, false);
  g_downstream.append(source, length, true);
  g_writer.flush();
}

// Data of this side's memory, into a payload that is open on the other side.
void relay_linear_h(uint32_t command) {
  const uint32_t xy = load(command + offsetof(cq::RelayLinearH, noc_xy_addr));
  uint32_t address = load(command + offsetof(cq::RelayLinearH, addr));
  const uint32_t high = load(command + offsetof(cq::RelayLinearH, addr) + 4);
  uint32_t left = load(command + offsetof(cq::RelayLinearH, length));
  Report::require(address % cq::kPcieAlign == 0, CqError::Misaligned, address);
  Report::require(left != 0 && address + left >= address, CqError::BadLength, left);
  while (left != 0) {
    const uint32_t n = min(left, kDataBytes);
    g_reader.read(xy, high | address_mid(xy), address, kData, n);
    g_reader.barrier();
    left -= n;
    address += n;
    send(kData, n, true, left != 0, false);
  }
}

void relay_linear_packed_h(uint32_t command, uint32_t length) {
  LinearPieces<Report> pieces(command, length, kDataBytes);
  while (!pieces.done()) {
    const uint32_t n = pieces.read(g_reader, kData, kDataBytes);
    g_reader.barrier();
    send(kData, n, true, !pieces.done(), false);
  }
}

// Sends one entry on; returns whether it was the last one.
bool relay_entry() {
  const uint32_t command = g_source.command;
  const uint32_t length = g_source.end - command;
  const uint32_t id = Report::begin_command(command);
  if (id == static_cast<uint32_t>(PrefetchId::RelayLinearH)) {
    relay_linear_h(command);
  } else if (id == static_cast<uint32_t>(PrefetchId::RelayLinearPackedH)) {
    relay_linear_packed_h(command, length);
  } else {
    send(command, length, false, false, g_source.stalled);
    // EXEC_BUF fills the other side's ring: nothing may come before dispatch_h gives these back.
    if (g_source.stalled) g_downstream.lend(cq::kCmddatPages);
  }
  g_source.command = g_source.end;
  g_source.stalled = false;
  Report::end_command();
  return id == static_cast<uint32_t>(PrefetchId::Terminate);
}

void init(uint32_t own_xy) {
  check_queue<Report>(offsetof(cq::ConfigBlock, prefetch_h_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, prefetch_q_base), cq::kPrefetchQ, cq::kPrefetchQEntries,
                cq::kPrefetchQEntryBytes);
  Report::check(offsetof(cq::ConfigBlock, cmddat_q_base), cq::kCmddatQ, cq::kCmddatQBytes);
  g_reader.init();
  g_writer.init();
  g_atomics.init(own_xy);
  g_source.init();
  g_downstream.init(KERR_CONFIG(prefetch_xy));
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  do g_source.fetch();
  while (!relay_entry());
  g_downstream.wait_all_returned();
  g_writer.barrier();
  g_atomics.finish(own_xy);
}

}  // namespace kerr::firmware
