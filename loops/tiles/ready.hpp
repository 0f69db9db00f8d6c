// Device programs of element-wise plans that wait for the next launch.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "loops/tiles/elementwise.hpp"

namespace kerr::loops::tiles {

/// A program for so many of these workers, of operands that lie so.
struct ReadyProgram {
  uint32_t cores;
  std::vector<arch::NocCoord> workers;
  std::vector<kernels::FlatOperand> operands;
  bool shifted;
  host::Program program;
};

/// Whoever launches takes one out and brings it back.
struct FlatPlan::Ready {
  std::mutex mutex;
  std::vector<std::unique_ptr<ReadyProgram>> idle;
};

}  // namespace kerr::loops::tiles
