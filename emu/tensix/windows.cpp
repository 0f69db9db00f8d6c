#include "emu/tensix/windows.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "emu/tensix/config/window.hpp"
#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu::tensix {

namespace {

constexpr uint32_t kGprArrayBytes = 4 * arch::kGprsPerThread;

int gpr_thread(arch::Hart hart, uint32_t offset) {
  return thread_of(hart) >= 0 ? thread_of(hart) : static_cast<int>(offset / kGprArrayBytes);
}

}  // namespace

Access Windows::load_gpr(arch::Hart hart, uint32_t offset, uint32_t& value) {
  const int thread = gpr_thread(hart, offset);
  if (thread >= kThreads) return no_such_gpr(offset);
  value = coprocessor_.state.gpr.read(thread, offset / 4);
  return Access::Done;
}

Access Windows::store_gpr(arch::Hart hart, uint32_t offset, uint32_t value) {
  const int thread = gpr_thread(hart, offset);
  if (thread >= kThreads) return no_such_gpr(offset);
  coprocessor_.state.gpr.write(thread, offset / 4, value);
  return Access::Done;
}

Access Windows::no_such_gpr(uint32_t offset) {
  return reporter_.fault(
      FaultCategory::Unsupported, arch::kGprBase + offset,
      fmt::format("BRISC's view of the GPR window holds three arrays of 0x100 bytes; {:#x} lies behind them", offset));
}

Access Windows::store_mop_config(int thread, uint32_t offset, uint32_t value) {
  if (offset >= 4 * arch::kMopConfigWords) {
    return reporter_.fault(
        FaultCategory::UndefinedBehavior, arch::kMopConfigBase + offset,
        fmt::format("store to {:#010x}: the MOP configuration has nine words", arch::kMopConfigBase + offset));
  }
  coprocessor_.threads[thread].front.write_mop_config(offset / 4, value);
  return Access::Done;
}

Access Windows::load_config(uint32_t offset, uint32_t& value) {
  return config_window::read(coprocessor_.state.config, offset / 4, value) ? Access::Done : no_such_config(offset);
}

Access Windows::store_config(uint32_t offset, uint32_t value) {
  return config_window::write(coprocessor_.state.config, offset / 4, value) ? Access::Done : no_such_config(offset);
}

Access Windows::no_such_config(uint32_t offset) {
  return reporter_.fault(FaultCategory::OutOfBounds, arch::kConfigBase + offset,
                         fmt::format("there is no configuration at {:#010x}", arch::kConfigBase + offset),
                         fmt::format("The window ends at {:#010x}.", arch::kConfigBase + 4 * config_window::kEnd));
}

}  // namespace kerr::emu::tensix
