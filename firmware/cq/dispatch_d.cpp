// The dispatcher of a split queue: what concerns the host goes on to dispatch_h.   docs/hardware/fast-dispatch.md 21
#include "firmware/cq/dispatch_units.hpp"
#include "firmware/cq/page_writer.hpp"

namespace kerr::firmware {
namespace {

constexpr uint32_t kDownstreamTransactionId = 3;

NocAtomics<0, kAtomicBuffer, kDownstreamTransactionId> g_downstream_atomics;
PageWriter<g_writer, g_downstream_atomics,
           PageBuffer{cq::kDispatchCb, cq::kDispatchCbPages, cq::kDispatchCbLog2Page, cq::kDispatchDownstreamCbSem,
                      cq::kDispatchCbSem}>
    g_dispatch_h;

// A command for dispatch_h, `length` bytes with its header.
uint32_t to_host_side(uint32_t command, uint64_t length) {
  uint32_t source = command;
  while (length != 0) {
    const uint32_t arrived = g_reader.wait_data(source);
    const uint32_t n = min(length < arrived ? static_cast<uint32_t>(length) : arrived, cq::kMaxInlineBytes / 4);
    length -= n;
    g_dispatch_h.append(source, n, length == 0);
    source += n;
  }
  return source;
}

struct Host {
  static void init(uint32_t own_xy) {
    g_downstream_atomics.init(own_xy);
    g_dispatch_h.init(KERR_CONFIG(dispatch_h_xy));
  }
  static uint32_t write_host(uint32_t command) { return to_host_side(command, host_write_length<Report>(command)); }
  static uint32_t write_linear_h(uint32_t command) {
    return to_host_side(command, sizeof(cq::WriteLinear) + load64(command + offsetof(cq::WriteLinear, length)));
  }
  static void exec_buf_end(uint32_t command) { to_host_side(command, cq::kCommandBytes); }
  // Tells dispatch_h to end too.
  static void finish(uint32_t own_xy) {
    static constexpr cq::BareCommand kEnd = {static_cast<uint8_t>(DispatchId::Terminate), {}};
    for (uint32_t i = 0; i < sizeof kEnd; i += 4) store(kGoSlot + i, load(reinterpret_cast<uint32_t>(&kEnd) + i));
    drain_store(kGoSlot);
    g_dispatch_h.append(kGoSlot, sizeof kEnd, true);
    g_dispatch_h.wait_all_returned();
    g_downstream_atomics.finish(own_xy);
  }
};

}  // namespace
}  // namespace kerr::firmware

#include "firmware/cq/dispatcher.hpp"
