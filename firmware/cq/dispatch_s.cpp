// The dispatch subordinate: sends go signals while dispatch_d already writes the next program. NCRISC of the dispatch
// tile, NoC 1; never touches buffer 3, which is dispatch_d's.   docs/hardware/fast-dispatch.md 13, 14
#include "firmware/cq/config.hpp"
#include "firmware/cq/go_signal.hpp"
#include "firmware/cq/noc_writer.hpp"

namespace kerr::firmware {
namespace {

using Report = Reporter<offsetof(cq::ConfigBlock, dispatch_s_diagnostics)>;
using cq::DispatchId;

constexpr uint32_t kTransactionId = 2;
constexpr uint32_t kPageBytes = 1u << cq::kDispatchSCbLog2Page;
constexpr uint32_t kGoSlot = kLayout.inline_staging + 0x30;  // NCRISC, NoC 1

NocWriter<1> g_writer;
NocAtomics<1, kSmallWriteBuffer, kTransactionId> g_atomics;
GoTable<Report> g_go_table;
uint32_t g_sent[cq::kMaxWorkerSems];

// One go signal for each notification of dispatch_d: the program's data are in place then.
void send_go_signal(uint32_t command) {
  const GoSignal go(command);
  check_stream<Report>(go.stream, go.wait_count);
  const uint32_t i = go.stream - cq::kFirstStream;
  const uint32_t sync = cq::kDispatchSSyncSems + cq::kSemStride * i;
  while (reached(g_sent[i], load(sync))) fence();
  ++g_sent[i];
  send_go<Report, false>(go, g_go_table, g_writer, kGoSlot);  // the configured rectangles are in the order of NoC 0
}

void wait(uint32_t command) {
  const uint32_t flags = load<uint8_t>(command + offsetof(cq::Wait, flags));
  const uint32_t stream = load<uint16_t>(command + offsetof(cq::Wait, stream));
  const uint32_t count = load(command + offsetof(cq::Wait, count));
  Report::require(flags == (cq::kWaitStream | cq::kWaitClearStream), CqError::UnknownId, flags);
  check_stream<Report>(stream, count);
  wait_stream(stream, count);
  clear_stream(stream);
}

void execute(uint32_t command, uint32_t id, bool& done) {
  switch (static_cast<DispatchId>(id)) {
    case DispatchId::Wait: wait(command); break;
    case DispatchId::Terminate: done = true; break;
    case DispatchId::SendGoSignal: send_go_signal(command); break;
    // Says how many counters to forward to a dispatcher on another tile; here both are on one.
    case DispatchId::SetNumWorkerSems: check_worker_sems<Report>(command); break;
    case DispatchId::SetGoSignalNocData: g_go_table.set(command, kPageBytes); break;
    default: Report::fail(CqError::UnknownId, id);
  }
}

void init(uint32_t own_xy) {
  Report::check_host();
  Report::check(offsetof(cq::ConfigBlock, dispatch_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, dispatch_s_cb_base), cq::kDispatchSCb, cq::kDispatchSCbPages,
                cq::kDispatchSCbLog2Page);
  Report::check(offsetof(cq::ConfigBlock, first_stream), cq::kFirstStream);
  g_writer.init();
  g_atomics.init(own_xy);
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  const uint32_t pages = cq::sem_address(kLayout, cq::kDispatchSCbSem);
  const uint32_t prefetch_xy = KERR_CONFIG(prefetch_xy);
  uint32_t command = cq::kDispatchSCb;
  uint32_t taken = 0;
  for (bool done = false; !done;) {
    while (load(pages) == taken) fence();
    execute(command, Report::begin_command(command), done);
    Report::end_command();
    ++taken;
    command += kPageBytes;
    if (command == cq::kDispatchSCb + cq::kDispatchSCbBytes) command = cq::kDispatchSCb;
    g_atomics.add(prefetch_xy, cq::sem_address(kLayout, cq::kPrefetchDispatchSCbSem), 1);
  }
  g_writer.barrier();
  g_atomics.finish(own_xy);
}

}  // namespace kerr::firmware
