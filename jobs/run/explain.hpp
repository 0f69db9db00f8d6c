// What a run would consist of: its parts at the places that they would have, and what is known of them before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "arch/memory_map.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/program/program.hpp"
#include "image/image.hpp"
#include "jobs/run/run.hpp"
#include "jobs/run/words.hpp"

namespace kerr::jobs {

struct RunPlan {
  struct Argument {
    Word said;           // as the job says it
    uint32_t value = 0;  // what the kernel gets
  };
  struct Arguments {
    std::vector<arch::NocCoord> cores;
    std::vector<Argument> words;
  };
  struct Part {
    uint32_t address = 0, bytes = 0;  // of L1; bare: perhaps of local memory
  };
  /// Cores on which the same code lies at the same place.
  struct Place {
    std::vector<arch::NocCoord> cores;
    std::vector<Part> parts;
    uint32_t entry = 0;
  };
  struct Kernel {
    std::string name;
    arch::Hart hart = arch::Hart::Brisc;
    std::optional<uint8_t> noc;   // that it was compiled for, or is given
    std::vector<Place> places;    // one, but for kernels that have different neighbours
    std::vector<Arguments> args;  // cores that are given the same
    std::vector<Argument> common_args;
    std::vector<image::Use> uses;  // what it says of itself; the program has all of it
  };
  struct CircularBuffer {
    host::CircularBuffer config;
    uint32_t address = 0;  // L1 of every core
  };
  struct Semaphore {
    uint32_t address = 0, initial = 0;
  };
  struct Buffer {
    std::string name;
    host::Memory memory = host::Memory::L1;
    uint64_t address = 0, bytes = 0;                            // of DRAM the same address in every bank
    uint32_t pages = 0, page_bytes = 0, stride = 0, banks = 0;  // of DRAM: page p in bank p % banks
    uint64_t data_bytes = 0;                                    // that the job puts there
  };
  /// A load or a dump. Registers have no address.
  struct Access {
    PlacedData what;
    uint64_t address = 0, bytes = 0;
    std::vector<arch::NocCoord> cores;  // none: DRAM
  };

  std::string board;
  bool bare = false;
  std::vector<arch::NocCoord> cores{};  // all of them, sorted
  std::vector<Kernel> kernels{};        // as all lists, in the order of the job
  std::vector<CircularBuffer> circular_buffers{};
  std::vector<Semaphore> semaphores{};
  std::vector<Buffer> buffers{};
  std::vector<Access> loads{}, dumps{};
};

/// What run() would run on the job's device, of which only the firmware is started. Refuses what run() refuses before
/// the go signal.
RunPlan explain(const RunJob& job);

}  // namespace kerr::jobs
