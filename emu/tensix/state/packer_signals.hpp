// What the packer tells others about the tiles that it packed.
// docs/hardware/tensix-datapath.md 12.8, 14.2; tile.md 3.5
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

/// Written by the packer; read by SETDMAREG and through the TDMA registers. Sizes count units of 16 bytes.
struct PackerSignals {
  std::array<uint16_t, kThreads> accumulated_size{};  // of the tiles packed for each thread since it was cleared
  uint16_t last_size = 0;
  int8_t last_thread = -1;  // whose tile last_size is of; -1: none yet
  uint32_t all_zero_flags = 0;
  uint16_t l1_offset = 0;  // added to the output address with Add_l1_dest_addr_offset

  std::array<uint8_t, 32> exponent_histogram{};  // saturates at 255
  uint8_t largest_exponent = 0;

  void serialize(Archive& a) {
    a(accumulated_size, last_size, last_thread, all_zero_flags, l1_offset, exponent_histogram, largest_exponent);
    a.require(last_thread >= -1 && last_thread < kThreads, "a tile was packed for a thread that does not exist");
  }
  void clear_accumulated() { accumulated_size = {}; }
  void clear_histogram() {
    exponent_histogram = {};
    largest_exponent = 0;
  }
  /// One datum's exponent; `count` is false while no thread's ENABLE_ACC_STATS is set.
  void note_exponent(uint8_t exponent, bool count) {
    uint8_t& bin = exponent_histogram[exponent & 31];
    if (count && bin != 255) ++bin;
    if (exponent > largest_exponent) largest_exponent = exponent;
  }
};

}  // namespace kerr::emu::tensix
