#include "kernels/matmul/plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "host/runtime/chip.hpp"
#include "kernels/matmul/shape.hpp"

namespace kerr::kernels {

namespace {

constexpr uint32_t kMostKBlock = 8;  // more only costs L1: a block of 8 hides the latency of DRAM

uint32_t largest_divisor_up_to(uint32_t value, uint32_t limit) {
  uint32_t divisor = std::min(value, limit);
  while (value % divisor != 0) --divisor;
  return divisor;
}

// The tiles of one dimension cut into sub-blocks, and these dealt to at most `parts` parts of equal size, none of them
// empty.
struct Split {
  uint32_t parts, per_part;
  uint64_t padded() const { return uint64_t{parts} * per_part; }
};
Split split(uint32_t tiles, uint32_t sub, uint32_t parts) {
  const uint32_t blocks = divide_up(tiles, sub);
  const uint32_t per_part = divide_up(blocks, parts);
  return {divide_up(blocks, per_part), per_part * sub};
}

}  // namespace

using arch::DataFormat;

DataFormat packer_input(const MatmulOptions& o) {
  const auto refuse = [&](std::string_view why) {
    throw std::invalid_argument(
        fmt::format("a product of {} matrices cannot be written as {}: {}", info(o.in).name, info(o.out).name, why));
  };
  const bool integer_out = is_integer(o.out);
  if (is_integer(o.in) && !o.int8())
    throw std::invalid_argument(
        fmt::format("the matrix unit multiplies no {}: int8 is the integer format of operands", info(o.in).name));
  if (o.int8() && o.out != Format::Int32) refuse("sums of integers leave Dst as int32");
  if (!o.int8() && integer_out) refuse("floating-point sums do not leave Dst as integers");
  if (o.int8() && o.fidelity != Fidelity::HiFi4) {
    throw std::invalid_argument(
        "int8 operands have more bits than fewer than four phases multiply: use fidelity hifi4");
  }
  if (o.int8()) return DataFormat::Int32;
  if (o.dst32()) return o.out == Format::Bf16 ? DataFormat::Bf16 : DataFormat::Fp32;
  if (o.in == Format::Fp16) {
    if (o.out == Format::Bfp8 || o.out == Format::Bfp4)
      refuse("fp16 sums have too small an exponent; accumulate in fp32");
    return DataFormat::Fp16;
  }
  if (o.out == Format::Fp16) refuse("bf16 sums do not become fp16; accumulate in fp32");
  return DataFormat::Bf16;
}

uint64_t MatmulPlan::mvmuls() const {
  constexpr uint64_t kMvmulsPerTile = 16;
  return uint64_t{m_tiles} * n_tiles * k_tiles * kMvmulsPerTile * static_cast<uint64_t>(options.fidelity) * batch();
}

MatmulCores matmul_cores(const host::Chip& chip) { return {chip.workers(), arch::kL1Bytes - chip.layout().unreserved}; }

std::vector<arch::NocCoord> MatmulPlan::row_cores(uint32_t row) const {
  const auto first = placement.begin() + static_cast<ptrdiff_t>(row * grid_columns);
  return {first, first + grid_columns};
}

std::vector<arch::NocCoord> MatmulPlan::column_cores(uint32_t column) const {
  std::vector<arch::NocCoord> out;
  for (uint32_t row = 0; row < grid_rows; ++row) out.push_back(placement[size_t{row} * grid_columns + column]);
  return out;
}

std::string MatmulPlan::text() const {
  return fmt::format(
      "{}{}{} x {} cores, {} x {} tiles each, in sub-blocks of {} x {}, K in blocks of {} tiles; executed {} x {} x {} "
      "(M N K)",
      multicast() ? "multicast, " : "", groups == 1 ? "" : fmt::format("{} times ", groups), grid_rows, grid_columns,
      core_rows, core_columns, sub_rows, sub_columns, k_block, executed_m(), executed_n(), executed_k());
}

MatmulPlan plan_matmul_direct(const ProductShape& shape, uint32_t cores, MatmulOptions options) {
  check_shape(shape);
  check_batch(options);
  packer_input(options);
  if (cores == 0) throw std::invalid_argument("a matmul needs at least one core");
  const uint32_t mt = tiles(shape.m), nt = tiles(shape.n);
  const uint32_t dst = dst_tiles(options);

  using Cost = std::tuple<uint64_t, uint64_t, uint64_t, uint32_t>;
  std::optional<Cost> least;
  MatmulPlan best;
  // A batch goes round as many grids as there are cores for, or fewer, larger ones.
  for (uint32_t groups = 1; groups <= std::min(options.batch, cores); ++groups) {
    const uint32_t grid = cores / groups;
    // The row of A is the operand that stays in SrcB, so a sub-block is at least as wide as it is high (kernels.md
    // 3.5).
    for (uint32_t h = 1; h * h <= dst; ++h) {
      for (uint32_t w = h; h * w <= dst; ++w) {
        for (uint32_t rows = 1; rows <= std::min(grid, divide_up(mt, h)); ++rows) {
          const Split down = split(mt, h, rows);
          const Split across = split(nt, w, grid / rows);
          const uint64_t per_core = uint64_t{down.per_part} * across.per_part * divide_up(options.batch, groups);
          const uint64_t reads = per_core / (h * w) * (h + w);
          const Cost cost{per_core, down.padded() * across.padded(), reads, groups * down.parts * across.parts};
          if (least && *least <= cost) continue;
          least = cost;
          best = on_grid(shape, options, {down.parts, across.parts}, {down.per_part, across.per_part}, {h, w});
          best.k_block = largest_divisor_up_to(best.k_tiles, kMostKBlock);
          best.groups = groups;
        }
      }
    }
  }
  return best;
}

}  // namespace kerr::kernels
