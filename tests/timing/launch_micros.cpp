// What a launch costs: programs that return at once, from a trace.   docs/hardware/timing.md 11
#include <stdexcept>

#include "emu/timing/timing.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

namespace {

constexpr int kFew = 8, kMany = 40;

image::Image nothing() {
  constexpr uint32_t kAt = 0x1000;
  image::Image image;
  image.name = "nothing";
  image.entry = kAt;
  const std::vector<uint8_t> ret{0x67, 0x80, 0, 0};
  image.segments.push_back({.address = kAt, .load_address = kAt, .bytes = ret, .memory_bytes = 4});
  return image;
}

// Cycles of one launch more, on all workers.
double period(const std::vector<arch::Hart>& harts) {
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact}});
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  host::Program program("nothing");
  for (const arch::Hart hart : harts) program.add_kernel(hart, nothing(), chip.workers());
  const auto cycles_of = [&](int launches) {
    queue.begin_trace();
    for (int i = 0; i < launches; ++i) queue.enqueue(program);
    const host::Trace trace = queue.end_trace();
    queue.replay(trace);
    const auto times = queue.finish();
    if (times.size() != 1) throw std::runtime_error("a replay has not told when it began and ended");
    return static_cast<double>(times[0].end_cycles - times[0].start_cycles);
  };
  const double few = cycles_of(kFew);
  return (cycles_of(kMany) - few) / (kMany - kFew);
}

const std::vector<arch::Hart> kAll{arch::Hart::Brisc, arch::Hart::Ncrisc, arch::Hart::Trisc0, arch::Hart::Trisc1,
                                   arch::Hart::Trisc2};

Micro launch(std::string name, double microseconds, double tolerance, std::vector<arch::Hart> harts) {
  return {
      "Launches of programs that do nothing, 118 cores, from a trace",
      std::move(name),
      "us",
      microseconds,
      tolerance,
      "11",
      [harts = std::move(harts)] { return period(harts) / static_cast<double>(emu::timing::kBlackhole.clock_mhz); }};
}

}  // namespace

std::vector<Micro> launch_micros() {
  // Times of two other firmwares. The first resets a core's whole configuration each time and sends every core its own
  // go word (2.4 to 3.6 us); the second, as ours, writes what has changed and multicasts the go word.
  std::vector<Micro> all{launch("all processors, beside blackhole-py's firmware", 3.0, 0.20, kAll),
                         launch("one processor, beside tt-metal's firmware", 1.29, 0.15, {arch::Hart::Brisc}),
                         launch("all processors, beside tt-metal's firmware", 1.30, 0.15, kAll)};
  all[0].expected_miss = true;
  return all;
}

}  // namespace kerr::timing_tests
