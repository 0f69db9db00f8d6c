// Products of tiles: the left operand goes to SrcB, the right one to SrcA.   docs/hardware/kernels.md 3.5
#pragma once

#include "device/compute/copy.hpp"

namespace kerr::device {

inline constexpr uint32_t kProductSlot = 16, kProductWords = 16;  // of the replay buffer
// The address modifiers of the sixteen MVMULs of a product, faces in the order of kernels.md 3.5.
inline constexpr uint8_t kProductOrder[kProductWords] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};

// GPRs of the unpacking hart: 12 an address under way, 36 the step from tile to tile.
inline constexpr uint32_t kGprUnpackAddress = 12, kGprTileStep = 36;

/// Slots 0 to 5 for context 0, 6 to 11 for context 1: unpack a tile of the passing operand, then move the context's
/// address on.
template <uint32_t unpacker, uint32_t base>
FORCE_INLINE void record_passing_tile() {
  record_replay(0, 12, [] {
#pragma GCC unroll 2
    for (uint32_t context = 0; context < 2; ++context) {
      issue_word(unpack_word(unpacker, 0));
      issue_word(tensix::RDCFG().gpr_address(kGprUnpackAddress).word() | (base + context));
      issue(tensix::ADDDMAREG()
                .op_a_reg_index(kGprTileStep)
                .op_b_reg_index(kGprUnpackAddress)
                .result_reg_index(kGprUnpackAddress));
      stall_wait(stall::kCfg, until::kThcon);
      issue_word(tensix::WRCFG().gpr_address(kGprUnpackAddress).word() | (base + context));
      TTI_NOP;
    }
  });
}

/// A sub-block of `rows` x `columns` products at a time. Of the operand with fewer tiles one stays while all of the
/// other pass by.
FORCE_INLINE void configure_product(uint32_t left, uint32_t right, bool transposes, uint32_t columns, uint32_t rows,
                                    uint32_t left_row_pages) {
  const bool holds_left = columns >= rows;
  if constexpr (kUnpacks) {
    set_to_dst(false, right);
    set_transposing(transposes);
    set_datums(1, kTileDatums);
    set_datums(2, kTileDatums);
    unpack_state.holds_a = holds_left;
    const uint32_t step =
        holds_left ? circular_buffer(right).fifo_page_size : left_row_pages * circular_buffer(left).fifo_page_size;
    set_gpr_half(kGprTileStep, false, step);
    set_gpr_half(kGprTileStep, true, 0);
    if (holds_left) {
      record_passing_tile<kToSrcA, kBaseOfSrcA.word>();
    } else {
      record_passing_tile<kToSrcB, kBaseOfSrcB.word>();
    }
    configure_masked_mop(replay_word(0, 6), replay_word(6, 6));
  }
  if constexpr (kCalculates) {
    constexpr bool many_phases = kPhases > 1;
    constexpr Step kToMark{.from_mark = true}, kToZero{.from_mark = true, .clear = true};
    math_state.holds_a = holds_left;
    set_address_modifier(0, {.b = {8}, .dst = {8}});
    set_address_modifier(1, {.a = {transposes ? 32u : 16u}, .b = kToMark, .dst = {8}});
    set_address_modifier(2, {.a = kToMark, .b = {.by = 32, .from_mark = true}, .dst = {8}});
    set_address_modifier(
        4,
        {.a = {.by = transposes ? 16u : 32u, .from_mark = true}, .b = {.by = 48, .from_mark = true}, .dst = kToMark});
    set_address_modifier(5, {.a = kToZero, .b = kToZero, .dst = kToZero, .phases = many_phases ? 1u : 0u});
    const uint32_t passing = holds_left ? kClearSrcA : kClearSrcB;
    record_replay(kProductSlot, kProductWords, [&] {
#pragma GCC unroll 16
      for (uint32_t i = 0; i < kProductWords; ++i) {
        const bool clears = i + 1 == kProductWords && !many_phases;
        issue_word(tensix::MVMUL().addr_mode(kProductOrder[i]).word() | (clears ? passing << 22 : 0));
      }
    });
    reset_counters(kAllCounters);
    LoopMop mop{.inner = kPhases, .end0 = many_phases ? clear_word(0, kAllCounters) | passing << 22 : kNoWord};
    mop.loop(replay_word(kProductSlot, kProductWords));
    configure_mop(mop);
  }
}

