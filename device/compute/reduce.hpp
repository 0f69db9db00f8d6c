// Sums, means and maxima along rows, columns or all of a tile, on the matrix unit.   docs/hardware/kernels.md 3.9
//
// The second buffer has a tile whose faces have a number in each place of their first rows: 1 for sums and maxima, 1/32
// for means (and for sums of whole tiles the root of the factor, as it counts twice).
#pragma once

#include "device/compute/copy.hpp"
#include "device/compute/names.hpp"

#ifndef REDUCE_OP
#define REDUCE_OP PoolType::SUM
#endif
#ifndef REDUCE_DIM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#endif

namespace kerr::device {

/// SrcA's faces one after the other, each with the first row of the same face of SrcB.
template <ckernel::ReduceDim along>
FORCE_INLINE void configure_reduced_faces(uint32_t buffer) {
  set_to_dst(false, buffer);
  set_transposing(along == ckernel::ReduceDim::REDUCE_ROW);
  set_datums(1, kFaceDatums);
  set_datums(2, 16);
  record_replay(0, 2, [] {
    ttinsn(unpack_word(kToSrcA, 1));
    ttinsn(unpack_word(kToSrcB, 1));
  });
  LoopMop mop{.inner = 4};
  if (along == ckernel::ReduceDim::REDUCE_SCALAR) {
    mop.loop(clear_srca_word(), replay_word(0, 2));
  } else {
    mop.loop(replay_word(0, 2));
  }
  configure_mop(mop);
}

[[gnu::error(
    "reduce_init() and reduce_tile() want SUM, AVG or MAX, known to the compiler: the matrix unit finds no "
    "minima; negate, and take the maximum")]] void
there_is_no_such_reduction();

// Both sources are handed back where `release`.
template <ckernel::PoolType pool>
FORCE_INLINE void pool_face(bool release, uint32_t row) {
  static_assert(pool != ckernel::PoolType::MIN, "the matrix unit finds no minima: negate, and take the maximum");
  const uint32_t both = release ? 3u << 22 : 0;
  if (pool == ckernel::PoolType::MAX) {
    issue_word(tensix::GMPOOL().instr_mod19(1).word() | both | row);
    return;
  }
  const uint32_t phase = tensix::GAPOOL().instr_mod19(1).pool_addr_mode(3).word() | row;
  const uint32_t last = tensix::GAPOOL().instr_mod19(1).pool_addr_mode(0).word() | row;
#pragma GCC unroll 3
  for (uint32_t i = 1; i < kPhases; ++i) issue_word(phase);
  if (kPhases == 1) {
    issue_word(last | both);
  } else {
    issue_word(last);
    if (release) issue(tensix::CLEARDVALID().cleardvalid(3));
  }
}

inline constexpr uint32_t kScratchRow = 16;  // of SrcB, behind the factor

// Row 0 of a face becomes its first column, too. What passes through SrcB is as precise as the factor's format: of sums
// in a Dst of 32 bits its upper 16 bits are left, or 19 of a factor in FP32.
FORCE_INLINE void row_to_column() {
  issue(tensix::SETRWC().bit_mask(kSourceCounters).rwc_cr(4));
  constexpr uint32_t kMove = tensix::MOVD2B().src(kScratchRow).word();
  ttinsn(kMove);
  TTI_TRNSPSRCB;
  ttinsn(kMove);
  for (int i = 0; i < 2; ++i) issue(tensix::SETRWC().bit_mask(2).rwc_b(8).rwc_cr(2));
  issue(tensix::ZEROSRC().src_mask(1).write_mode(1));
  for (int i = 0; i < 2; ++i) issue(tensix::ELWADD().addr_mode(2));
}

template <ckernel::PoolType pool>
FORCE_INLINE void reduce_rows() {
  for (uint32_t half = 0; half < 2; ++half) {
    pool_face<pool>(true, 0);
    pool_face<pool>(false, 0);
    row_to_column();
    if (half == 0) {
      for (int i = 0; i < 3; ++i) step_dst(8);
      step_dst(8, kClearSrcA | kClearSrcB, kDstCounter | 2);
    } else {
      issue(tensix::SETRWC().bit_mask(kDstCounter | 2).clear_ab_vld(3));
    }
  }
}

template <ckernel::PoolType pool>
FORCE_INLINE void reduce_columns() {
  for (uint32_t half = 0; half < 2; ++half) {
    pool_face<pool>(false, 0);
    step_dst(8);
    step_dst(8, kClearSrcA | kClearSrcB);
    pool_face<pool>(false, 0);
    issue(tensix::SETRWC().bit_mask(kDstCounter | 1).clear_ab_vld(3));
  }
}

template <ckernel::PoolType pool>
FORCE_INLINE void reduce_all() {
  constexpr uint32_t kCollected = 4;
  for (uint32_t face = 0; face < kFaces; ++face) pool_face<pool>(face < 3, kCollected);
  issue(tensix::SETRWC().bit_mask(kSourceCounters).rwc_cr(4));
  issue(tensix::MOVD2B().src(kScratchRow).dst(kCollected));
  const auto gate = [] { issue(tensix::GATESRCRST().reset_srca_gate_control(1).reset_srcb_gate_control(1)); };
  gate();
  TTI_TRNSPSRCB;
  gate();
#pragma GCC unroll 4
  for (uint32_t row = 0; row < 16; row += 4) {
    issue_word(tensix::MOVB2A().instr_mod(2).word() | row << 17 | (kScratchRow + row));
  }
  gate();
  issue(tensix::ZEROACC().where(kCollected));
  pool_face<pool>(true, 0);
}

template <ckernel::PoolType pool, ckernel::ReduceDim along>
FORCE_INLINE void reduce_selected() {
  using enum ckernel::ReduceDim;
  if (along == REDUCE_ROW) reduce_rows<pool>();
  if (along == REDUCE_COL) reduce_columns<pool>();
  if (along == REDUCE_SCALAR) reduce_all<pool>();
}

FORCE_INLINE void set_pack_edges(uint32_t masks, uint32_t mask1, uint32_t rows) {
  stall_wait(stall::kCfg, until::kPack0);
  drain();
  store_config(cfg::PCK_EDGE_OFFSET_SEC0_mask, masks);
  store_config(cfg::PCK_EDGE_OFFSET_SEC0_mask.words_on(1), mask1);
  store_config(cfg::TILE_ROW_SET_MAPPING_1_row_set_mapping_0, rows);
}
/// Only what is a result leaves Dst; zeros are written for the rest.
template <ckernel::ReduceDim along>
FORCE_INLINE void pack_results_only() {
  using enum ckernel::ReduceDim;
  if (along == REDUCE_ROW) set_pack_edges(0x00AA0000, 1, 0x55555555);
  if (along == REDUCE_COL) set_pack_edges(0x000A0000, 0xFFFF, 1);
  if (along == REDUCE_SCALAR) set_pack_edges(0x00020000, 1, 1);
}

}  // namespace kerr::device

