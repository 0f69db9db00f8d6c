// The five harts of one tile, without a chip around it.
#include <benchmark/benchmark.h>

#include <memory>

#include "arch/boards.hpp"
#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "bench/hart/programs.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::emu {
namespace {

using namespace bench;

std::unique_ptr<Tile> tile_with(const Bytes& program, int harts) {
  static const NocGeometry geometry{arch::kP100a.harvesting};
  auto tile = std::make_unique<Tile>(TileId::at(0, 1, 2), geometry);
  const auto set = [&](std::uint64_t address, std::uint32_t value) {
    tile->host_write(address, {reinterpret_cast<const std::uint8_t*>(&value), 4});
  };
  const auto code_of = [](unsigned hart) { return kCode + kHartStride * hart; };
  for (unsigned i = 0; i < kHarts; ++i) tile->host_write(code_of(i), program);
  set(0, arch::jal_word(code_of(0)));
  set(arch::kNcriscResetPc, code_of(1));
  set(arch::kNcriscResetPcOverride, 1);
  for (unsigned i = 0; i < 3; ++i) set(arch::kTrisc0ResetPc + 4 * i, code_of(2 + i));
  set(arch::kTriscResetPcOverride, 7);
  std::uint32_t reset = 0;
  for (int i = harts; i < kHarts; ++i) reset |= 1u << arch::kSoftResetBit[static_cast<std::size_t>(i)];
  set(arch::kSoftReset0, reset);
  return tile;
}

void TileOfHarts(benchmark::State& state, Bytes (*program)()) {
  const std::unique_ptr<Tile> tile = tile_with(program(), static_cast<int>(state.range(0)));
  tile->run(64 * 1000);
  const std::uint64_t before = tile->time();
  for (auto _ : state) tile->run(tile->time() + 256 * 1000);
  if (tile->faults().any()) return state.SkipWithError("fault");
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(tile->time() - before) * static_cast<double>(state.range(0)), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(TileOfHarts, update_word, update_word)->Arg(1)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, move_words, move_words)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, integer_mix, integer_mix)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, mixed_400, mixed_400)->Arg(5);

// One write from outside every 1,024 cycles wakes all five, who find nothing and go on polling.
void PollingTile(benchmark::State& state) {
  const std::unique_ptr<Tile> tile = tile_with(poll_word(), 5);
  const std::uint8_t nothing[4] = {};
  for (auto _ : state) {
    tile->run(tile->time() + 1024);
    if (state.range(0) != 0) tile->host_write(0x2000, nothing);
  }
  state.counters["simulated_Hz"] =
      benchmark::Counter(1024.0 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(PollingTile)->ArgName("disturbed")->Arg(0)->Arg(1);

}  // namespace
}  // namespace kerr::emu
