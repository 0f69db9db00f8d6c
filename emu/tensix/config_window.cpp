// The window at FFEF0000 through which harts read and write configuration.   docs/hardware/tile.md 4.6
#include <fmt/format.h>

#include "emu/tensix/config/window.hpp"
#include "emu/tensix/parts.hpp"

namespace kerr::emu {
namespace {

void report_beyond(FaultLog& faults, TileId tile, Agent who, Cycle now, uint32_t offset) {
  Fault fault;
  fault.category = FaultCategory::OutOfBounds;
  fault.cycle = now;
  fault.tile = tile;
  fault.agent = who;
  fault.address = arch::kConfigBase + offset;
  fault.what = fmt::format("there is no configuration at {:#010x}", fault.address);
  fault.advice = fmt::format("The window ends at {:#010x}.", arch::kConfigBase + 4 * tensix::config_window::kEnd);
  faults.report(std::move(fault));
}

}  // namespace

Access Coprocessor::config_read(uint32_t offset, uint32_t& value, Agent who, Cycle now) {
  if (tensix::config_window::read(parts_->state.config, offset / 4, value)) return Access::Done;
  report_beyond(parts_->faults, parts_->tile, who, now, offset);
  return Access::Fault;
}

Access Coprocessor::config_write(uint32_t offset, uint32_t value, Agent who, Cycle now) {
  if (tensix::config_window::write(parts_->state.config, offset / 4, value)) return Access::Done;
  report_beyond(parts_->faults, parts_->tile, who, now, offset);
  return Access::Fault;
}

}  // namespace kerr::emu
