// The arithmetic of instructions that C++ has no operator for. All of it is total: no operand is undefined.
// docs/hardware/tile.md 1.2
#pragma once

#include <cstdint>

namespace kerr::emu::arithmetic {

constexpr std::int32_t s(std::uint32_t value) { return static_cast<std::int32_t>(value); }
constexpr std::uint32_t u(std::int32_t value) { return static_cast<std::uint32_t>(value); }

constexpr std::uint32_t mulh(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::int64_t>(s(a)) * s(b)) >> 32);
}
constexpr std::uint32_t mulhsu(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::int64_t>(s(a)) * static_cast<std::int64_t>(b)) >> 32);
}
constexpr std::uint32_t mulhu(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

constexpr bool overflows(std::uint32_t a, std::uint32_t b) { return a == 0x80000000u && b == 0xFFFFFFFFu; }
constexpr std::uint32_t div(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? ~0u : overflows(a, b) ? a : u(s(a) / s(b));
}
constexpr std::uint32_t rem(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? a : overflows(a, b) ? 0 : u(s(a) % s(b));
}
constexpr std::uint32_t divu(std::uint32_t a, std::uint32_t b) { return b == 0 ? ~0u : a / b; }
constexpr std::uint32_t remu(std::uint32_t a, std::uint32_t b) { return b == 0 ? a : a % b; }

constexpr std::uint32_t rev8(std::uint32_t a) { return __builtin_bswap32(a); }
constexpr std::uint32_t brev8(std::uint32_t a) {
  a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
  return (a & 0x0F0F0F0Fu) << 4 | (a >> 4 & 0x0F0F0F0Fu);
}
constexpr std::uint32_t orc_b(std::uint32_t a) {
  std::uint32_t out = 0;
  for (int byte = 0; byte < 32; byte += 8) out |= (a >> byte & 0xFF) != 0 ? 0xFFu << byte : 0;
  return out;
}

}  // namespace kerr::emu::arithmetic
