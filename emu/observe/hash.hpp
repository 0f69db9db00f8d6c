// A 64-bit hash of state, for comparing two runs: not cryptographic, the same on every host.
#pragma once

#include <cstdint>
#include <span>

namespace kerr::emu {

/// Mixes `value` into `hash`; the order of calls matters.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value);
std::uint64_t mix_bytes(std::uint64_t hash, std::span<const std::uint8_t> bytes);

}  // namespace kerr::emu
