#include "oracle/fpu_modes.hpp"

namespace kerr::oracle {
namespace {

using emu::math::Format;

void add(std::vector<FpuBlock>& out, FpuOp op, Format a, Format b, bool fp32_dst, unsigned phase,
         unsigned broadcast = 0, bool accumulate = true, bool flush = true) {
  FpuBlock block;
  block.op = op;
  block.mode.src_a = a;
  block.mode.src_b = b;
  block.mode.fp32_dst = fp32_dst;
  block.mode.int8_math = a == Format::Int8;
  block.mode.flush_src = flush;
  block.mode.phase = static_cast<uint8_t>(phase);
  block.broadcast = broadcast;
  block.accumulate = accumulate;
  out.push_back(block);
}

}  // namespace

std::vector<FpuBlock> comparable_blocks() {
  std::vector<FpuBlock> out;
  const Format pairs[][2] = {{Format::Bf16, Format::Bf16},
                             {Format::Tf32, Format::Tf32},
                             {Format::Fp16, Format::Fp16},
                             {Format::Tf32, Format::Bf16}};
  for (const auto& [a, b] : pairs) {
    for (const bool fp32_dst : {false, true}) {
      for (unsigned phase = 0; phase < 4; ++phase) {
        add(out, FpuOp::Mvmul, a, b, fp32_dst, phase);
        add(out, FpuOp::Elwmul, a, b, fp32_dst, phase, phase);
        add(out, FpuOp::Elwmul, a, b, fp32_dst, phase, 0, false, false);
      }
      add(out, FpuOp::Gapool, a, b, fp32_dst, 0);
      for (const FpuOp op : {FpuOp::Elwadd, FpuOp::Elwsub}) {
        for (const bool accumulate : {false, true}) add(out, op, a, b, fp32_dst, 0, accumulate, accumulate);
        add(out, op, a, b, fp32_dst, 0, 2, true, false);
      }
    }
  }
  for (unsigned phase = 0; phase < 4; ++phase) {
    add(out, FpuOp::Mvmul, Format::Int8, Format::Int8, false, phase);
    add(out, FpuOp::Elwmul, Format::Int8, Format::Int8, false, phase, phase, false);
  }
  for (const FpuOp op : {FpuOp::Elwadd, FpuOp::Elwsub})
    for (const bool accumulate : {false, true}) add(out, op, Format::Int8, Format::Int8, false, 0, 0, accumulate);
  // ELWMUL has no choice; its bit must be 0.
  for (FpuBlock& block : out)
    if (block.op == FpuOp::Elwmul) block.accumulate = false;
  return out;
}

}  // namespace kerr::oracle
