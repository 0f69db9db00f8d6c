// Unpackers and packer: one 32 x 32 tile an iteration, with the address written anew before each as kernels do.
// Times are CPU time of one host thread; divide by one tile.   docs/hardware/tensix-datapath.md 11, 12
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "emu/tensix/pack/packer.hpp"
#include "emu/tensix/unpack/unpackers.hpp"
#include "tests/emu/quiet_board.hpp"

namespace kerr::emu::tensix {
namespace {

using isa::tensix::PACR;
using isa::tensix::UNPACR;
using math::Format;

constexpr uint32_t kIn = 0x20000, kOut = 0x40000, kTileBytes = 0x1000, kTiles = 16;

// The set-up of docs/hardware/tensix-datapath.md A.1.
struct DataPath {
  DataPath() {
    for (uint32_t n = 0; n < 2 * kTiles * kTileBytes / 4; ++n)
      l1.store(kIn + 4 * n, 0x3F80BF80u + n * 0x01010203u % 0x00400040u);
    for (const auto& [word, value] : {std::pair{1u, 0x0AAA0000u},
                                      {65u, 0x00040001u},
                                      {73u, 0xFu},
                                      {84u, 0x00400040u},
                                      {86u, 0x01000100u},
                                      {113u, 0x00040001u},
                                      {121u, 0xFu},
                                      {24u, 0xFFFFu},
                                      {28u, 0x1000u}}) {
      state.config.write(0, word, value);
    }
    state.config.write_thread(0, 5, 4);
    state.config.write_thread(2, 37, 4);
    state.config.write_thread(2, 38, 0x20);
    for (const AdcUnit unit : {AdcUnit::Unpacker0, AdcUnit::Unpacker1}) state.adcs.of(0, unit).channel[1].x.set(1023);
    state.adcs.of(2, AdcUnit::Packer).channel[1].x.set(15);
  }
  void unpacks(unsigned n, Format in, Format out, uint32_t mode = 0) {
    state.config.write(0, 64 + 48 * n, 0x01000010u | math::code_of(in));
    state.config.write(0, 72 + 48 * n, 0x20u | math::code_of(out) | mode);
  }
  void packs(Format dst, Format out, bool wide) {
    const unsigned size = math::code_of(dst) & 3, bytes = size == 0 ? 4 : size == 1 ? 2 : 1;
    state.config.write(0, 1, math::code_of(dst) << 25);
    state.config.write(0, 12, 16 * bytes << 16 | bytes);
    state.config.write(0, 13, 1024 * bytes << 16 | 256 * bytes);
    state.config.write(0, 18, wide);
    state.config.write(0, 68, math::has_shared_exponent(out) ? 0x00040000 : 0);
    state.config.write(0, 70, math::code_of(dst) << 8 | math::code_of(out) << 4 | 1);
  }

  L1 l1;
  QuietBoard board;
  State state{board};
  Unpackers unpackers{state.config, state.adcs, state.context_counters, state.src_a, state.src_b, state.dst, l1};
  Packer packer{state.config, state.adcs, state.dst, state.packer_signals, l1};
};

void UnpackTile(benchmark::State& bench, Format in, Format out, unsigned unpacker, uint32_t mode = 0) {
  DataPath d;
  d.unpacks(unpacker, in, out, mode);
  const UNPACR i{.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1, .unpack_block_selection = unpacker};
  SrcRegister& src = unpacker == 0 ? d.state.src_a : d.state.src_b;
  uint32_t tile = 0;
  for (auto _ : bench) {
    d.state.config.write(0, 76 + 48 * unpacker, (kIn + tile++ % kTiles * kTileBytes) / 16 - 1);
    const Issue answer = d.unpackers.exec(0, i);
    if (!answer.is_done()) return bench.SkipWithError(answer.problem() ? answer.problem()->what.c_str() : answer.why());
    src.release(false);
    benchmark::ClobberMemory();
  }
}
void PackTile(benchmark::State& bench, Format dst, Format out, bool wide) {
  DataPath d;
  d.packs(dst, out, wide);
  for (unsigned r = 0; r < 256; ++r)
    for (unsigned c = 0; c < 16; ++c)
      d.state.dst.row(r)[c] = math::encode_bf16(static_cast<uint16_t>(0x3F80 + 16 * r + c));
  const PACR row{}, last{.last = 1, .addr_mode = 1};
  uint32_t tile = 0;
  for (auto _ : bench) {
    d.state.config.write(0, 69, (kOut + tile++ % kTiles * kTileBytes) / 16 - 1);
    bool done = true;
    for (unsigned n = 0; n < 15; ++n) done &= d.packer.exec(2, row).is_done();
    done &= d.packer.exec(2, last).is_done();
    if (!done) return bench.SkipWithError(d.packer.exec(2, row).problem()->what.c_str());
    benchmark::ClobberMemory();
  }
}

BENCHMARK_CAPTURE(UnpackTile, bf16_to_src_a, Format::Bf16, Format::Bf16, 0);
BENCHMARK_CAPTURE(UnpackTile, bf16_to_src_b, Format::Bf16, Format::Bf16, 1);
BENCHMARK_CAPTURE(UnpackTile, bf16_transposed, Format::Bf16, Format::Bf16, 0, 0x100);
BENCHMARK_CAPTURE(UnpackTile, bf16_tilized, Format::Bf16, Format::Bf16, 0, 0x200 | 8 << 16);
BENCHMARK_CAPTURE(UnpackTile, fp16, Format::Fp16, Format::Fp16, 0);
BENCHMARK_CAPTURE(UnpackTile, fp32_to_tf32, Format::Fp32, Format::Tf32, 0);
BENCHMARK_CAPTURE(UnpackTile, fp32_to_bf16, Format::Fp32, Format::Bf16, 0);
BENCHMARK_CAPTURE(UnpackTile, bfp8, Format::Bfp8, Format::Bfp8, 0);
BENCHMARK_CAPTURE(UnpackTile, bfp4, Format::Bfp4, Format::Bfp4, 0);
BENCHMARK_CAPTURE(PackTile, bf16, Format::Bf16, Format::Bf16, false);
BENCHMARK_CAPTURE(PackTile, fp32_to_bf16, Format::Bf16, Format::Bf16, true);
BENCHMARK_CAPTURE(PackTile, fp32, Format::Fp32, Format::Fp32, true);
BENCHMARK_CAPTURE(PackTile, bf16_to_bfp8, Format::Bf16, Format::Bfp8, false);
BENCHMARK_CAPTURE(PackTile, fp32_to_bfp8, Format::Fp32, Format::Bfp8, true);
BENCHMARK_CAPTURE(PackTile, bf16_to_bfp4, Format::Bf16, Format::Bfp4, false);
BENCHMARK_CAPTURE(PackTile, fp16, Format::Fp16, Format::Fp16, false);

}  // namespace
}  // namespace kerr::emu::tensix