/// Adds to tiles `tile` and up of Dst, row by row, the products of a column of the left block and a row of the right
/// one.
FORCE_INLINE void multiply_block(uint32_t left, uint32_t right, uint32_t left_page, uint32_t right_page, uint32_t tile,
                                 uint32_t columns, uint32_t rows, uint32_t left_row_pages) {
  const bool holds_left = columns >= rows;
  const uint32_t groups = holds_left ? rows : columns, products = holds_left ? columns : rows;
  if constexpr (kUnpacks) {
    uint32_t to_b = page_address(left, left_page), to_a = page_address(right, right_page);
    const uint32_t step =
        holds_left ? left_row_pages * circular_buffer(left).fifo_page_size : circular_buffer(right).fifo_page_size;
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t mask = unpack_state.context == 0 ? 0 : 0xFF;
      begin_unpack(&to_a, &to_b);
      issue_word(unpack_word(holds_left ? kToSrcB : kToSrcA, 0));
      run_masked_mop(products, mask);
      end_unpack();
      (holds_left ? to_b : to_a) += step;
    }
  }
  if constexpr (kCalculates) {
    const uint32_t next_product = kTileRows * (holds_left ? 1 : columns),
                   next_group = kTileRows * (holds_left ? columns : 1);
    uint32_t first = math_state.half + kTileRows * tile;
    for (uint32_t group = 0; group < groups; ++group, first += next_group) {
      uint32_t word = first;
      for (uint32_t i = 0; i < products; ++i, word += next_product) {
        push(word);
        run_mop();
      }
      issue_word(clear_word(0, kAllCounters) | (holds_left ? kClearSrcB : kClearSrcA) << 22);
    }
  }
}

}  // namespace kerr::device

namespace ckernel {

/// Start-up for products, whose right operand goes to SrcA, and what matmul_block() needs of sub-blocks of `rows` x
/// `columns`. The left block has `left_row_pages` tiles in a row. `transpose`: right tiles are transposed. At most 8
/// rows and 8 columns.
ALWI void mm_block_init_short(uint32_t left = 0, uint32_t right = 1, uint32_t transpose = 0, uint32_t columns = 1,
                              uint32_t rows = 1, uint32_t left_row_pages = 1) {
  kerr::device::configure_product(left, right, transpose != 0, columns, rows, left_row_pages);
}
ALWI void mm_block_init(uint32_t left = 0, uint32_t right = 1, uint32_t out = 16, uint32_t transpose = 0,
                        uint32_t columns = 1, uint32_t rows = 1, uint32_t left_row_pages = 1) {
  kerr::device::start_up(right, left, out);
  mm_block_init_short(left, right, transpose, columns, rows, left_row_pages);
}
ALWI void mm_block_init_short_with_dt(uint32_t left = 0, uint32_t right = 1, uint32_t = 2, uint32_t transpose = 0,
                                      uint32_t columns = 1, uint32_t rows = 1, uint32_t left_row_pages = 1) {
  reconfig_data_format_srca(right);
  mm_block_init_short(left, right, transpose, columns, rows, left_row_pages);
}
ALWI void mm_block_init_short_with_both_dt(uint32_t left, uint32_t right, uint32_t, uint32_t, uint32_t transpose = 0,
                                           uint32_t columns = 1, uint32_t rows = 1, uint32_t left_row_pages = 1) {
  reconfig_data_format_srcb(left);
  mm_block_init_short_with_dt(left, right, 0, transpose, columns, rows, left_row_pages);
}

/// Tiles `tile` and up of Dst, `rows` x `columns` of them, += tiles left_page + row x left_row_pages times right_page +
/// column.
ALWI void matmul_block(uint32_t left, uint32_t right, uint32_t left_page, uint32_t right_page, uint32_t tile, uint32_t,
                       uint32_t columns, uint32_t rows, uint32_t left_row_pages) {
  kerr::device::check_pages(left);
  kerr::device::check_pages(right);
  kerr::device::check_dst_tile(tile + rows * columns - 1);
  kerr::device::multiply_block(left, right, left_page, right_page, tile, columns, rows, left_row_pages);
}

/// The same of one tile at a time.
ALWI void mm_init(uint32_t left = 0, uint32_t right = 1, uint32_t out = 16, uint32_t transpose = 0) {
  mm_block_init(left, right, out, transpose);
}
ALWI void mm_init_short(uint32_t left = 0, uint32_t right = 1, uint32_t transpose = 0) {
  mm_block_init_short(left, right, transpose);
}
ALWI void mm_init_short_with_dt(uint32_t left = 0, uint32_t right = 1, uint32_t old_right = 2, uint32_t transpose = 0) {
  mm_block_init_short_with_dt(left, right, old_right, transpose);
}
ALWI void matmul_tiles(uint32_t left, uint32_t right, uint32_t left_page, uint32_t right_page, uint32_t tile,
                       uint32_t transpose = 0) {
  matmul_block(left, right, left_page, right_page, tile, transpose, 1, 1, 1);
}

}  // namespace ckernel
