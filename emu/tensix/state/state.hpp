// All that the units of one coprocessor share. A unit is given references to the members that it may touch, never this.
#pragma once

#include <array>
#include <cstddef>

#include "emu/memory/pages.hpp"
#include "emu/tensix/state/adc.hpp"
#include "emu/tensix/state/config.hpp"
#include "emu/tensix/state/dst.hpp"
#include "emu/tensix/state/gpr.hpp"
#include "emu/tensix/state/packer_signals.hpp"
#include "emu/tensix/state/rwc.hpp"
#include "emu/tensix/state/src_register.hpp"
#include "emu/tensix/state/sync.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

using Rwcs = std::array<Rwc, kThreads>;

/// Context counters of the unpackers: [unpacker][thread]. SETC16 of UNPACK_MISC_CFG resets them (tensix-datapath.md
/// 6.1, 11).
using ContextCounters = std::array<std::array<uint8_t, kThreads>, 2>;

struct State {
  explicit State(WaitBoard& board)
      : config(board),
        gpr(board),
        semaphores(board),
        mutexes(board),
        src_a(reinterpret_cast<math::SrcBank*>(pages.data()), board, wait::kSrcA),
        src_b(reinterpret_cast<math::SrcBank*>(pages.data()) + 2, board, wait::kSrcB),
        dst(reinterpret_cast<uint16_t*>(pages.data() + 4 * sizeof(math::SrcBank))) {}

  void serialize(Archive& a) {
    a(config, gpr, adcs, rwcs, context_counters, semaphores, mutexes, src_a, src_b, dst, packer_signals);
  }

  ZeroedPages pages{4 * sizeof(math::SrcBank) + Dst::kBytes};  // a SrcBank and Dst may start as zero bytes
  Config config;
  Gpr gpr;
  Adcs adcs;
  Rwcs rwcs;
  ContextCounters context_counters{};
  PackerSignals packer_signals;
  Semaphores semaphores;
  Mutexes mutexes;
  SrcRegister src_a;
  SrcRegister src_b;
  Dst dst;
};

}  // namespace kerr::emu::tensix
