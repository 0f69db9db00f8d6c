// A 64-bit hash of state, for comparing two runs: not cryptographic, the same on every host.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace kerr::emu {

/// Mixes `value` into `hash`; the order of calls matters.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t x = (hash ^ value) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 29);
}

inline std::uint64_t mix_bytes(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = mix(hash, word);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, bytes.data() + at, bytes.size() - at);
  return mix(hash, tail ^ (std::uint64_t{bytes.size()} << 56));
}

}  // namespace kerr::emu
