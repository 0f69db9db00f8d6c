#include "kernels/stream/effects.hpp"

#include <algorithm>

namespace kerr::kernels {

void EffectSum::add(bool gives_it, uint64_t count, const std::string& who) {
  (gives_it ? gives : takes) += count;
  std::string& names = gives_it ? givers : takers;
  if (names.find(who) == std::string::npos) names += (names.empty() ? "" : ", ") + who;
}

std::vector<arch::NocCoord> tiles_of(uint32_t packed) {
  const arch::NocCoord end = arch::NocCoord::unpack(packed);
  const arch::NocCoord start = packed >> 12 == 0 ? end : arch::NocCoord::unpack(packed >> 12);
  std::vector<arch::NocCoord> all;
  for (uint8_t y = std::min(start.y, end.y); y <= std::max(start.y, end.y); ++y) {
    for (uint8_t x = std::min(start.x, end.x); x <= std::max(start.x, end.x); ++x) all.push_back({x, y});
  }
  return all;
}

}  // namespace kerr::kernels
