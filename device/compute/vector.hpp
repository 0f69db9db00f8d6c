// The vector unit on tiles of Dst: what is done to 32 lanes, for all groups of lanes of a tile.
// docs/hardware/kernels.md 3.8
//
// A function of one's own:
//   vector_function([] {                       // x + 1, of BF16 numbers in tile 3
//     TTI_SFPLOAD(0, 2, 7, 3 * 64);            // register 0; mode 2: bf16; address modifier 7 changes nothing
//     TTI_SFPADDI(0x3F80, 0, 0);               // 1.0
//     TTI_SFPNOP;                              // the sum comes a cycle late
//     TTI_SFPSTORE(0, 2, 7, 3 * 64);
//   });
#pragma once

#include <type_traits>

#include "device/compute/dst_section.hpp"
#include "device/compute/formats.hpp"

namespace kerr::device {

// What the numbers of Dst are.
struct Bf16Dst {};
struct Fp16Dst {};
struct Fp32Dst {};
struct Int32Dst {};

using FloatDst = std::conditional_t<kDst32, Fp32Dst, std::conditional_t<kDstFp16, Fp16Dst, Bf16Dst>>;

/// Every lane, predicates on, -1.0 in register 11; address modifiers 3 and 7 add nothing.
FORCE_INLINE void configure_vector_unit() {
  if constexpr (!kCalculates) return;
  if (kDstFp16) set_config(cfg::ALU_FORMAT_SPEC_REG1_SrcB, arch::code_of(Format::Fp16));
  set_address_modifier(3, {});
  set_address_modifier(7, {});
  issue(tensix::SFPCONFIG().instr_mod1(1).config_dest(15));
  issue(tensix::SFPENCC().instr_mod1(10).imm12(3));
  issue(tensix::SFPCONFIG().instr_mod1(1).config_dest(11));
}

inline constexpr uint32_t kAllFaces = 0xF;
inline constexpr uint32_t kGroupsOfFace = 8;

/// Calls `group` for each 32 elements of the faces in the mask: four rows, even or odd columns. Addresses are rows of
/// Dst from the half's first tile, 64 to a tile, for the first group.
template <class Group>
FORCE_INLINE void vector_function(Group&& group, uint32_t faces = kAllFaces) {
  if constexpr (!kCalculates) return;
  push(math_state.half);
  stall_wait(stall::kSfpu, until::kMath);
  if (faces == kAllFaces) {
    for (uint32_t i = 0; i < 4 * kGroupsOfFace; ++i) {
      group();
      issue(tensix::INCRWC().rwc_d(2));
    }
  } else {
    for (uint32_t face = 0; face < 4; ++face, faces >>= 1) {
      for (uint32_t i = 0; i < kGroupsOfFace; ++i) {
        if ((faces & 1) != 0) group();
        issue(tensix::INCRWC().rwc_d(2));
      }
    }
  }
  reset_counters(kDstCounter);
  stall_wait(stall::kMath, until::kSfpu);
}

}  // namespace kerr::device

using kerr::device::vector_function;
