// The five harts of one tile, without a chip around it.
#include <benchmark/benchmark.h>

#include <memory>

#include "arch/boards.hpp"
#include "bench/hart/start_harts.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::emu {
namespace {

using namespace bench;

std::unique_ptr<Tile> tile_with(const Bytes& program, int harts) {
  static const NocGeometry geometry{arch::kP100a.harvesting};
  auto tile = std::make_unique<Tile>(TileId::at(0, 1, 2), geometry);
  start_harts([&](uint64_t address, auto bytes) { tile->host_write(address, bytes); }, program, harts);
  return tile;
}

void TileOfHarts(benchmark::State& state, Bytes (*program)()) {
  const std::unique_ptr<Tile> tile = tile_with(program(), static_cast<int>(state.range(0)));
  tile->run(64 * 1000);
  const uint64_t before = tile->time();
  for (auto _ : state) tile->run(tile->time() + 256 * 1000);
  if (tile->faults().any()) return state.SkipWithError("fault");
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(tile->time() - before) * static_cast<double>(state.range(0)), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(TileOfHarts, update_word, update_word)->Arg(1)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, move_words, move_words)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, integer_mix, integer_mix)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, mixed_400, mixed_400)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, integer_dot, integer_dot)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, float_dot, float_dot)->Arg(5);
BENCHMARK_CAPTURE(TileOfHarts, float_polynomial, float_polynomial)->Arg(5);

// One write from outside every 1,024 cycles wakes all five harts, which find nothing and poll again.
void PollingTile(benchmark::State& state) {
  const std::unique_ptr<Tile> tile = tile_with(poll_word(), 5);
  const uint8_t nothing[4] = {};
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
