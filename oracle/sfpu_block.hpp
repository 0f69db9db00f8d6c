// A few vector instructions on eight registers, some lanes disabled: the unit of comparison between a library with
// the C ABI and our vector unit.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "oracle/device.hpp"

namespace kerr::oracle {

struct SfpuBlock {
  static constexpr unsigned kFp32 = 16;  ///< `format`: the vector unit's own FP32 switch
  std::vector<uint32_t> words;           ///< they leave the flag stack, LaneConfig and LReg 11..14 as they found them
  unsigned format = 5;                   ///< what mode 0 of SFPLOAD and SFPSTORE looks at
  uint32_t seed = 0;                     ///< of the registers, the flags and the random numbers
};

/// LReg 0..6 before, 32 lanes each, then 32 flags (0 or 1) of which F is made. Edges are over-represented.
std::array<uint32_t, 8 * 32> inputs(const SfpuBlock& block);

/// The instructions as assembly.
std::string describe(const SfpuBlock& block);
void randomise(SfpuBlock& block, std::mt19937& random);

/// LReg 0..6 and F afterwards, in the form of inputs().
std::vector<uint32_t> run_on_device(Device& device, const SfpuBlock& block);
std::vector<uint32_t> run_on_host(const SfpuBlock& block);

/// Each vector instruction in each mode that the reference simulator accepts.
std::vector<SfpuBlock> comparable_sfpu_blocks();

}  // namespace kerr::oracle
