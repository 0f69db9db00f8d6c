#include "emu/tile/pic.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "arch/tile_registers.hpp"

namespace kerr::emu {

namespace {

constexpr uint64_t kHardwareEnables = (1u << Pic::kHardware) - 1;

bool in_family(uint32_t address, uint32_t base, uint32_t count) { return address - base < 4 * count; }

}  // namespace

// The enables of whom, and from which bit on; nullptr: the register is another one.
uint64_t* Pic::enables_of(uint32_t address, unsigned& shift) {
  shift = address == arch::kPicBriscHwIntEn || address == arch::kPicNcriscHwIntEn ? kSoftware : 0;
  switch (address) {
    case arch::kPicBriscSwIntEn:
    case arch::kPicBriscHwIntEn: return &enabled_[0];
    case arch::kPicNcriscSwIntEn:
    case arch::kPicNcriscHwIntEn: return &enabled_[1];
    default: return nullptr;
  }
}

Access Pic::load(uint32_t address, uint32_t& value) {
  value = 0;
  unsigned shift = 0;
  if (const uint64_t* const enables = enables_of(address, shift)) {
    value = static_cast<uint32_t>(shift ? *enables >> shift : *enables);
  } else if (address == arch::kPicBriscIntNo || address == arch::kPicNcriscIntNo) {
    value = numbers_[address == arch::kPicNcriscIntNo];
  } else if (in_family(address, arch::kPicSwInt, kSoftware)) {
    uint32_t& slot = software_[(address - arch::kPicSwInt) / 4];
    if (slot != 0) board_.about_to_change(wait::kDebugRegisters);
    value = std::exchange(slot, 0);
  } else if (in_family(address, arch::kPicHwInt, kHardware)) {
    const unsigned interrupt = (address - arch::kPicHwInt) / 4;
    value = raised_ >> interrupt & 1;
    raised_ &= ~(1u << interrupt);
  } else if (in_family(address, arch::kPicSwIntPc, kSoftware + kHardware)) {
    value = handlers_[(address - arch::kPicSwIntPc) / 4];
  }
  return Access::Done;
}

Access Pic::store(uint32_t address, uint32_t value) {
  board_.about_to_change(wait::kDebugRegisters);
  unsigned shift = 0;
  if (uint64_t* const enables = enables_of(address, shift)) {
    const arch::Hart hart = enables == &enabled_[0] ? arch::Hart::Brisc : arch::Hart::Ncrisc;
    if (value != 0 && !enabled(hart) && host_.may_be_ahead(hart)) {
      return reporter_.fault(
          FaultCategory::Unsupported, address,
          fmt::format("store of {:#x} to {} ({:#x}) by somebody else: in exact timing the hart may be ahead of it",
                      value, arch::find_tile_register(address)->name, address),
          "Let the hart enable its first interrupt itself, or enable it before the hart leaves reset.");
    }
    const uint64_t field = shift ? kHardwareEnables << shift : 0xFFFF'FFFFu;
    *enables = (*enables & ~field) | (uint64_t{value} << shift & field);
  }
  if (in_family(address, arch::kPicSwInt, kSoftware)) software_[(address - arch::kPicSwInt) / 4] = value;
  if (in_family(address, arch::kPicSwIntPc, kSoftware + kHardware))
    handlers_[(address - arch::kPicSwIntPc) / 4] = value;
  host_.interrupts_changed();
  return Access::Done;
}

void Pic::raise_hardware(unsigned interrupt) {
  raised_ |= 1u << interrupt;
  host_.interrupts_changed();
}

WaitMask Pic::watch_of(uint32_t address) const {
  const bool enables = address == arch::kPicBriscSwIntEn || address == arch::kPicBriscHwIntEn ||
                       address == arch::kPicNcriscSwIntEn || address == arch::kPicNcriscHwIntEn;
  return enables || in_family(address, arch::kPicSwIntPc, kSoftware + kHardware) ? wait::kDebugRegisters : 0;
}

uint64_t Pic::raised_for(arch::Hart hart) const {
  uint64_t raised = uint64_t{raised_} << kSoftware;
  for (unsigned i = 0; i < kSoftware; ++i) raised |= uint64_t{software_[i] != 0} << i;
  return raised & enabled_[side(hart)];
}

uint32_t Pic::next_handler(arch::Hart hart) {
  uint32_t& number = numbers_[side(hart)];
  const uint64_t raised = raised_for(hart);
  const uint64_t behind = raised & ~((uint64_t{2} << number) - 1);
  number = static_cast<uint32_t>(std::countr_zero(behind ? behind : raised));
  return handlers_[number];
}

}  // namespace kerr::emu
