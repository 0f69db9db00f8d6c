#include "emu/tensix/math/src_bank.hpp"

#include <algorithm>
#include <bit>

#include "emu/tensix/math/multiply.hpp"

namespace kerr::emu::math {
namespace {

// 2^n, for n of the normal range.
float power_of_two(int n) { return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23); }

// See dot_product_simd.cpp for the use of this factor: it turns the host's ties-to-even into ties away from zero.
constexpr float kTieBreaker = 1.0f + 0x1p-15f;

}  // namespace

const SrcPlanes::Block& SrcBank::planes(Side side, Format format, bool wide_exponent, unsigned block) {
  const std::uint8_t key =
      static_cast<std::uint8_t>(code_of(format) | (wide_exponent ? 0x10 : 0) | (side == Side::A ? 0x20 : 0));
  if (key != key_) valid_ = 0;
  key_ = key;
  SrcPlanes::Block& p = planes_.block[block];
  if (valid_ >> block & 1) return p;
  valid_ |= static_cast<std::uint8_t>(1u << block);

  FpuMode mode;
  if (!wide_exponent) mode.src_a = Format::Fp16;
  const int rebias = wide_exponent ? 0 : 127 - 15;
  p.largest = SrcPlanes::kEmpty;
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < kColumns; ++c) {
      const Cell cell = operand(cells[16 * block + r][c], format, mode);
      if (cell_exponent(cell) == 0) {
        p.exponent[r][c] = SrcPlanes::kEmpty;
        p.slice[0][r][c] = p.slice[1][r][c] = 0;
        continue;
      }
      const int e = static_cast<int>(cell_exponent(cell)) + rebias;
      p.exponent[r][c] = static_cast<std::int16_t>(e);
      p.largest = std::max(p.largest, p.exponent[r][c]);
      // Exponents near the top do not fit with a slice of several bits; the dot product looks at `largest` and takes
      // another way then.
      const float scale = power_of_two(std::min(e, 247) - 127) * (cell_negative(cell) ? -1.0f : 1.0f);
      for (unsigned low = 0; low < 2; ++low)
        p.slice[low][r][c] = side == Side::A
                                 ? static_cast<float>(slice_a(cell, low)) * kTieBreaker * scale
                                 : static_cast<float>(slice_b(cell, 2 * low)) * scale;
    }
  }
  return p;
}

}  // namespace kerr::emu::math
