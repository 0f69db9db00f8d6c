// One bank of SrcA, one of SrcB and 64 rows of Dst, and a matrix unit instruction applied eight times over them:
// the unit of comparison between a library with the C ABI and our arithmetic.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emu/math/fpu_mode.hpp"
#include "oracle/device.hpp"

namespace kerr::oracle {

enum class FpuOp : uint8_t { Mvmul, Gapool, Elwmul, Elwadd, Elwsub };

/// Step n = 0..7 works on Dst rows 8n..8n+7, SrcB rows 8n.. and SrcA rows 16n.. (MVMUL, GAPOOL; modulo 64) or 8n..
/// (ELW*). GAPOOL writes the first four of its eight rows.
struct FpuBlock {
  FpuOp op = FpuOp::Mvmul;
  emu::math::FpuMode mode;
  unsigned broadcast = 0;             ///< instr_mod19 of ELW*: bit 0 column, bit 1 row
  bool accumulate = true;             ///< dest_accum_en of ELWADD, ELWSUB
  std::vector<emu::math::Cell> a, b;  ///< 64 rows of 16 cells, as the format's unpacking leaves them
  std::vector<uint32_t> dst;          ///< 64 rows of 16: IEEE order; 16-bit values for a 16-bit Dst, exponents not 0
};

/// "MVMUL phase 2, SrcA BF16, SrcB BF16, FP32 Dst"
std::string describe(const FpuBlock& block);

/// Fills the operands with numbers of the kinds that have gone wrong before: any bits, close exponents, sparse,
/// extreme.
void randomise(FpuBlock& block, std::mt19937& random);

/// Dst afterwards, in the form of FpuBlock::dst.
std::vector<uint32_t> run_on_device(Device& device, const FpuBlock& block);
std::vector<uint32_t> run_on_host(const FpuBlock& block);

}  // namespace kerr::oracle
