// The prefetcher of a queue that is not split: its records come from host memory.
// docs/hardware/fast-dispatch.md 4
#include "firmware/cq/issue_fetcher.hpp"
#include "firmware/cq/prefetch_units.hpp"

namespace kerr::firmware {
namespace {

IssueFetcher<Report, g_reader> g_source;

}  // namespace
}  // namespace kerr::firmware

#include "firmware/cq/prefetcher.hpp"
