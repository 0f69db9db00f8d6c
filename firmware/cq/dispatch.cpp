// The dispatcher of a queue that is not split: it writes to the host itself.   docs/hardware/fast-dispatch.md 11
#include "firmware/cq/completion_queue.hpp"
#include "firmware/cq/dispatch_units.hpp"

namespace kerr::firmware {
namespace {

CompletionQueue<g_writer> g_completions;

struct Host {
  static void init(uint32_t) { g_completions.init<Report>(); }
  static uint32_t write_host(uint32_t command) {
    return firmware::write_host<Report>(command, g_reader, g_completions);
  }
  static uint32_t write_linear_h(uint32_t command) {
    return write_linear<Report>(command, g_reader, g_writer, write_offset);
  }
  static void exec_buf_end(uint32_t) {}
  static void finish(uint32_t) {}
};

}  // namespace
}  // namespace kerr::firmware

#include "firmware/cq/dispatcher.hpp"
