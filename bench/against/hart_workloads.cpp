// Harts: the loops of bench/hart, which count in L1 how often they went round.
#include <array>
#include <span>

#include "bench/against/workload.hpp"
#include "bench/hart/programs.hpp"

namespace kerr::bench {

namespace {

using oracle::Device;
using oracle::Hart;
using oracle::TileXy;

constexpr std::array kAllHarts{Hart::Brisc, Hart::Trisc0, Hart::Trisc1, Hart::Trisc2, Hart::Ncrisc};
constexpr uint32_t kCounters = 0x1000;  // one word a hart

struct Placement {
  unsigned tiles, harts;
};

std::vector<TileXy> tiles_of(unsigned count) {
  std::vector<TileXy> tiles;
  for (unsigned y = 2; y < 12; ++y) {
    for (const unsigned x : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 10u, 11u, 12u, 13u, 14u, 15u, 16u}) {
      if (tiles.size() < count) tiles.push_back({x, y});
    }
  }
  return tiles;
}

void start(Device& device, Placement placement, const std::function<Bytes(uint32_t counter)>& program) {
  for (const TileXy tile : tiles_of(placement.tiles)) {
    std::vector<Device::Start> starts;
    for (unsigned i = 0; i < placement.harts; ++i) {
      const uint32_t code = kCode + kHartStride * i;
      device.write(tile, code, program(kCounters + 4 * i));
      starts.push_back({kAllHarts[i], code});
    }
    device.start(tile, starts);
  }
}

// Adds up the counters of all harts: of the first one at `first`, of the next ones `stride` further on. They are 32
// bits wide and may wrap, but not twice in a slice.
class Turns {
 public:
  Turns(Device& device, Placement placement, uint32_t first = kCounters, uint32_t stride = 4)
      : device_(&device), placement_(placement), first_(first), stride_(stride), last_(placement.tiles * placement.harts) {}

  double operator()(double) {
    size_t hart = 0;
    for (const TileXy tile : tiles_of(placement_.tiles)) {
      for (unsigned i = 0; i < placement_.harts; ++i, ++hart) {
        const uint32_t now = device_->read32(tile, first_ + stride_ * i);
        sum_ += now - last_[hart];
        last_[hart] = now;
      }
    }
    return static_cast<double>(sum_);
  }

 private:
  Device* device_;
  Placement placement_;
  uint32_t first_, stride_;
  std::vector<uint32_t> last_;
  uint64_t sum_ = 0;
};

Workload busy(const char* name, const char* unit, Placement placement, Bytes (*program)(uint32_t)) {
  return {name, unit, [=](Device& device) -> Progress {
            start(device, placement, program);
            return Turns(device, placement);
          }};
}

Workload integer_code(const char* name, Placement placement) {
  return {name, "turns of CoreMark-like code", [=](Device& device) -> Progress {
            start(device, placement, [](uint32_t) { return integer_mix(); });
            return Turns(device, placement, kCode + kIntegerMixTurns, kHartStride);
          }};
}

Workload polling(const char* name, Placement placement) {
  return {name, "cycles", [=](Device& device) -> Progress {
            start(device, placement, [](uint32_t) { return poll_word(); });
            return [](double clocks) { return clocks; };
          }};
}

}  // namespace

std::vector<Workload> hart_workloads() {
  constexpr Placement kOne{1, 1}, kAll{140, 5};
  return {
      busy("1 hart, load, add, xor, store", "turns of 5 instructions", kOne, count_word),
      busy("1 hart, mixed code", "turns of 400 instructions", kOne, count_mixed_400),
      integer_code("1 hart, CoreMark-like integer code", kOne),
      busy("700 harts, load, add, xor, store", "turns of 5 instructions", kAll, count_word),
      busy("700 harts, mixed code", "turns of 400 instructions", kAll, count_mixed_400),
      polling("700 harts, polling a word", kAll),
  };
}

}  // namespace kerr::bench
