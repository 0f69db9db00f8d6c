// A tile's way from L1 through an unpacker, Dst and the packer back to L1: compares conversions.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emu/math/pack_convert.hpp"
#include "emu/math/unpack_convert.hpp"
#include "oracle/device.hpp"

namespace kerr::oracle {

struct ConvertBlock {
  emu::math::UnpackFormat unpack;
  bool to_dst = false;  ///< straight to Dst; otherwise to SrcA and by MOVA2D (no flushing) to Dst
  emu::math::PackFormat pack;
  bool accumulate = false;      ///< Pack_L1_Acc
  std::vector<uint8_t> input;   ///< 64 shared exponents if the input format has them, then 1024 datums
  std::vector<uint8_t> before;  ///< what lies at the output before; of the output's size
};

std::string describe(const ConvertBlock& block);
void randomise(ConvertBlock& block, std::mt19937& random);

/// The packed tile: 64 shared exponents if the output format has them, then 1024 datums.
std::vector<uint8_t> run_on_device(Device& device, const ConvertBlock& block);
std::vector<uint8_t> run_on_host(const ConvertBlock& block);

/// Blocks without data: every conversion that the reference simulator accepts, in every ReLU mode.
std::vector<ConvertBlock> comparable_conversions();

}  // namespace kerr::oracle
