// State of the coprocessor: Dst, banks of SrcA and SrcB, semaphores. No circular buffers: banks hold zeros.
#include "tests/check/catalogue/kernels/compute.hpp"

namespace kerr::catalogue {

// Once in the image: it is long.
[[gnu::noinline]] void begin() { start(); }
// For a tile of copy_tile().
[[gnu::noinline]] void give_tile() {
  for (uint32_t face = 0; face < kFaces; ++face) {
    give_bank(kToSrcA);
    give_bank(kToSrcB);
  }
}
// The packing hart has done all, and says so.
[[gnu::noinline]] void finish() {
  if constexpr (kPacks) {
    drain();
    store(get_arg_val<uint32_t>(kResult), 1u);
  }
}

[[gnu::noinline]] void take_banks_of_a(uint32_t count) {
  if constexpr (kCalculates) {
    acquire_half();
    for (uint32_t i = 0; i < count; ++i) {
      issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));
      push(clear_word(kClearSrcA, kSourceCounters));
    }
  }
}

// In place: what was packed is unpacked from where it lies.
template <bool bug>
void unpacked_before_it_is_packed() {
  constexpr Semaphore kPacked = Semaphore::PackDone;
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(0);
  tile_regs_commit();
  tile_regs_wait();
  pack_tile_to_scratch(0);  // 25: first
  if constexpr (kPacks) {
    if (!bug) {
      stall_wait(stall::kSync, until::kPack0);
      post_semaphore(kPacked);
    }
  }
  tile_regs_release();
  if constexpr (kUnpacks) {
    set_address_of(untouched());
    stall_wait(stall::kUnpack, until::kTriscCfg);
    if (bug) settle();
    if (!bug) {
      wait_semaphore(kPacked, kWhileZero, stall::kUnpack);
    }
    unpack_face();  // 25: then
    if (!bug) get_semaphore(kPacked);
  }
  take_banks_of_a(1);
  finish();
}

template <bool bug>
void packed_before_it_is_moved() {
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(0);  // 26: first
  if (!bug) tile_regs_commit();
  if (bug) MATH((post_semaphore(Semaphore::MathPack)));
  tile_regs_wait();
  pack_tile_to_scratch(0);  // 26: then
  tile_regs_release();
  finish();
}

template <bool bug>
void cleared_before_it_is_packed() {
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(0);
  tile_regs_commit();
  tile_regs_wait();
  pack_tile_to_scratch(0);  // 27: first
  if (!bug) tile_regs_release();
  if (bug) PACK((push(pack_state.clear), get_semaphore(Semaphore::MathPack)));  // 27: then
  finish();
}

template <bool bug>
void one_wait_for_two_halves() {
  begin();
  for (uint32_t i = 0; i < 4; ++i) give_tile();
  for (uint32_t i = 0; i < 4; ++i) {
    if (!bug || i % 2 == 0) tile_regs_acquire();
    if (i == 3) MATH((settle()));
    move_tile(0);  // 28: then
    tile_regs_commit();
    tile_regs_wait();
    pack_tile_to_scratch(0);
    tile_regs_release();  // 28: first
  }
  finish();
}

template <bool bug>
void vector_load_right_behind_a_move() {
  begin();
  give_bank(kToSrcA);
  if constexpr (kCalculates) {
    acquire_half();
    issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));  // 29: first
    if (bug) TTI_SFPLOAD(0, 2, 3, 0);                   // 29: then
    if (!bug) {
      stall_wait(stall::kSfpu, until::kMath);
      TTI_SFPLOAD(0, 2, 3, 0);
    }
    push(clear_word(kClearSrcA, kSourceCounters));
  }
  finish();
}

template <bool bug>
void bank_of_the_unpacker_written() {
  begin();
  if constexpr (kCalculates) {
    issue(tensix::ZEROACC().clear_mode(3));
    if (bug) settle();
    if (!bug) stall_wait(stall::kMath, until::kMath | until::kSrcBValid);
    issue(tensix::MOVD2B().instr_mod(2).addr_mode(3));  // 30: then
    if (bug) settle();
    push(clear_word(kClearSrcB, kSourceCounters));
  }
  give_bank(kToSrcB);  // 30: first
  finish();
}

