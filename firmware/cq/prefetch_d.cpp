// The prefetcher of a split queue: its records come from prefetch_h.   docs/hardware/fast-dispatch.md 21
#include "firmware/cq/prefetch_units.hpp"
#include "firmware/cq/upstream_fetcher.hpp"

namespace kerr::firmware {
namespace {

UpstreamFetcher<Report, g_writer, g_atomics, g_dispatch_d> g_source;

}  // namespace
}  // namespace kerr::firmware

#include "firmware/cq/prefetcher.hpp"
