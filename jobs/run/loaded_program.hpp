// The program of a job on a chip whose firmware runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/runtime/chip.hpp"
#include "jobs/run/memory.hpp"
#include "jobs/run/run.hpp"
#include "jobs/run/ways.hpp"

namespace kerr::jobs {

class LoadedProgram {
 public:
  /// Finds room for everything, and puts everything but the loads onto the chip. `job` and `chip` must outlive it.
  /// Throws std::invalid_argument with a sentence, host::DeviceError.
  LoadedProgram(const RunJob& job, host::Chip& chip);

  RunMemory& memory() { return *memory_; }
  const std::vector<arch::NocCoord>& cores() const { return cores_; }
  /// All code, sorted by core and hart.
  const std::vector<RunCode>& code() const { return code_; }

  /// Returns when all kernels have. Throws host::DeviceError: also Timeout, after so many cycles.
  void run(uint64_t cycles);

 private:
  void add_buffers();
  void add_kernels();
  void place_code();

  const RunJob& job_;
  host::Chip& chip_;
  host::Program program_;
  const std::vector<arch::NocCoord> cores_;
  std::optional<RunMemory> memory_;
  std::vector<host::Buffer> buffers_;
  std::vector<RunCode> code_;
};

}  // namespace kerr::jobs
