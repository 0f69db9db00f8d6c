// Registers that a process has beside those of every RISC-V hart: a TRISC its coprocessor thread's, other harts those
// of their tile's NIUs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "debug/target.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::debug {

struct OwnRegister {
  /// As target.xml has them. `bits`: a multiple of 32.
  std::string name, type;
  uint32_t bits = 32;
  /// Fills bits / 32 words, the lowest first. `hart`: whose register it is.
  std::function<void(emu::Tile&, arch::Hart hart, std::span<uint32_t> out)> get;
  /// Gives why it cannot be set to that, or nothing and has set it. None: it is looked at only, as `read_only` says.
  std::function<std::string(emu::Tile&, arch::Hart hart, std::span<const uint32_t> words)> set = nullptr;
  std::string_view read_only = "it is looked at only";
};

/// In the order of target_description(set).
std::span<const OwnRegister> own_registers(RegisterSet set);
std::vector<OwnRegister> tensix_registers();
std::vector<OwnRegister> noc_registers();

}  // namespace kerr::debug
