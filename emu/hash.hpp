// A 64-bit hash of state, for comparing two runs: not cryptographic, the same on every host.
#pragma once

#include <cstdint>
#include <span>

namespace kerr::emu {

/// Mixes `value` into `hash`; the order of calls matters.
uint64_t mix(uint64_t hash, uint64_t value);
uint64_t mix_bytes(uint64_t hash, std::span<const uint8_t> bytes);

}  // namespace kerr::emu