template <bool bug>
void bank_written_behind_a_flip() {
  begin();
  give_bank(kToSrcA);
  give_bank(kToSrcA);  // 31: first
  if constexpr (kCalculates) {
    issue(tensix::ZEROACC().clear_mode(3));
    issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));
    push(clear_word(kClearSrcA, kSourceCounters));
    stall_wait(stall::kMath, until::kSrcAValid | (bug ? 0 : until::kMath));
    issue(tensix::MOVD2A().instr_mod(2).addr_mode(3));  // 31: then
    push(clear_word(kClearSrcA, kSourceCounters));
  }
  finish();
}

template <bool bug>
void address_stored_right_before_its_use() {
  begin();
  if constexpr (kUnpacks) {
    set_address(0);  // 32: first
    if (!bug) stall_wait(stall::kUnpack, until::kTriscCfg);
    unpack_face();  // 32: then
  }
  take_banks_of_a(1);
  finish();
}

template <bool bug>
void address_stored_while_it_is_used() {
  begin();
  if constexpr (kUnpacks) {
    set_address(0);
    stall_wait(stall::kUnpack, until::kTriscCfg);
    unpack_face();  // 33: first
    bug ? settle() : drain();
    set_address(4);  // 33: then
    stall_wait(stall::kUnpack, until::kTriscCfg);
    unpack_face();
  }
  take_banks_of_a(2);
  finish();
}

// A word that nothing depends on.
template <bool bug>
void word_of_two_threads() {
  constexpr uint32_t kGpr = 40;
  if constexpr (kCalculates) {
    set_gpr_half(kGpr, false, 0x000F);
    set_gpr_half(kGpr, true, 0);
    stall_wait(stall::kCfg, until::kThcon);
    config_from_gpr(cfg::SCRATCH_SEC0_val, kGpr);  // 34: first
  }
  if constexpr (kPacks) {
    settle();
    set_gpr_half(kGpr, false, 0x00F0);
    set_gpr_half(kGpr, true, 0);
    stall_wait(stall::kCfg, until::kThcon);
    if (bug) config_from_gpr(cfg::SCRATCH_SEC0_val, kGpr);  // 34: then
    if (!bug) set_config(ConfigField{cfg::SCRATCH_SEC0_val.word, 4, 4}, 15);
  }
  finish();
}

template <bool bug>
void mop_rewritten_while_it_expands() {
  if constexpr (kCalculates) {
    LoopMop mop{.inner = 100};
    configure_mop(mop.loop(clear_word(0, kDstCounter)));
    run_mop();  // 35: first
    if (!bug) wait_mop_idle();
    mmio(arch::kMopConfigBase + 4 * 5) = clear_word(0, kSourceCounters);  // 35: then
  }
  finish();
}

// Rows that were cleared are made valid again, as an unpacker's would be, and show what they held before.
template <bool bug>
void tile_packed_that_nobody_wrote() {
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(bug ? 0 : 1);
  if constexpr (kCalculates) {
    for (uint32_t face = kFaces; face < 2 * kFaces; ++face)
      issue_word(tensix::ZEROACC().addr_mode(3).clear_zero_flags(1).clear_mode(1).word() | face);
  }
  tile_regs_commit();
  tile_regs_wait();
  pack_tile_to_scratch(1);  // 60: then
  tile_regs_release();
  finish();
}

template <bool bug>
void vector_register_that_nobody_wrote() {
  begin();
  if constexpr (kCalculates) {
    acquire_half();
    if (!bug) TTI_SFPLOADI(5, 0, 0);
    TTI_SFPSTORE(5, 2, 3, 0);  // 61: then
  }
  finish();
}

template <bool bug>
void semaphore_posted_too_often() {
  constexpr Semaphore kFree = Semaphore::FpuSfpu;
  if constexpr (kCalculates) {
    init_semaphore(kFree, 0, 15);
    for (uint32_t i = 0; i < (bug ? 17 : 15); ++i) post_semaphore(kFree);  // 70: then
    for (uint32_t i = 0; i < 15; ++i) get_semaphore(kFree);
  }
  finish();
}

// The get is lost, so the post stays, and the hart waits for ever.
template <bool bug>
void semaphore_taken_before_its_post() {
  constexpr Semaphore kFree = Semaphore::PackDone;
  if constexpr (kCalculates) {
    if (!bug) wait_semaphore(kFree, kWhileZero, stall::kSync);
    get_semaphore(kFree);  // 71: then
    drain();
    for (uint32_t i = 0; i < 2; ++i) settle();
    while (semaphore_value(kFree) != 0) {
    }
  }
  if constexpr (kPacks) {
    settle();
    post_semaphore(kFree);
  }
  finish();
}

