// The host side of a split dispatcher: completions and host writes that dispatch_d sends on. BRISC; host writes on
// NoC 0, credits on NoC 1.   docs/hardware/fast-dispatch.md 11.2, 21
#include "firmware/cq/completion_queue.hpp"
#include "firmware/cq/dispatch_units.hpp"

namespace kerr::firmware {
namespace {

CompletionQueue<g_writer> g_completions;

// Write offsets are dispatch_d's: none here.
uint32_t write_offset(uint32_t index) {
  Report::require(index < cq::kMaxWriteOffsets, CqError::TooManySubCommands, index);
  return 0;
}

uint32_t execute(uint32_t command, bool& done) {
  const uint32_t id = load<uint8_t>(command);
  switch (static_cast<DispatchId>(id)) {
    case DispatchId::WriteLinearH: return write_linear<Report>(command, g_reader, g_writer, write_offset);
    case DispatchId::WriteLinearHHost: return write_host<Report>(command, g_reader, g_completions);
    // The buffer is executed: prefetch_h gets back what it lent.
    case DispatchId::ExecBufEnd:
      g_atomics.add(KERR_CONFIG(prefetch_h_xy), cq::sem_address(kLayout, cq::kPrefetchDownstreamCbSem),
                    cq::kCmddatPages);
      break;
    case DispatchId::Terminate: done = true; break;
    default: Report::fail(CqError::UnknownId, id);
  }
  return command + cq::kCommandBytes;
}

void init(uint32_t own_xy) {
  check_queue<Report>(offsetof(cq::ConfigBlock, dispatch_h_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_base), cq::kDispatchCb, cq::kDispatchCbPages,
                cq::kDispatchCbLog2Page, cq::kDispatchCbBlocks);
  g_writer.init();
  g_atomics.init(own_xy);
  g_reader.init(KERR_CONFIG(dispatch_xy), cq::kDispatchDownstreamCbSem);
  g_completions.init<Report>();
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  uint32_t command = cq::kDispatchCb;
  for (bool done = false; !done;) {
    g_reader.wait_data(command);
    Report::begin_command(command);
    command = align_up(execute(command, done), cq::kPageBytes);
    Report::end_command();
  }
  g_reader.finish(command);
  g_writer.barrier();
  g_atomics.finish(own_xy);
}

}  // namespace kerr::firmware
