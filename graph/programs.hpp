// A stage of a graph as a program for the device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "graph/stages.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

struct Target {
  arch::FirmwareLayout layout;
  std::span<const arch::NocCoord> workers;
  kernels::MatmulOptions matmul;  // the formats are the stage's
};

/// A matrix as a program wants it in DRAM: so many tiles, perhaps what lies outside the matrix in them, and perhaps the
/// matrix made as large as this by repeating its row, its column or its element.
struct Laid {
  TileGrid grid;
  std::optional<double> padding{};
  std::optional<Shape> repeated{};
};

/// What a stage needs and makes, and its program once it is known where those lie.
struct StagePlan {
  std::string what;  // "matmul 512x1024 @ 1024x768"
  uint32_t cores = 0;
  std::vector<Laid> inputs;  // by operand of the stage
  TileGrid output;
};
StagePlan plan(const Graph& graph, const Stage& stage, const Target& target);

/// DRAM addresses of the inputs and of the output, multiples of 64. Throws std::invalid_argument or std::length_error
/// with a sentence for what cannot run.
host::Program program(const Graph& graph, const Stage& stage, const Target& target, const std::vector<uint32_t>& inputs,
                      uint32_t output);

/// The operands of a stage, in the order of StagePlan::inputs.
std::vector<Operand> operands(const Stage& stage);
Place result(const Stage& stage);

/// The same matrix, repeated until it is `to` large, of which both are laid out without tiles beside the matrix.
host::Program repeat_program(Format format, Shape from, Shape to, const Target& target, uint32_t input,
                             uint32_t output);

/// Moves a matrix of `shape` from one grid of tiles to another, and fills in `to.padding`, if there is one. Of block
/// formats only whole tiles can be filled, and with 0. Throws std::invalid_argument.
host::Program relayout_program(Format format, Shape shape, TileGrid from, const Laid& to, const Target& target,
                               uint32_t input, uint32_t output);

}  // namespace kerr::graph
