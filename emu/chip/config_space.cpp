#include "emu/chip/config_space.hpp"

#include "arch/pcie.hpp"

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

constexpr uint32_t kMemory64Bit = 0x4;
constexpr uint32_t kCacheLineRegister = 0x0C;
constexpr uint32_t kTimerControl = 0x930;
constexpr uint32_t kTimerTarget = 0x934;
constexpr uint32_t kTimerFire = 0x11;  // enable, force pending

}  // namespace

ConfigSpace::ConfigSpace(int chip) {
  const uint64_t shift = static_cast<uint64_t>(chip) << pcie::kChipAddressShift;
  bars_ = {{{pcie::kBar0Base + shift, pcie::kBar0Bytes},
            {pcie::kBar2Base + shift, pcie::kBar2Bytes},
            {pcie::kBar4Base + shift, pcie::kBar4Bytes}}};
}

uint32_t ConfigSpace::read(uint32_t offset) const {
  if (offset >= pcie::kConfigBar0 && offset < pcie::kConfigBar0 + 8 * bars_.size()) {
    const BarRegister& bar = bars_[(offset - pcie::kConfigBar0) / 8];
    return offset % 8 == 0 ? static_cast<uint32_t>(bar.base) | kMemory64Bit : static_cast<uint32_t>(bar.base >> 32);
  }
  switch (offset) {
    case pcie::kConfigVendorDevice: return pcie::kVendorId | (uint32_t{pcie::kDeviceId} << 16);
    case pcie::kConfigCommandStatus: return command_;
    case pcie::kConfigClassRevision: return pcie::kClassRevision;
    case kCacheLineRegister: return cache_line_;
    case pcie::kConfigInterrupt: return interrupt_line_;
    default: return 0;
  }
}

bool ConfigSpace::write(uint32_t offset, uint32_t value) {
  if (offset >= pcie::kConfigBar0 && offset < pcie::kConfigBar0 + 8 * bars_.size()) {
    BarRegister& bar = bars_[(offset - pcie::kConfigBar0) / 8];
    const uint64_t half = offset % 8 == 0 ? 0xFFFF'FFFFu : 0xFFFF'FFFF'0000'0000u;
    const uint64_t written = offset % 8 == 0 ? value : uint64_t{value} << 32;
    bar.base = ((bar.base & ~half) | written) & ~(bar.bytes - 1);
    return false;
  }
  switch (offset) {
    case pcie::kConfigCommandStatus: command_ = value & 0xFFFF; break;
    case kCacheLineRegister: cache_line_ = value & 0xFFFF; break;
    case pcie::kConfigInterrupt: interrupt_line_ = value & 0xFF; break;
    case kTimerTarget: timer_target_ = value; break;
    case kTimerControl: return (value & kTimerFire) == kTimerFire && timer_target_ == 1;
    default: break;
  }
  return false;
}

}  // namespace kerr::emu
