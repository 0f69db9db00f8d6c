#include "emu/server/iatu.hpp"

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

constexpr uint64_t join(uint32_t high, uint32_t low) { return (uint64_t{high} << 32) | low; }

}  // namespace

uint32_t Iatu::read(uint32_t offset) const {
  const uint32_t in_region = offset % pcie::kIatuRegionStride;
  const auto& region = (in_region & pcie::kIatuInbound ? inbound_ : outbound_)[offset / pcie::kIatuRegionStride];
  const uint32_t word = in_region % pcie::kIatuInbound / 4;
  return word < kWords ? region.words[word] : 0;
}

void Iatu::write(uint32_t offset, uint32_t value) {
  const uint32_t in_region = offset % pcie::kIatuRegionStride;
  auto& region = (in_region & pcie::kIatuInbound ? inbound_ : outbound_)[offset / pcie::kIatuRegionStride];
  const uint32_t word = in_region % pcie::kIatuInbound / 4;
  if (word < kWords) region.words[word] = value;
}

// Not validated when written: drivers enable a region first and fill it afterwards.
std::optional<uint64_t> Iatu::translate(uint64_t offset, uint64_t bytes) const {
  std::optional<uint64_t> found;
  for (const Region& region : outbound_) {
    const auto word = [&](uint32_t at) { return region.words[at / 4]; };
    if (!(word(pcie::kIatuCtrl2) & pcie::kIatuCtrl2Enable)) continue;
    const bool large = word(pcie::kIatuCtrl1) & pcie::kIatuCtrl1IncreaseRegionSize;
    const uint64_t base = join(word(pcie::kIatuUpperBase), word(pcie::kIatuLowerBase));
    const uint64_t limit =
        join(word(large ? pcie::kIatuUpperLimit : pcie::kIatuUpperBase), word(pcie::kIatuLowerLimit));
    if (offset < base || offset > limit || bytes - 1 > limit - offset) continue;
    if (found) return std::nullopt;
    found = join(word(pcie::kIatuUpperTarget), word(pcie::kIatuLowerTarget)) + (offset - base);
  }
  return found ? found : offset;
}

}  // namespace kerr::emu