namespace ckernel {

/// What reduce_tile() needs. Until reduce_uninit(), all that is packed is masked as results are: zeros beside the first
/// column, row, element.
template <PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM, bool = false>
ALWI void reduce_init(uint32_t in, uint32_t, uint32_t) {
  using namespace kerr::device;
  if constexpr (kUnpacks) configure_reduced_faces<along>(in);
  if constexpr (kCalculates) {
    set_address_modifier(0, {.first_phase = true});
    set_address_modifier(1, {.b = {1}, .dst = {1}});
    set_address_modifier(2, {.b = {8}, .dst = {8}});
    set_address_modifier(3, {.phases = 1});
    reset_counters(kAllCounters);
  }
  if constexpr (kPacks) pack_results_only<along>();
}
template <PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM>
ALWI void reduce_init_delta(uint32_t out = 16, uint32_t in = 0, uint32_t factor = 1) {
  reduce_init<pool, along>(in, factor, out);
}
/// The older forms, whose first template argument says whether nothing has been set up yet.
template <bool at_start, PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM>
ALWI void reduce_init(uint32_t in, uint32_t factor, uint32_t out = 16) {
  if constexpr (at_start) compute_kernel_hw_startup(in, factor, out);
  reduce_init<pool, along>(in, factor, out);
}
template <PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM>
ALWI void reduce_init_short(uint32_t in, uint32_t factor, uint32_t out = 16) {
  reduce_init<pool, along>(in, factor, out);
}
template <bool, PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM>
ALWI void reduce_init_delta(uint32_t out = 16, uint32_t in = 0, uint32_t factor = 1) {
  reduce_init<pool, along>(in, factor, out);
}
template <bool = false>
ALWI void reduce_uninit(uint32_t = 0) {
  using namespace kerr::device;
  if constexpr (kUnpacks) set_transposing(false);
  if constexpr (kCalculates) set_address_modifier(3, {});
  if constexpr (kPacks) set_pack_edges(0xFFFF, 0xFFFF, 0);
}
template <ReduceDim = REDUCE_DIM>
ALWI void reduce_revert_delta(uint32_t = 16) {
  reduce_uninit();
}

/// What the calculating hart does of reduce_tile().
template <PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM, bool = false>
ALWI void reduce_tile_math(uint32_t tile, uint32_t = 4) {
  using namespace kerr::device;
  if constexpr (kCalculates) {
    select_dst_tile(tile);
    reduce_selected<pool, along>();
    reset_counters(kAllCounters);
  }
}

/// Adds the sums (or takes the maxima with those) of page `page` to tile `tile` of Dst.
template <PoolType pool = REDUCE_OP, ReduceDim along = REDUCE_DIM, bool = false>
ALWI void reduce_tile(uint32_t in, uint32_t factor, uint32_t page, uint32_t factor_page, uint32_t tile) {
  using namespace kerr::device;
  check_pages(in);
  check_pages(factor);
  if constexpr (kUnpacks) unpack_two(in, factor, page, factor_page);
  reduce_tile_math<pool, along>(tile);
}

// Older forms: what is reduced how as arguments, and whether it is the first of a kernel as a template's.
namespace detail {
template <class Call>
ALWI void for_reduction(PoolType pool, ReduceDim along, Call&& call) {
  using enum ReduceDim;
  const auto of = [&]<PoolType p>() __attribute__((always_inline)) {
    if (along == REDUCE_ROW) call.template operator()<p, REDUCE_ROW>();
    if (along == REDUCE_COL) call.template operator()<p, REDUCE_COL>();
    if (along == REDUCE_SCALAR) call.template operator()<p, REDUCE_SCALAR>();
  };
  if (pool == PoolType::MIN) kerr::device::there_is_no_such_reduction();
  pool == PoolType::MAX ? of.template operator()<PoolType::MAX>() : of.template operator()<PoolType::SUM>();
}
}  // namespace detail

template <bool at_start>
ALWI void reduce_init(PoolType pool, ReduceDim along, uint32_t in, uint32_t factor, uint32_t out = 16) {
  if constexpr (at_start) compute_kernel_hw_startup(in, factor, out);
  detail::for_reduction(pool, along, [&]<PoolType p, ReduceDim d>() { reduce_init<p, d>(in, factor, out); });
}
template <bool>
ALWI void reduce_init_delta(PoolType pool, ReduceDim along, uint32_t out = 16, uint32_t in = 0, uint32_t factor = 1) {
  detail::for_reduction(pool, along, [&]<PoolType p, ReduceDim d>() { reduce_init<p, d>(in, factor, out); });
}
ALWI void reduce_revert_delta(ReduceDim, uint32_t = 16) { reduce_uninit(); }
ALWI void reduce_tile(PoolType pool, ReduceDim along, uint32_t in, uint32_t factor, uint32_t page, uint32_t factor_page,
                      uint32_t tile) {
  detail::for_reduction(pool, along,
                        [&]<PoolType p, ReduceDim d>() { reduce_tile<p, d>(in, factor, page, factor_page, tile); });
}

}  // namespace ckernel
