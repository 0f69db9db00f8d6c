#include "emu/server/iatu.hpp"

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

constexpr std::uint64_t join(std::uint32_t high, std::uint32_t low) { return (std::uint64_t{high} << 32) | low; }

}  // namespace

std::uint32_t Iatu::read(std::uint32_t offset) const {
  const std::uint32_t in_region = offset % pcie::kIatuRegionStride;
  const auto& region = (in_region & pcie::kIatuInbound ? inbound_ : outbound_)[offset / pcie::kIatuRegionStride];
  const std::uint32_t word = in_region % pcie::kIatuInbound / 4;
  return word < kWords ? region.words[word] : 0;
}

void Iatu::write(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t in_region = offset % pcie::kIatuRegionStride;
  auto& region = (in_region & pcie::kIatuInbound ? inbound_ : outbound_)[offset / pcie::kIatuRegionStride];
  const std::uint32_t word = in_region % pcie::kIatuInbound / 4;
  if (word < kWords) region.words[word] = value;
}

// Not validated when written: drivers enable a region first and fill it afterwards.
std::optional<std::uint64_t> Iatu::translate(std::uint64_t offset, std::uint64_t bytes) const {
  std::optional<std::uint64_t> found;
  for (const Region& region : outbound_) {
    const auto word = [&](std::uint32_t at) { return region.words[at / 4]; };
    if (!(word(pcie::kIatuCtrl2) & pcie::kIatuCtrl2Enable)) continue;
    const bool large = word(pcie::kIatuCtrl1) & pcie::kIatuCtrl1IncreaseRegionSize;
    const std::uint64_t base = join(word(pcie::kIatuUpperBase), word(pcie::kIatuLowerBase));
    const std::uint64_t limit =
        join(word(large ? pcie::kIatuUpperLimit : pcie::kIatuUpperBase), word(pcie::kIatuLowerLimit));
    if (offset < base || offset > limit || bytes - 1 > limit - offset) continue;
    if (found) return std::nullopt;
    found = join(word(pcie::kIatuUpperTarget), word(pcie::kIatuLowerTarget)) + (offset - base);
  }
  return found ? found : offset;
}

}  // namespace kerr::emu
