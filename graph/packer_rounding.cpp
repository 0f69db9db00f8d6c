#include "graph/packer_rounding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kerr::graph {

void round_as_packed(std::span<double, 16> numbers, kernels::Format format) {
  const int kept = format == kernels::Format::Bfp4 ? 3 : 7;  // bits of a magnitude
  std::array<uint32_t, 16> bits{};                           // BF16
  uint32_t shared = 0;
  for (size_t i = 0; i < 16; ++i) {
    bits[i] = std::bit_cast<uint32_t>(static_cast<float>(numbers[i])) >> 16;
    shared = std::max(shared, bits[i] >> 7 & 0xFF);
  }
  for (size_t i = 0; i < 16; ++i) {
    const uint32_t exponent = bits[i] >> 7 & 0xFF, shift = shared - exponent;
    uint32_t magnitude = (bits[i] & 0x7F) | (exponent != 0 ? 0x80 : 0);
    magnitude = shift >= 8 ? 0 : std::min((magnitude + (1u << shift)) >> (shift + 1), 127u);
    magnitude >>= 7 - kept;
    const double value = std::ldexp(magnitude, static_cast<int>(shared) - 126 - kept);
    numbers[i] = bits[i] >> 15 != 0 ? -value : value;
  }
}

}  // namespace kerr::graph
