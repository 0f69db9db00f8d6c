// Sums, differences and products of two tiles, element by element, on the matrix unit.
// docs/hardware/kernels.md 3.3, 3.6
#pragma once

#include "device/compute/copy.hpp"
#include "device/compute/names.hpp"

namespace kerr::device {

template <EltwiseBinaryType operation>
constexpr void check_operation() {
  static_assert(operation == ELWADD || operation == ELWSUB || operation == ELWMUL,
                "the matrix unit adds, subtracts and multiplies: for ELWDIV there is div_binary_tile(), for ELWLESS "
                "lt_binary_tile(), which work on tiles in Dst");
}

template <EltwiseBinaryType operation>
constexpr uint32_t element_word(BroadcastType broadcast, bool accumulates) {
  check_operation<operation>();
  const uint32_t opcode = operation == ELWMUL   ? tensix::ELWMUL{}.word()
                          : operation == ELWSUB ? tensix::ELWSUB{}.word()
                                                : tensix::ELWADD{}.word();
  return opcode | static_cast<uint32_t>(broadcast) << 19 | (accumulates ? 1u << 21 : 0);
}

/// Faces of SrcA with those of SrcB, of which one row, column or datum may stand for all.
FORCE_INLINE void configure_operand_faces(BroadcastType broadcast, uint32_t a = unpack_word(kToSrcA, 1)) {
  const uint32_t b = unpack_word(kToSrcB, 1);
  LoopMop mop{.outer = 2, .inner = 2};
  switch (broadcast) {
    case BroadcastType::NONE: mop.loop(a, b); break;
    case BroadcastType::COL:  // faces 0 and 2 of SrcB, each for two faces of SrcA
      mop.start = b;
      mop.loop(a);
      mop.end0 = tensix::SETADCZW().bit_mask(1).ch0_z(2).cnt_set_mask(2).word();
      break;
    case BroadcastType::ROW:  // faces 0 and 1, twice
      mop.loop(b, a);
      mop.end0 = tensix::SETADCZW().bit_mask(1).ch0_z(0).cnt_set_mask(2).word();
      break;
    case BroadcastType::SCALAR:
      mop.outer = 1;
      mop.inner = 4;
      mop.start = b;
      mop.loop(a);
      break;
  }
  set_datums(kBothUnpackers, kFaceDatums);
  configure_mop(mop);
}

/// Dst counts on behind each face; products are made in phases.
template <EltwiseBinaryType operation, BroadcastType broadcast>
FORCE_INLINE void configure_elements(bool accumulates, bool one_face = false) {
  constexpr bool kPhased = operation == EltwiseBinaryType::ELWMUL && kPhases > 1;
  constexpr bool kBStays = broadcast == BroadcastType::COL || broadcast == BroadcastType::SCALAR;
  constexpr bool kBStands = broadcast == BroadcastType::ROW || broadcast == BroadcastType::SCALAR;
  constexpr uint32_t kCleared = kBStays ? kClearSrcA : kClearSrcA | kClearSrcB;
  const uint32_t word = element_word<operation>(broadcast, accumulates);
  set_address_modifier(0, {.a = {8}, .b = {kBStands ? 0u : 8u}, .dst = {8}});
  set_address_modifier(1, {});
  LoopMop mop{.inner = 2};
  mop.loop(word);
  if (kPhased) {
    set_address_modifier(2, {.a = {.clear = true}, .b = {.clear = true}, .dst = {.from_mark = true}, .phases = 1});
    set_address_modifier(
        3, {.a = {.clear = true}, .b = {.clear = true}, .dst = {8}, .first_phase = true, .dst_marks = true});
    mop.outer = kPhases;
    mop.last_inner = word | 2u << 14;
    mop.last_outer = word | 3u << 14 | kCleared << 22;
  } else {
    mop.outer = one_face ? 1 : broadcast == BroadcastType::COL ? 2 : 4;
    mop.end0 = tensix::SETRWC().bit_mask(kSourceCounters).rwc_cr(3).clear_ab_vld(kCleared).word();
  }
  reset_counters(kAllCounters);
  configure_mop(mop);
}

/// The selected tile of Dst, of the faces that come.
template <EltwiseBinaryType operation, BroadcastType broadcast>
FORCE_INLINE void calculate_elements() {
  check_operation<operation>();
  constexpr bool kPhased = operation == EltwiseBinaryType::ELWMUL && kPhases > 1;
  constexpr uint32_t kGroups = broadcast == BroadcastType::COL ? 2 : 1;  // of faces that share SrcB
  constexpr uint32_t kRuns = (kPhased ? 4 : kGroups) / kGroups;
  for (uint32_t group = 0; group < kGroups; ++group) {
    for (uint32_t run = 0; run < kRuns; ++run) run_mop();
    if (broadcast == BroadcastType::COL || broadcast == BroadcastType::SCALAR) {
      issue(tensix::SETRWC().clear_ab_vld(kClearSrcB));
    }
  }
  reset_counters(kDstCounter);
}

template <EltwiseBinaryType operation, BroadcastType broadcast>
FORCE_INLINE void init_elements(uint32_t buffer_a, bool accumulates) {
  if constexpr (kUnpacks) {
    set_to_dst(false, buffer_a);
    set_transposing(false);
    configure_operand_faces(broadcast);
  }
  if constexpr (kCalculates) configure_elements<operation, broadcast>(accumulates);
}

template <EltwiseBinaryType operation, BroadcastType broadcast>
FORCE_INLINE void elements(uint32_t buffer_a, uint32_t buffer_b, uint32_t page_a, uint32_t page_b, uint32_t tile) {
  check_pages(buffer_a);
  check_pages(buffer_b);
  if constexpr (kUnpacks) unpack_two(buffer_a, buffer_b, page_a, page_b);
  if constexpr (kCalculates) {
    select_dst_tile(tile);
    calculate_elements<operation, broadcast>();
  }
}

}  // namespace kerr::device

