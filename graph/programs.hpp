// A stage of a graph as a program for the device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "graph/stages.hpp"
#include "host/program/program.hpp"
#include "kernels/format.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::graph {

struct Target {
  arch::FirmwareLayout layout;
  std::span<const arch::NocCoord> workers;
  kernels::Format format = kernels::Format::Bf16;  // of all matrices
  kernels::MatmulOptions matmul;
};

/// A matrix as a program wants it in DRAM.
struct TileGrid {
  std::uint32_t rows = 0, columns = 0;      // tiles
  float padding = 0;                        // what lies outside the matrix
  std::optional<kernels::Format> format{};  // if it is not the target's
};

/// What a stage needs and makes, and its program once it is known where those lie.
struct StagePlan {
  std::string what;  // "matmul 512x1024 @ 1024x768"
  std::uint32_t cores = 0;
  std::vector<TileGrid> inputs;  // by operand of the stage
  TileGrid output;
};
StagePlan plan(const Graph& graph, const Stage& stage, const Target& target);

/// DRAM addresses of the inputs and of the output, multiples of 64. Throws std::invalid_argument or std::length_error with a sentence for
/// what cannot run.
host::Program program(const Graph& graph, const Stage& stage, const Target& target,
                      const std::vector<std::uint32_t>& inputs, std::uint32_t output);

/// The operands of a stage, in the order of StagePlan::inputs.
std::vector<Operand> operands(const Stage& stage);
Graph::Node result(const Stage& stage);

}  // namespace kerr::graph
