// Saving and restoring a whole chip: 140 booted tiles of a P150 and 1 GiB of DRAM that holds bf16 numbers.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "arch/bytes.hpp"
#include "emu/machine/snapshot.hpp"
#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"

namespace kerr {
namespace {

constexpr uint64_t kBytesOfBank = (uint64_t{1} << 30) / 8;

// Numbers as a matmul's operands have them: signs and mantissas are noise.
void fill_dram(emu::Machine& machine) {
  const graph::Tensor numbers = graph::random_tensor(1024, 1024, kernels::Format::Bf16, 1);
  const std::vector<std::byte> tiles = graph::to_tiles(numbers, 32, 32);
  const std::span<const uint8_t> bytes = arch::as_uint8(tiles);
  emu::FaultLog faults;
  for (auto& bank : machine.chip(0).dram) {
    for (uint64_t at = 0; at < kBytesOfBank; at += bytes.size())
      bank->write({faults, emu::TileId::at(0, 0, 0), 0, at}, bytes);
  }
}

struct File {
  const std::string path = std::filesystem::temp_directory_path() / ("kerr_bench_" + std::to_string(::getpid()) + ".snap");
  ~File() { std::filesystem::remove(path); }
};

void SaveSnapshot(benchmark::State& state) {
  host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
  host::Chip chip(device);
  fill_dram(device.machine());
  const File file;
  for (auto _ : state) emu::save_snapshot(device.machine(), file.path, static_cast<int>(state.range(0)));
  state.counters["file_MiB"] = static_cast<double>(std::filesystem::file_size(file.path)) / (1 << 20);
}

void LoadSnapshot(benchmark::State& state) {
  const File file;
  {
    host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
    host::Chip chip(device);
    fill_dram(device.machine());
    emu::save_snapshot(device.machine(), file.path, 2);
  }
  for (auto _ : state) {
    emu::Machine machine({.boards = {arch::kP150}});
    emu::load_snapshot(machine, file.path, static_cast<int>(state.range(0)));
  }
}

BENCHMARK(SaveSnapshot)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(LoadSnapshot)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace kerr
