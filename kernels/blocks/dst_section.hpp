// What TRISC1 kernels do with Dst: one half is computed in while the packer empties the other.
// docs/hardware/kernels.md 3.4
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/blocks/compute.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

// SrcA and SrcB, as bits of instructions that hand a bank back.
inline constexpr uint32_t kClearSrcA = 1, kClearSrcB = 2;
// All counters of SETRWC: SrcA, SrcB, Dst, fidelity.
inline constexpr uint32_t kAllCounters = 0xF, kDstCounter = 4;

inline constexpr uint32_t kTileRows = 64;  // of Dst, whatever its width

/// How a counter of rows goes on behind an instruction.   docs/hardware/tensix-math.md 3.3
struct Step {
  uint32_t by = 0;
  bool from_mark = false;  // from where its mark stands, which comes along
  bool clear = false;      // counter and mark go to zero instead
};
/// An address modifier of the matrix and vector unit; all of it is set.
struct Modifier {
  uint32_t index;
  Step a{}, b{}, dst{};
  uint32_t phases = 0;  // the fidelity phase goes on by so many
};
void set_modifiers(Caller a, std::span<const Modifier> modifiers);

// A product of two tiles: the modifiers of its sixteen MVMULs, faces in the order of docs/hardware/kernels.md 3.5.
inline constexpr std::array<uint32_t, 16> kProductOrder{0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
std::array<Modifier, 5> product_modifiers(bool many_phases);

struct DstSection {
  Windows windows;
  isa::Reg word;  // for the kernel's whole life: SETC16 that selects the first tile of the half

  /// Counters, semaphore, Dst's width, the lower half; `int8`: sources are integers. Clobbers t0, t1.
  void configure(Caller a, bool dst32, bool int8 = false) const;
  /// A free half of Dst; the thread waits for it.
  void acquire(Caller a) const;
  /// Tile `index` of the half is the target of what follows. Clobbers t0.
  void select_tile(Caller a, uint32_t index) const;
  /// Calls `body` in a loop over the first `count` tiles, with the loop's one selected. `selected` and `counter` are
  /// registers that it leaves alone.
  template <class Body>
  void select_tiles(Stream& a, isa::Reg selected, isa::Reg counter, uint32_t count, Body&& body) const {
    for (uint32_t tile = 0; tile < count; ++tile) a.note(Effect::Kind::DstTile, 0, tile);
    a.mv(selected, word);
    a.repeat(counter, count, [&] {
      a.sw(selected, windows.push);
      body();
      a.addi(selected, selected, kTileRows);
    });
  }
  /// Gives the half to the packer when all that was issued is done, and takes the other one.
  void release(Caller a) const;
};

/// Moves tiles of SrcA to Dst at 16 bits a datum, one face of 16 rows in a bank or all `faces` four, and hands back
/// both banks: modifiers 0, 2, 3 and the MOP. Clobbers t0, t1. copy_tile() runs it for the selected tile.
void configure_copy(Caller a, const Windows& windows, uint32_t faces = 1);
void copy_tile(Caller a);
/// One face without the MOP, by a modifier that moves 8 rows on in SrcA and in Dst.
void copy_face(Caller a, uint32_t modifier);

/// Semaphores for take_unpacked().
void configure_unpacked(Caller a);
/// Gives the section, whose rows the packer has marked as empty, to T0, which unpacks tiles `first` up to `first` +
/// `count` straight into it, and takes it back. Modifier 3 is all zero.   docs/hardware/kernels.md 3.11
void take_unpacked(Caller a, uint32_t first, uint32_t count);

}  // namespace kerr::kernels
