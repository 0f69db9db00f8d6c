// Random programs for all five harts and three threads of a few tiles, which race with each other in every way: what
// comes out depends on every cycle.
#pragma once

#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/emu/machine/host.hpp"

namespace kerr::emu {

/// A world of 2 to 6 tiles and what runs on them, from a seed.
class RandomTiles {
 public:
  explicit RandomTiles(unsigned seed);

  struct Code {
    arch::NocCoord tile;
    arch::Hart hart;
    std::vector<uint8_t> bytes;
  };
  const std::vector<arch::NocCoord>& tiles() const { return tiles_; }
  const std::vector<Code>& code() const { return code_; }

 private:
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  arch::NocCoord any_tile() { return tiles_[below(static_cast<uint32_t>(tiles_.size()))]; }
  uint32_t slot() { return 0x4000 + 64 * below(12); }

  Kernel kernel(arch::Hart hart);
  void action(Kernel& k, arch::Hart hart);
  void memory_action(Kernel& k);
  void register_action(Kernel& k, arch::Hart hart);
  void noc_action(Kernel& k, int noc);
  void tensix_action(Kernel& k);
  uint32_t tensix_word();
  void poll(Kernel& k, uint32_t address);

  std::mt19937 random_;
  std::vector<arch::NocCoord> tiles_;
  std::vector<Code> code_;
  uint32_t acks_ = 0, reads_ = 0, atomics_ = 0;  // of the kernel that is being made
};

struct TilesOutcome {
  uint64_t state = 0, host = 0;
  Cycle cycles = 0;
  std::string faults;
  TileCounters counters;

  friend bool operator==(const TilesOutcome& a, const TilesOutcome& b) {
    return a.state == b.state && a.host == b.host && a.cycles == b.cycles && a.faults == b.faults &&
           a.counters.hart_instructions == b.counters.hart_instructions &&
           a.counters.thread_instructions == b.counters.thread_instructions &&
           a.counters.packets_sent == b.counters.packets_sent;
  }
  friend std::ostream& operator<<(std::ostream& out, const TilesOutcome& o);
};

/// Runs the world for `cycles`, in slices, and looks.
TilesOutcome run(const RandomTiles& world, Options options, Cycle cycles, Cycle slice);

}  // namespace kerr::emu
