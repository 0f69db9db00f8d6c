// What the host stack says of its doings to whoever watches a device: names, regions, allocations, launches. No part of
// a device, which does the same without them.   docs/architecture.md "Observing"
#pragma once

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

namespace kerr::arch::note {

/// A buffer was given memory: `per_bank` bytes from `address` on in each of `banks`.
struct Allocated {
  enum class Space : uint8_t { Dram, L1 };
  uint64_t id = 0;  // of this allocation, in this process: what Freed names
  Space space = Space::Dram;
  uint32_t address = 0;  // the same in every bank
  uint64_t per_bank = 0;
  uint64_t bytes = 0;            // of the buffer: whole pages
  uint32_t page_bytes = 0;       // bytes of a page that are its contents
  uint32_t stride = 0;           // from one page of a bank to the next
  uint32_t pages_per_shard = 0;  // 0: interleaved, page p lies in bank p % banks
  std::vector<NocCoord> banks;   // tiles, translated; of DRAM one tile for each bank
  std::string name;              // "buffer 3" unless somebody named it
};

/// Its last user has let go of it.
struct Freed {
  uint64_t id = 0;
};

/// A program is about to be started: nothing of this launch has been written to the device yet.
struct Launched {
  struct Kernel {
    Hart hart = Hart::Brisc;
    std::string name;                           // of its image
    uint32_t text_address = 0;                  // where its first byte lies
    std::shared_ptr<const image::Image> image;  // as it was given, from address `image_address` on
    uint32_t image_address = 0;                 // what of the image is at text_address
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
    std::vector<NocCoord> cores;  // translated
    std::vector<Kernel> kernels;
    uint32_t config_begin = 0, config_end = 0;  // arguments, semaphores, tables of circular buffers, texts
  };
  uint64_t id = 0;  // of this launch, in this process: what Ended names
  std::string program;
  std::vector<Group> groups;
  // The same on every core:
  std::vector<CircularBuffer> circular_buffers;
  std::vector<Semaphore> semaphores;
  uint32_t l1_begin = 0, l1_end = 0;  // circular buffers and scratch memory
};

/// The host knows that all cores of this launch, and of all before it on the same queue, have ended.
struct Ended {
  uint64_t id = 0;
};

using Note = std::variant<Allocated, Freed, Launched, Ended>;

}  // namespace kerr::arch::note
