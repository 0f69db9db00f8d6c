// The arithmetic of instructions that C++ has no operator for. All of it is total: no operand is undefined.
// docs/hardware/tile.md 1.2
#pragma once

#include <cstdint>

namespace kerr::emu::arithmetic {

constexpr int32_t s(uint32_t value) { return static_cast<int32_t>(value); }
constexpr uint32_t u(int32_t value) { return static_cast<uint32_t>(value); }

constexpr uint32_t mulh(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<int64_t>(s(a)) * s(b)) >> 32);
}
constexpr uint32_t mulhsu(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((static_cast<int64_t>(s(a)) * static_cast<int64_t>(b)) >> 32);
}
constexpr uint32_t mulhu(uint32_t a, uint32_t b) { return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32); }

constexpr bool overflows(uint32_t a, uint32_t b) { return a == 0x80000000u && b == 0xFFFFFFFFu; }
constexpr uint32_t div(uint32_t a, uint32_t b) { return b == 0 ? ~0u : overflows(a, b) ? a : u(s(a) / s(b)); }
constexpr uint32_t rem(uint32_t a, uint32_t b) { return b == 0 ? a : overflows(a, b) ? 0 : u(s(a) % s(b)); }
constexpr uint32_t divu(uint32_t a, uint32_t b) { return b == 0 ? ~0u : a / b; }
constexpr uint32_t remu(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }

constexpr uint32_t rev8(uint32_t a) { return __builtin_bswap32(a); }
constexpr uint32_t brev8(uint32_t a) {
  a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
  return (a & 0x0F0F0F0Fu) << 4 | (a >> 4 & 0x0F0F0F0Fu);
}
constexpr uint32_t orc_b(uint32_t a) {
  uint32_t out = 0;
  for (int byte = 0; byte < 32; byte += 8) out |= (a >> byte & 0xFF) != 0 ? 0xFFu << byte : 0;
  return out;
}

}  // namespace kerr::emu::arithmetic
