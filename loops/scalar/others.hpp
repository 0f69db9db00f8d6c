// Code of the same program for other facts, and programs ready to be launched again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "host/runtime/program/program.hpp"
#include "loops/scalar/compile.hpp"

namespace kerr::loops::scalar {

/// A program of the host that runs a code on some cores.
struct Prepared {
  uint32_t harts = 0;
  std::vector<arch::NocCoord> workers;  // of the chip that it was made for
  host::Program program;
  host::Program::KernelId kernels[2] = {};  // BRISC, NCRISC
  uint32_t kernel_count = 0;
};

struct Code::Others {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Code>> codes;
  std::vector<std::unique_ptr<Prepared>> idle;  // the one used last stands last
};

}  // namespace kerr::loops::scalar