template <bool bug>
void bank_left_valid() {
  begin();
  give_bank(kToSrcA);
  if (bug) give_bank(kToSrcA);  // 72: then
  if constexpr (kCalculates) {
    acquire_half();
    issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));
    push(clear_word(kClearSrcA, kSourceCounters));
  }
  finish();
}

// A field that nothing depends on here.
template <bool bug>
void unpacker_configured_while_it_works() {
  begin();
  if constexpr (kUnpacks) {
    set_address(0);
    stall_wait(stall::kUnpack, until::kTriscCfg);
    unpack_face();  // 101: first
    if (!bug) stall_wait(stall::kCfg, until::kUnpack0);
    set_config(cfg::THCON_SEC0_REG2_Metadata_x_end, 1);  // 101: then
  }
  take_banks_of_a(1);
  finish();
}

template <bool bug>
void address_written_right_before_its_use() {
  constexpr uint32_t kGpr = 40;
  begin();
  if constexpr (kUnpacks) {
    const uint32_t address = get_arg_val<uint32_t>(kScratch) / 16 - 1;
    set_gpr_half(kGpr, false, address & 0xFFFF);
    set_gpr_half(kGpr, true, address >> 16);
    stall_wait(stall::kCfg, until::kThcon);
    config_from_gpr(kBaseOfSrcA, kGpr);  // 102: first
    if (!bug) issue(tensix::NOP());
    unpack_face();  // 102: then
  }
  take_banks_of_a(1);
  finish();
}

// A word that nothing depends on.
template <bool bug>
void register_taken_right_behind_its_write() {
  constexpr uint32_t kGpr = 40;
  if constexpr (kCalculates) {
    set_gpr_half(kGpr, false, 0x000F);
    set_gpr_half(kGpr, true, 0);  // 103: first
    if (!bug) stall_wait(stall::kCfg, until::kThcon);
    config_from_gpr(cfg::SCRATCH_SEC0_val, kGpr);  // 103: then
  }
  finish();
}

template <bool bug>
void semaphore_without_a_maximum() {
  constexpr Semaphore kFree = Semaphore::UnpackOperandSync;
  if constexpr (kCalculates) {
    if (!bug) init_semaphore(kFree, 0, 1);
    wait_semaphore(kFree, kWhileMax, stall::kSync);  // 104: then
    post_semaphore(kFree);
  }
  finish();
}

template <bool bug>
void semaphore_initialised_behind_its_post() {
  constexpr Semaphore kFree = Semaphore::PackDone;
  constexpr Semaphore kSignal = Semaphore::FpuSfpu;
  if constexpr (kCalculates) {
    if (bug) settle();
    init_semaphore(kFree, 0, 15);  // 105: then
    post_semaphore(kSignal);
  }
  if constexpr (kPacks) {
    if (!bug) wait_semaphore(kSignal, kWhileZero, stall::kSync);
    post_semaphore(kFree);  // 105: first
  }
  finish();
}

template <bool bug>
void mutex_that_is_not_given_back() {
  if constexpr (kCalculates) {
    issue(tensix::ATGETM().mutex_index(0));  // 106: then
    if (!bug) issue(tensix::ATRELM().mutex_index(0));
  }
  finish();
}

template <bool bug>
void mutex_of_another_thread() {
  if constexpr (kCalculates) {
    issue(tensix::ATGETM().mutex_index(0));  // 107: first
    for (uint32_t i = 0; i < 2; ++i) settle();
    issue(tensix::ATRELM().mutex_index(0));
  }
  if constexpr (kPacks) {
    settle();
    if (!bug) issue(tensix::ATGETM().mutex_index(0));
    issue(tensix::ATRELM().mutex_index(0));  // 107: then
  }
  finish();
}

template <bool bug>
void bank_given_twice() {
  begin();
  if constexpr (kUnpacks) {
    for (uint32_t i = 0; i < (bug ? 3 : 2); ++i) issue(tensix::SETDVALID().setvalid(1));  // 108: then
  }
  if constexpr (kCalculates) settle();
  take_banks_of_a(2);
  finish();
}

// The bank of SrcB comes later than it is given back.
template <bool bug>
void bank_given_back_that_is_not_there() {
  begin();
  give_bank(kToSrcA);
  if constexpr (kCalculates) {
    acquire_half();
    issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));
    push(clear_word(bug ? kClearSrcA | kClearSrcB : kClearSrcA, kSourceCounters));  // 109: then
  }
  finish();
}

