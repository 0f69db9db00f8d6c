// Harts without a chip around them: one hart on a bare L1, and the five harts of one tile.
//
// Counts are instructions a second of CPU time, so that a busy machine does not blur them.
#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "arch/boards.hpp"
#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/tile/tile.hpp"
#include "isa/assembler.hpp"

asm(".pushsection .rodata\n"
    "kerr_integer_mix_begin: .incbin \"" KERR_INTEGER_MIX "\"\n"
    "kerr_integer_mix_end:\n"
    ".popsection\n");
extern "C" const std::uint8_t kerr_integer_mix_begin[], kerr_integer_mix_end[];

namespace kerr::emu {
namespace {

using namespace isa::reg;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kCode = 0x8000;        // of the first hart
constexpr std::uint32_t kHartStride = 0x4000;   // each has its own copy of the program

// --- programs ---

// The loop of machine_bench.cpp: every instruction needs the one before it.
Bytes update_word() {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  a.lw(t0, a0);
  a.addi(t0, t0, 3);
  a.xor_(t1, t1, t0);
  a.sw(t0, a0);
  a.j(top);
  return a.finish(kCode).bytes;
}

// Sums up and moves 1,024 words, again and again.
Bytes move_words() {
  isa::Assembler a;
  const isa::Label again = a.here();
  a.li(a0, 0x2000);
  a.li(a1, 0x4000);
  a.li(a2, 1024);
  const isa::Label top = a.here();
  a.lw(t0, a0);
  a.add(t1, t1, t0);
  a.sw(t1, a1);
  a.addi(a0, a0, 4);
  a.addi(a1, a1, 4);
  a.addi(a2, a2, -1);
  a.bnez(a2, top);
  a.j(again);
  return a.finish(kCode).bytes;
}

// Counts down from a million, again and again: no memory at all.
Bytes count_down() {
  isa::Assembler a;
  const isa::Label again = a.here();
  a.li(a0, 1'000'000);
  const isa::Label top = a.here();
  a.addi(a0, a0, -1);
  a.bnez(a0, top);
  a.j(again);
  return a.finish(kCode).bytes;
}

Bytes integer_mix() { return {kerr_integer_mix_begin, kerr_integer_mix_end}; }

// `length` instructions of all kinds, with a forward branch in every eleventh place, closed by a jump.
Bytes mixed_body(int length) {
  std::minstd_rand random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const isa::Reg registers[] = {t0, t1, t2, a1, a2, a3, a4, a5, a6, a7};
  const auto any = [&] { return registers[pick(10)]; };
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  for (int i = 0; i < length; ++i) {
    if (i % 11 == 10) {
      const isa::Label skip = a.label();
      a.bne(any(), any(), skip);
      a.addi(any(), any(), pick(100));
      a.bind(skip);
      ++i;
      continue;
    }
    switch (pick(10)) {
      case 0: a.lw(any(), a0, 4 * pick(500)); break;
      case 1: a.lbu(any(), a0, pick(2000)); break;
      case 2: a.sw(any(), a0, 4 * pick(500)); break;
      case 3: a.add(any(), any(), any()); break;
      case 4: a.addi(any(), any(), pick(2000)); break;
      case 5: a.xor_(any(), any(), any()); break;
      case 6: a.slli(any(), any(), pick(31)); break;
      case 7: a.and_(any(), any(), any()); break;
      case 8: a.sltu(any(), any(), any()); break;
      default: a.mul(any(), any(), any()); break;
    }
  }
  a.j(top);
  return a.finish(kCode).bytes;
}

// Waits for a word of L1 to become something else than zero, as firmware does.
Bytes poll_word() {
  isa::Assembler a;
  a.li(a0, 0x2000);
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, a0);
  a.beqz(t0, top);
  return a.finish(kCode).bytes;
}

// --- one hart on a bare L1 ---

struct NoBus final : HartBus {
  Access load(HartIndex, std::uint32_t, unsigned, BusReply&) override { return Access::Fault; }
  Access store(HartIndex, std::uint32_t, unsigned, std::uint32_t, BusReply&) override { return Access::Fault; }
  Access push(HartIndex, std::uint32_t, BusReply&) override { return Access::Fault; }
  WaitMask watch_of(HartIndex, std::uint32_t) const override { return 0; }
};

void instructions_per_second(benchmark::State& state, std::uint64_t instructions) {
  state.counters["instructions/s"] = benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

// `quantum`: cycles between two calls of run(), as the tile's agents make them.
void LoneHart(benchmark::State& state, Bytes (*program)()) {
  const auto quantum = static_cast<Cycle>(state.range(0));
  L1 l1;
  CodeCache code(l1);
  NoBus bus;
  FaultLog faults;
  Hart hart({}, HartIndex::Brisc, l1, code, bus, faults);
  l1.write(kCode, program());
  hart.release_reset(kCode, 0, false);
  hart.run(0, 100'000 * 64);
  for (auto _ : state) {
    for (Cycle end = hart.cycle() + 1'000'000 / 64 * 64; hart.cycle() < end && hart.runnable();) hart.run(hart.cycle(), hart.cycle() + quantum);
  }
  if (!hart.runnable()) return state.SkipWithError(hart.describe().c_str());
  instructions_per_second(state, hart.instructions() - 100'000 * 64);
}

Bytes mixed_400() { return mixed_body(400); }

BENCHMARK_CAPTURE(LoneHart, update_word, update_word)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, move_words, move_words)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, count_down, count_down)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, integer_mix, integer_mix)->Arg(1 << 20)->Arg(64);
BENCHMARK_CAPTURE(LoneHart, mixed_400, mixed_400)->Arg(1 << 20)->Arg(64);

// --- the harts of one tile ---

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
  instructions_per_second(state, (tile->time() - before) * static_cast<std::uint64_t>(state.range(0)));
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
