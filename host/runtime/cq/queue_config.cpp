#include "host/runtime/cq/queue_config.hpp"

#include <algorithm>

#include "firmware/firmware.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

uint32_t multicast_address(const Rectangle& r, int noc) {
  const arch::NocCoord start = noc == 0 ? r.first : r.last;
  const arch::NocCoord end = noc == 0 ? r.last : r.first;
  return start.packed() << 12 | end.packed();
}

wire::ConfigBlock queue_config(const QueueSetup& setup) {
  const auto base = static_cast<uint32_t>(setup.region_address);
  const wire::HostRegion& region = setup.region;
  wire::ConfigBlock config;
  config.region_base_lo = base;
  config.region_base_hi = static_cast<uint32_t>(setup.region_address >> 32);
  config.issue_base = base + region.issue_offset();
  config.issue_bytes = region.issue_bytes;
  config.completion_base = base + region.completion_offset();
  config.completion_bytes = region.completion_bytes;
  config.timestamp_base = base + region.timestamp_offset();
  config.timestamp_slots = region.timestamp_slots;
  config.core_timing_base = base + region.core_timing_offset();
  config.core_timing_slots = region.core_timing_slots;
  config.prefetch_xy = setup.pair.prefetch.packed();
  config.dispatch_xy = setup.pair.dispatch.packed();
  if (setup.host_side) {
    config.prefetch_h_xy = setup.host_side->prefetch.packed();
    config.dispatch_h_xy = setup.host_side->dispatch.packed();
  }
  config.worker_count = static_cast<uint32_t>(setup.workers.size());
  const firmware::BuildId build = firmware::build_id();
  std::copy(build.begin(), build.end(), config.expected_build_id);
  config.dispatch_s_enabled = setup.subordinate ? 1 : 0;
  config.dram_banks = static_cast<uint32_t>(arch::good_dram_banks(setup.harvesting));
  for (uint32_t bank = 0; bank < config.dram_banks; ++bank) {
    config.dram_xy[bank] = arch::dram_bank_tile_for_noc(setup.harvesting, static_cast<int>(bank), 0).packed();
  }
  const auto columns = arch::translated_columns(setup.harvesting);
  config.l1_columns = columns.size();
  std::copy(columns.begin(), columns.end(), config.l1_column_x);
  const std::vector<Rectangle> rectangles = cover(setup.workers, Gap::IsSpanned);
  if (rectangles.size() <= wire::kMaxGoRectangles) {  // else no command may ask for them
    config.go_rectangle_count = static_cast<uint32_t>(rectangles.size());
    for (size_t i = 0; i < rectangles.size(); ++i) {
      config.go_rectangles[i] = {multicast_address(rectangles[i], 0), rectangles[i].tiles()};
    }
  }
  return config;
}

}  // namespace kerr::host::cq
