#include "emu/tensix/sfpu/lane_functions.hpp"

#include <bit>
#include <cmath>

namespace kerr::emu::tensix::lane {
namespace {

constexpr u32 kHalf = 0x3F32, kQuarter = 0x3FB2;  // from here on the result is divided by 2, by 4

// No entry lies closer than 0.001 to an integer: doubles are exact enough, on any host.
auto make_exponentials() {
  std::array<u32, kLastExponential - kFirstExponential + 1> table;
  for (u32 high = kFirstExponential; high <= kLastExponential; ++high) {
    const double e = std::exp(static_cast<double>(std::bit_cast<float>(high << 16)));
    const double scale = high < kHalf ? 1 : high < kQuarter ? 2 : 4;
    const u32 fraction = static_cast<u32>(std::floor(128 * (e / scale - 1)));
    table[high - kFirstExponential] = (high < kHalf ? 0x3F80 : 0x4000) | (high < kQuarter ? fraction : 128 + fraction);
  }
  return table;
}

}  // namespace

const std::array<u32, kLastExponential - kFirstExponential + 1> kExponentials = make_exponentials();

}  // namespace kerr::emu::tensix::lane
