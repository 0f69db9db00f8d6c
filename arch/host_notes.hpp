// Notes of the host stack for whoever watches a device: names, regions, allocations, launches. No part of a device,
// which does the same without them.   docs/architecture.md "Observing"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arch/grid.hpp"
#include "arch/memory_map.hpp"

namespace kerr::image {
struct Image;
}

// Coordinates are translated. An `id` is another one for each allocation and launch of a chip, from 1 on. `chip`: of
// the machine; a device that is one chip of several fills it in before it hands the note on.
namespace kerr::arch::note {

/// Code in L1.
struct Code {
  std::string name;                           // of its image
  uint32_t address = 0, bytes = 0;            // where it lies
  std::shared_ptr<const image::Image> image;  // symbols and lines, for the addresses from image_address on; may be null
  uint32_t image_address = 0;                 // what of the image lies at `address`
};

/// Base firmware is about to be written.
struct Booted {
  std::vector<NocCoord> tiles;
  std::array<Code, kHarts> firmware;
  uint8_t chip = 0;
};

/// A buffer was given memory: `per_bank` bytes from `address` on in each of `banks`.
struct Allocated {
  enum class Space : uint8_t { Dram, L1 };
  uint64_t id = 0;
  Space space = Space::Dram;
  uint32_t address = 0;  // the same in every bank
  uint64_t per_bank = 0;
  uint64_t bytes = 0;            // of the buffer: whole pages
  uint32_t page_bytes = 0;       // bytes of a page that are its contents
  uint32_t stride = 0;           // from one page of a bank to the next
  uint32_t pages_per_shard = 0;  // 0: interleaved, page p lies in bank p % banks
  std::vector<NocCoord> banks;   // tiles; of DRAM one of a bank's three
  uint8_t chip = 0;
};

/// A buffer has a name from now on.
struct Named {
  uint64_t id = 0;
  std::string name;
  uint8_t chip = 0;
};

/// The last user of a buffer has let go of it.
struct Freed {
  uint64_t id = 0;
  uint8_t chip = 0;
};

/// A program is about to be started: nothing of this launch has been written to the device yet.
struct Launched {
  struct Kernel {
    Hart hart = Hart::Brisc;
    Code code;
    uint32_t args_address = 0, common_args_address = 0;
    std::vector<uint32_t> args_words;  // how many words each core of the group was given, in the order of `cores`
    uint32_t common_args_words = 0;
  };
  struct CircularBuffer {
    uint8_t id = 0;
    uint32_t address = 0, bytes = 0, pages = 0, page_bytes = 0;
  };
  struct Semaphore {
    uint32_t address = 0, initial = 0;
  };
  /// Cores that run the same kernels.
  struct Group {
    std::vector<NocCoord> cores;
    std::vector<uint32_t> slots;  // of each core: the entry of its launch ring that starts this launch
    std::vector<Kernel> kernels;
  };
  uint64_t id = 0;
  std::string program;
  std::vector<Group> groups;
  // The same on every core:
  uint32_t config_begin = 0, config_end = 0;  // arguments, semaphores, table of circular buffers, texts
  std::vector<CircularBuffer> circular_buffers;
  std::vector<Semaphore> semaphores;
  uint32_t l1_begin = 0, l1_end = 0;  // circular buffers and scratch memory
  uint8_t chip = 0;
};

/// The host knows that a launch has ended on all its cores.
struct Ended {
  uint64_t id = 0;
  uint8_t chip = 0;
};

using Note = std::variant<Booted, Allocated, Named, Freed, Launched, Ended>;

inline uint8_t chip_of(const Note& note) {
  return std::visit([](const auto& n) { return n.chip; }, note);
}

}  // namespace kerr::arch::note
