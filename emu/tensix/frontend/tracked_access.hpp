#pragma once

#include <cstdint>

namespace kerr::emu::tensix {

/// An access of a TRISC to what instructions of its own thread may touch too. See tt_sync.hpp.
struct TrackedAccess {
  enum class Kind : uint8_t { Config, Gpr, Tdma };
  Kind kind;
  bool store;
  uint32_t word = 0;  // of configuration: from the start of the window
};

}  // namespace kerr::emu::tensix
