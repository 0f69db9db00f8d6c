// What TRISC2 kernels do with the packer: finished halves of Dst to L1.   docs/hardware/kernels.md 3.7
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/blocks/compute.hpp"
#include "kernels/format.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

struct Packer {
  Windows windows;
  isa::Reg clear, offsets;  // for the kernel's whole life: ZEROACC of the half, WRCFG that takes tiles from there
  Format format;            // of the tiles in L1
  arch::DataFormat from;    // the packer's intermediate format
  bool dst32;               // Dst holds 32 bits a datum

  uint32_t page16() const { return tile_bytes(format) / 16; }

  void configure(Caller a) const;  // clobbers t0, t1
  /// After configure() of another Packer of the same registers and Dst: from now on tiles become this one's format.
  void change_format(Caller a) const;
  /// After configure(): tiles come from this half (0 or 1) until release(). Clobbers t0.
  void select_half(Caller a, uint32_t half) const;
  /// Adds to what lies in L1, or writes over it.
  void accumulate_in_l1(Caller a, bool on) const;
  /// Waits (the thread, not the hart) until the next half of Dst is finished.
  void acquire(Caller a) const;
  /// The next tile to be packed is the half's first one, to the page at `address`, a register in units of 16 bytes.
  /// Clobbers t0 to t3.
  void begin(Caller a, isa::Reg address) const;
  void pack_tile(Caller a) const;
  /// The same, with `rows` instead of what packs the rows in their order: PACRs, the last one with `last` set.
  void pack_tile(Caller a, const std::function<void()>& rows) const;
  /// To the next tile and the next page.
  void next(Caller a) const;
  /// Clears the half and gives it back. Clobbers t0.
  void release(Caller a) const;
  /// Gives the half back as it is; the next tiles come from there too.
  void release_same(Caller a) const;
  /// Clears all of Dst, as kernels have to leave it, when everything has been packed.
  void clear_all(Caller a) const;
};

}  // namespace kerr::kernels