template <bool bug>
void section_that_is_not_packed() {
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(0);
  tile_regs_commit();  // 112: then
  if (!bug) {
    tile_regs_wait();
    tile_regs_release();
  }
  finish();
}

// There is one vector unit.
template <bool bug>
void vector_register_of_two_threads() {
  constexpr Semaphore kFree = Semaphore::PackDone;
  if constexpr (kCalculates) {
    TTI_SFPLOADI(5, 0, 0);  // 113: first
    if (!bug) post_semaphore(kFree);
  }
  if constexpr (kPacks) {
    if (bug) settle();
    if (!bug) wait_semaphore(kFree, kWhileZero, stall::kSfpu);
    TTI_SFPMOV(0, 5, 6, 0);  // 113: then
    if (!bug) get_semaphore(kFree);
  }
  finish();
}

// Whether the matrix unit reads denormal numbers as zeros. Here all are zeros.
template <bool bug>
void field_of_another_threads_unit() {
  constexpr Semaphore kFree = Semaphore::PackDone;
  begin();
  give_bank(kToSrcA);
  if constexpr (kCalculates) {
    acquire_half();
    issue(tensix::MOVA2D().instr_mod(2).addr_mode(3));  // 114: first
    push(clear_word(kClearSrcA, kSourceCounters));
    if (!bug) {
      stall_wait(stall::kSync, until::kMath);
      post_semaphore(kFree);
    }
  }
  if constexpr (kPacks) {
    if (bug) settle();
    if (!bug) wait_semaphore(kFree, kWhileZero, stall::kCfg);
    set_config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);  // 114: then
    if (!bug) get_semaphore(kFree);
    set_config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src, 0);
  }
  finish();
}

// Whether the packer makes zeros of negative numbers; zeros are packed.
template <bool bug>
void field_of_the_own_unit() {
  begin();
  give_tile();
  tile_regs_acquire();
  move_tile(0);
  tile_regs_commit();
  tile_regs_wait();
  pack_tile_to_scratch(0);  // 117: first
  if constexpr (kPacks) {
    if (!bug) stall_wait(stall::kCfg, until::kPack0);
    set_config(cfg::STACC_RELU_ApplyRelu, 1);  // 117: then
    set_config(cfg::STACC_RELU_ApplyRelu, 0);
  }
  tile_regs_release();
  finish();
}

template <bool bug>
void field_that_two_threads_set() {
  constexpr ConfigField kField{cfg::SCRATCH_SEC0_val.word, 4, 4};
  if constexpr (kCalculates) {
    if (!bug) issue(tensix::ATGETM().mutex_index(0));
    set_config(kField, 15);  // 118: first
    if (!bug) issue(tensix::ATRELM().mutex_index(0));
  }
  if constexpr (kPacks) {
    settle();
    if (!bug) issue(tensix::ATGETM().mutex_index(0));
    set_config(kField, 9);  // 118: then
    if (!bug) issue(tensix::ATRELM().mutex_index(0));
  }
  finish();
}

// From slot 0 to slot 1 of the scratch.
template <bool bug>
void copy_that_is_not_waited_for() {
  constexpr Semaphore kFree = Semaphore::PackDone;
  constexpr uint32_t kWithinL1 = 3;
  if constexpr (kCalculates) {
    const uint32_t from = get_arg_val<uint32_t>(kScratch) / 16;
    store_config(cfg::THCON_SEC0_REG6_Source_address, from);
    store_config(cfg::THCON_SEC0_REG6_Destination_address, from + kSlotBytes / 16);
    store_config(cfg::THCON_SEC0_REG6_Buffer_size, kSlotBytes / 16 | kWithinL1 << 30);
    stall_wait(stall::kXmov, until::kTriscCfg);
    issue(tensix::XMOV());  // 116: first
    if (!bug) stall_wait(stall::kSync, until::kXmov);
    post_semaphore(kFree);
  }
  if constexpr (kPacks) {
    while (semaphore_value(kFree) == 0) {
    }
    store(get_arg_val<uint32_t>(kScratch), load(get_arg_val<uint32_t>(kScratch) + kSlotBytes));  // 116: then
    get_semaphore(kFree);
  }
  finish();
}

}  // namespace kerr::catalogue

void kernel_main() {
  using namespace kerr::catalogue;
  run_row<File::Coprocessor, kTriscsOfA>(get_arg_val<uint32_t>(kSelector));
}
