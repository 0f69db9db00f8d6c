// What TRISC0 kernels do with the two unpackers: their settings, and contexts, of which two may be under way.
// docs/hardware/kernels.md 3.1, 3.2
#pragma once

#include <cstdint>

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/config.hpp"
#include "kernels/format.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

inline constexpr uint32_t kUnpackerOfSrcA = 0;
inline constexpr uint32_t kUnpackerOfSrcB = 1;

// Base addresses of the unpackers: configuration words, + context.
inline constexpr uint32_t kUnpackBaseSrcA = cfg::THCON_SEC0_REG3_Base_address.word;
inline constexpr uint32_t kUnpackBaseSrcB = cfg::THCON_SEC1_REG3_Base_address.word;

// Contexts of unpacker 0 whose tiles are not compressed: a bit each.
inline constexpr arch::ConfigField kPlainContexts0To3 =
    joined(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0, cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx3);
inline constexpr arch::ConfigField kPlainContexts4To7 =
    joined(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx4, cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx7);

/// Unpacks what the counters say and hands the bank over.
isa::tensix::UNPACR unpack_datums(uint32_t unpacker);

struct Unpackers {
  Windows windows;  // config: points to the next context from the first begin() on; all else is stored before
  isa::Reg select;  // SETC16 that selects the next context, for the kernel's whole life; bit 0 is which one that is

  /// Both unpackers: tiles of `format`, which become `target`, `datums` with each UNPACR. Clobbers t0, t1.
  void configure(Caller a, Format format, arch::DataFormat target, uint32_t datums) const;

  /// Waits for a free context and gives it the L1 addresses of SrcA's and, unless it is null, SrcB's tile: in units of
  /// 16 bytes, minus one, which is how they are programmed. To be followed by the unpacking and end(). Clobbers t0, t1.
  void begin(Caller a, isa::Reg tile_a, const isa::Reg* tile_b) const;
  void end(Caller a) const;
};

// Straight to a 32-bit Dst, past SrcA.   docs/hardware/kernels.md 3.11

/// Bits 15:8 of the address in Dst, or row of SrcA, where a context's datums go: they count 16 rows of Dst.
constexpr arch::ConfigField dst_place(arch::ConfigField address) {
  return {address.word, static_cast<uint8_t>(address.shift + 8), 8};
}

/// After Unpackers::configure(): both contexts of unpacker 0 write to Dst, where each one's place is set tile by tile.
/// The MOP unpacks `faces` times what unpack_face_to_dst() does. Clobbers t0, t1.
void configure_unpack_to_dst(Caller a, const Unpackers& unpackers, uint32_t faces);
/// A face, to where the context points; the next one is the next, here and there.
isa::tensix::UNPACR unpack_face_to_dst();
/// Waits (the thread) until the math thread has a section for unpack_to_dst_end() to hand back.
void unpack_to_dst_begin(Caller a);
void unpack_to_dst_end(Caller a);
/// The next context writes to tile `tile` of the half of Dst in register `half` (0 or 1). Clobbers t0, t1.
void point_to_dst_tile(Caller a, const Unpackers& unpackers, isa::Reg half, uint32_t tile);
/// The same of a tile whose number, counted through both halves, is in bits 10 and up of `place`.
void point_to_dst_place(Caller a, const Unpackers& unpackers, isa::Reg place);

}  // namespace kerr::kernels
