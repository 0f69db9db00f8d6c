// What agents wait for: which thing, the value it has, the value that is wanted.   docs/architecture.md "Hangs"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hang/poll.hpp"
#include "hang/scene.hpp"

namespace kerr::hang {

struct Thing {
  enum class Kind : uint8_t {
    Pushed,             // pages of circular buffer `index` that were pushed
    Popped,             // ... popped
    Word,               // of L1, at `address`; `index`: semaphore of the program, or kNone
    NiuCounter,         // `index` of NoC `noc`
    HardwareSemaphore,  // `index`
    Mutex,              // `index`
    Source,             // SrcA (index 0) or SrcB (1)
    FifoRoom,           // of thread `index`
    ThreadIdle,         // thread `index` has done what it was given
    PcBuffer,           // a word from BRISC
    Mailbox,            // a word from the hart `index`, or room for one
    Register,           // any other, at `address`
    Time,
    Endless,  // nothing: a loop that reads nothing
    Unknown,
  };
  static constexpr uint32_t kNone = ~0u;
  Kind kind = Kind::Unknown;
  size_t tile = 0;
  uint32_t index = kNone;
  uint32_t address = 0;
  int noc = 0;
};

/// A thing, and which state of it an agent waits for.
struct Want {
  Thing thing;
  uint32_t pc = 0;  // of the load, if a loop polls it
  Wanted wanted;    // of a polled word
  bool has_value = false;
  uint32_t value = 0;
  bool post = true;  // of hardware semaphores: it is to be posted, and otherwise got
  bool unreachable = false;
  std::string why;  // why it can never be; empty if that is not known
};

/// What lies at that address of the tile.
Thing thing_at(const Scene& scene, size_t tile, uint32_t address);

/// What the agent waits for: one thing, or several of which any may let it go. Empty if it does not wait.
std::vector<Want> wants_of(const Scene& scene, size_t agent);

/// "circular buffer 3", "semaphore 0 (L1 0x86c0)", "MST_WR_ACK_RECEIVED of NoC 1". The same for all tiles.
std::string name(const Scene& scene, const Thing& thing);
/// "waits for 1 page of circular buffer 3, which has 0".
std::string sentence(const Scene& scene, const Want& want);

}  // namespace kerr::hang
