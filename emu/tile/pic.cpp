#include "emu/tile/pic.hpp"

#include <fmt/format.h>

#include <utility>

#include "arch/tile_registers.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

bool in_family(std::uint32_t address, std::uint32_t base, std::uint32_t count) { return address - base < 4 * count; }
bool is_enable(std::uint32_t address) {
  return address == arch::kPicBriscSwIntEn || address == arch::kPicBriscHwIntEn || address == arch::kPicNcriscSwIntEn ||
         address == arch::kPicNcriscHwIntEn;
}

}  // namespace

Access Pic::load(std::uint32_t address, std::uint32_t& value) {
  value = 0;
  if (in_family(address, arch::kPicSwInt, 32)) {
    std::uint32_t& slot = software_[(address - arch::kPicSwInt) / 4];
    if (slot != 0) board_.about_to_change(wait::kDebugRegisters);
    value = std::exchange(slot, 0);
  } else if (in_family(address, arch::kPicSwIntPc, 36)) {
    value = handlers_[(address - arch::kPicSwIntPc) / 4];
  }  // enables, interrupt numbers and hardware interrupts read 0: none can be enabled or raised
  return Access::Done;
}

Access Pic::store(std::uint32_t address, std::uint32_t value) {
  board_.about_to_change(wait::kDebugRegisters);
  if (is_enable(address) && value != 0) {
    return reporter_.fault(
        FaultCategory::Unsupported, address,
        fmt::format("store of {:#x} to {}: Kerr does not deliver interrupts yet", value, register_name(address)),
        "Poll the SW_INT register instead.");
  }
  if (in_family(address, arch::kPicSwInt, 32)) software_[(address - arch::kPicSwInt) / 4] = value;
  if (in_family(address, arch::kPicSwIntPc, 36)) handlers_[(address - arch::kPicSwIntPc) / 4] = value;
  return Access::Done;
}

WaitMask Pic::watch_of(std::uint32_t address) const {
  return is_enable(address) || in_family(address, arch::kPicSwIntPc, 36) ? wait::kDebugRegisters : 0;
}

}  // namespace kerr::emu
