// The command queue: what a launch and a transfer cost the thread that waits, the emulated device's work included.
#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"

namespace kerr {
namespace {

constexpr int kLaunchesInFlight = 256;
constexpr uint64_t kTransferBytes = 32u << 20;
constexpr uint32_t kTileBytes = 2048;

// A kernel that returns at once.
image::Image nothing() {
  image::Image image;
  image.name = "nothing";
  image.entry = 0x1000;
  image.segments.push_back({.address = 0x1000, .load_address = 0x1000, .bytes = {0x67, 0x80, 0, 0}, .memory_bytes = 4});
  return image;
}

void NullLaunch(benchmark::State& state) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  host::Program program("null");
  program.add_kernel(arch::Hart::Brisc, nothing(), chip.workers().first(static_cast<size_t>(state.range(0))));
  int in_flight = 0;
  const auto instructions = [&] {
    const emu::TileCounters counters = device.machine().counters(0);
    return std::accumulate(std::begin(counters.hart_instructions), std::end(counters.hart_instructions), uint64_t{0});
  };
  const uint64_t before = device.cycles(), instructions_before = instructions();
  for (auto _ : state) {
    queue.enqueue(program);
    if (++in_flight < kLaunchesInFlight) continue;
    queue.finish();
    in_flight = 0;
  }
  queue.finish();
  const auto launches = static_cast<double>(state.iterations());
  state.counters["device_cycles"] = static_cast<double>(device.cycles() - before) / launches;
  state.counters["hart_instructions"] = static_cast<double>(instructions() - instructions_before) / launches;
}

struct Transfer {
  host::EmulatedDevice device;
  host::Chip chip{device};
  host::CommandQueue queue{chip};
  host::Buffer buffer = chip.allocate(host::Memory::Dram, kTransferBytes, kTileBytes);
  std::vector<std::byte> bytes = std::vector<std::byte>(kTransferBytes, std::byte{0x5A});

  void report(benchmark::State& state) const {
    state.counters["bytes/cpu_s"] = benchmark::Counter(
        static_cast<double>(kTransferBytes) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  }
};

void QueueUpload(benchmark::State& state) {
  Transfer t;
  for (auto _ : state) {
    t.queue.write(t.buffer, t.bytes);
    t.queue.finish();
  }
  t.report(state);
}

void QueueDownload(benchmark::State& state) {
  Transfer t;
  for (auto _ : state) t.queue.read(t.buffer, t.bytes);
  t.report(state);
}

BENCHMARK(NullLaunch)->ArgName("cores")->Arg(1)->Arg(118)->Unit(benchmark::kMicrosecond);
BENCHMARK(QueueUpload)->Unit(benchmark::kMillisecond);
BENCHMARK(QueueDownload)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kerr
