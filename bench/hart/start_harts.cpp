#include "bench/hart/start_harts.hpp"

#include "arch/bytes.hpp"
#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/agent.hpp"

namespace kerr::bench {

using emu::kHarts;

void start_harts(const TileWriter& write, const Bytes& program, int harts) {
  const auto set = [&](uint64_t address, uint32_t value) {
    write(address, arch::as_uint8(value));
  };
  const auto code_of = [](unsigned hart) { return kCode + kHartStride * hart; };
  for (unsigned i = 0; i < kHarts; ++i) write(code_of(i), program);
  set(0, arch::jal_word(code_of(0)));
  set(arch::kNcriscResetPc, code_of(1));
  set(arch::kNcriscResetPcOverride, 1);
  for (unsigned i = 0; i < 3; ++i) set(arch::kTrisc0ResetPc + 4 * i, code_of(2 + i));
  set(arch::kTriscResetPcOverride, 7);
  uint32_t reset = 0;
  for (int i = harts; i < kHarts; ++i) reset |= 1u << arch::kSoftResetBit[static_cast<size_t>(i)];
  set(arch::kSoftReset0, reset);
}

}  // namespace kerr::bench