namespace ckernel {

/// Two operands and one result: start-up. add_tiles_init() or the like comes next.
ALWI void binary_op_init_common(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t out = 16) {
  kerr::device::start_up(in0, in1, out);
}

template <bool, EltwiseBinaryType operation>
ALWI void binary_tiles_init(uint32_t in0, uint32_t, bool accumulate = false) {
  kerr::device::init_elements<operation, BroadcastType::NONE>(in0, accumulate);
}
/// What the calls below need first. `accumulate`: adds to what is in Dst (products always do).
ALWI void add_tiles_init(uint32_t in0, uint32_t in1, bool accumulate = false) {
  binary_tiles_init<true, ELWADD>(in0, in1, accumulate);
}
ALWI void sub_tiles_init(uint32_t in0, uint32_t in1, bool accumulate = false) {
  binary_tiles_init<true, ELWSUB>(in0, in1, accumulate);
}
ALWI void mul_tiles_init(uint32_t in0, uint32_t in1) { binary_tiles_init<true, ELWMUL>(in0, in1); }
// Older names.
ALWI void add_tiles_init_nof() { add_tiles_init(0, 1); }
ALWI void sub_tiles_init_nof() { sub_tiles_init(0, 1); }
ALWI void mul_tiles_init_f() { mul_tiles_init(0, 1); }
template <bool, EltwiseBinaryType operation>
ALWI void binary_op_specific_init() {
  kerr::device::init_elements<operation, BroadcastType::NONE>(0, false);
}
ALWI void add_tiles_init() { add_tiles_init(0, 1); }
ALWI void sub_tiles_init() { sub_tiles_init(0, 1); }
ALWI void mul_tiles_init() { mul_tiles_init(0, 1); }

/// Tile `tile` of Dst = page0 of in0 + page1 of in1, and so on.
ALWI void add_tiles(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) {
  kerr::device::elements<ELWADD, BroadcastType::NONE>(in0, in1, page0, page1, tile);
}
ALWI void sub_tiles(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) {
  kerr::device::elements<ELWSUB, BroadcastType::NONE>(in0, in1, page0, page1, tile);
}
ALWI void mul_tiles(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) {
  kerr::device::elements<ELWMUL, BroadcastType::NONE>(in0, in1, page0, page1, tile);
}

/// The same of a page and what is in Dst, which becomes SrcA or SrcB and is written over.
template <EltwiseBinaryType operation = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t in) {
  using namespace kerr::device;
  static_assert(reuse != EltwiseBinaryReuseDestType::NONE,
                "say which source Dst becomes: DEST_TO_SRCA or DEST_TO_SRCB");
  constexpr bool kDstIsA = reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA;
  if constexpr (kUnpacks) {
    set_to_dst(false, in);
    set_transposing(false);
    set_datums(kBothUnpackers, kFaceDatums);
    LoopMop mop{.outer = 4};
    mop.loop(unpack_nothing_word(kDstIsA ? kToSrcA : kToSrcB), unpack_word(kDstIsA ? kToSrcB : kToSrcA, 1));
    configure_mop(mop);
  }
  if constexpr (kCalculates) configure_elements<operation, BroadcastType::NONE>(false, true);
}
template <EltwiseBinaryType operation = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t in, uint32_t page, uint32_t tile) {
  using namespace kerr::device;
  constexpr bool kDstIsA = reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA;
  check_pages(in);
  if constexpr (kUnpacks) {
    const uint32_t address = page_address(in, page);
    begin_unpack(kDstIsA ? nullptr : &address, kDstIsA ? &address : nullptr);
    run_mop();
    end_unpack();
  }
  if constexpr (kCalculates) {
    select_dst_tile(tile);
    for (uint32_t face = 0; face < kFaces; ++face) {
      stall_wait(stall::kMath, until::kMath | (kDstIsA ? until::kSrcAValid : until::kSrcBValid));
#pragma GCC unroll 4
      for (uint32_t row = 0; row < 16; row += 4) {
        const uint32_t move = kDstIsA ? kerr::tensix::MOVD2A().instr_mod(2).addr_mode(1).word()
                                      : kerr::tensix::MOVD2B().instr_mod(2).addr_mode(1).word();
        issue_word(move | row << 17 | row);
      }
      issue_word(kerr::tensix::ZEROACC().addr_mode(1).use_32_bit_mode(kDst32).clear_mode(1).word() | (4 * tile + face));
      run_mop();
    }
    reset_counters(kDstCounter);
  }
}

}  // namespace ckernel
