// A machine on which every tile computes and talks.
#pragma once

#include <algorithm>
#include <utility>

#include "tests/emu/machine/host.hpp"

namespace kerr::emu {

/// Every tile computes, adds to a semaphore of its neighbour and of one common tile, passes data on through DRAM and
/// host memory, and waits for its own neighbour: all kinds of traffic, and waiting of all kinds.
inline Kernel busy_kernel(int index, arch::NocCoord neighbour, arch::NocCoord common, arch::NocCoord bank, int rounds) {
  namespace niu = arch::niu;
  using namespace isa::reg;
  Kernel k;
  for (int buffer : {0, 1, 3}) k.noc_init(0, buffer);
  const uint32_t page = 0x1000 + 0x100 * static_cast<uint32_t>(index);
  for (uint32_t round = 1; round <= static_cast<uint32_t>(rounds); ++round) {
    k.li(a0, 20 + 7 * (index % 5));
    const isa::Label work = k.here();
    k.addi(a1, a1, 3);
    k.addi(a0, a0, -1);
    k.bnez(a0, work);
    k.store_reg(0x2000, a1);
    k.noc_write(0, 0x2000, bank, page, 64);
    k.noc_wait(0, niu::kMstWrAckReceived, round);
    k.noc_read(0, bank, page, 0x3000, 64);
    k.noc_wait(0, niu::kMstRdRespReceived, round);
    k.noc_increment(0, neighbour, 0x4000, 1);
    k.noc_increment(0, common, 0x4010, static_cast<uint32_t>(index) + 1);
    k.noc_wait(0, niu::kMstAtomicRespReceived, 2 * round);
    k.wait_for_word(0x4000, round);
  }
  k.stop();
  return k;
}

/// The same kinds of traffic forever, in a few hundred bytes of code; waits for nobody but its own packets.
inline Kernel endless_kernel(arch::NocCoord neighbour, arch::NocCoord bank) {
  namespace niu = arch::niu;
  using namespace isa::reg;
  Kernel k;
  for (int buffer : {0, 1, 3}) k.noc_init(0, buffer);
  const auto wait_for_round = [&](niu::Counter counter) {
    k.li(t0, arch::niu_counter_address(0, counter));
    const isa::Label again = k.here();
    k.lw(t2, t0, 0);
    k.bne(t2, s0, again);
  };
  k.li(s0, 0);
  const isa::Label round = k.here();
  k.addi(s0, s0, 1);
  k.noc_write(0, 0x2000, bank, 0x1000, 1024);
  wait_for_round(niu::kMstWrAckReceived);
  k.noc_read(0, bank, 0x1000, 0x3000, 1024);
  wait_for_round(niu::kMstRdRespReceived);
  k.noc_increment(0, neighbour, 0x4000, 1);
  wait_for_round(niu::kMstAtomicRespReceived);
  k.j(round);
  return k;
}

/// `tiles` of chip 0 with busy_kernel(), started.
struct BusyMachine {
  static Options with(Options options, HostMemory* memory) {
    options.host_memory = memory;
    return options;
  }
  BusyMachine(Options options, int tiles, int rounds = 6)
      : machine(with(std::move(options), &memory)),
        host(machine),
        workers(arch::tensix_tiles(machine.options().boards[0].harvesting)) {
    const auto tile = [&](int n) { return workers[static_cast<size_t>(n)]; };
    for (int i = 0; i < tiles; ++i) {
      const arch::NocCoord bank = arch::dram_bank_tile_for_noc(machine.options().boards[0].harvesting, i % 7, 0);
      host.start(tile(i), busy_kernel(i, tile((i + 1) % tiles), tile(0), bank, rounds));
    }
  }

  TestMemory memory;
  Machine machine;
  TestHost host;
  decltype(arch::tensix_tiles(arch::kP100a.harvesting)) workers;
};

}  // namespace kerr::emu
