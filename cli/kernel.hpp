// kerr kernel show: the instruction streams that a program is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "jobs/matmul.hpp"

namespace kerr::cli {

struct KernelRequest {
  std::string what;               // "matmul" or an expression
  std::vector<std::string> sizes;   // M N K
  std::vector<std::string> shapes;  // as for 'kerr eval'
  arch::Board board = arch::kP100a;
  std::string stream;  // only streams whose name contains this
  kernels::Format format = kernels::Format::Bf16;
  jobs::Planner planner = jobs::Planner::Default;
  bool json = false;
};

/// Runs nothing. Throws std::invalid_argument.
int kernel_command(const KernelRequest& request);

}  // namespace kerr::cli
