#include "emu/tile/reset_control.hpp"

#include "arch/memory_map.hpp"
#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kStaggeredStart = 1u << 31;  // the driver sets it, nothing keeps it

uint32_t bit_of(arch::Hart hart) { return 1u << arch::kSoftResetBit[static_cast<size_t>(hart)]; }

}  // namespace

void ResetControl::write_soft_reset(uint32_t value, Cycle now) {
  const uint32_t before = soft_reset_;
  const uint32_t after = value & ~kStaggeredStart;
  if (before == after) return;
  // A reset can concern anything: every sleeping agent is brought up to now.
  board_.about_to_change(~WaitMask{0});
  soft_reset_ = after;
  for (int i = 0; i < kHarts; ++i) {
    const auto hart = static_cast<arch::Hart>(i);
    if (~before & after & bit_of(hart)) enter(hart);
  }
  coprocessor_.reset(before, after);
  if ((before ^ after) & arch::kSoftResetTdma) tdma_.hold_reset((after & arch::kSoftResetTdma) != 0);
  for (int i = 0; i < kHarts; ++i) {
    const auto hart = static_cast<arch::Hart>(i);
    if (before & ~after & bit_of(hart)) leave(hart, now);
  }
}

void ResetControl::enter(arch::Hart hart) {
  harts_[static_cast<size_t>(hart)].hold_reset();
  const int mailbox = arch::kMailboxIndex[static_cast<size_t>(hart)];
  if (mailbox >= 0) mailboxes_.reset(mailbox);
  if (const int thread = thread_of(hart); thread >= 0) sync_.trisc_entered_reset(thread);
}

void ResetControl::leave(arch::Hart hart, Cycle now) {
  if (const int thread = thread_of(hart); thread >= 0) sync_.trisc_left_reset(thread);
  const uint32_t disable = load(arch::kDisableReset);
  const bool keep_local_memory = disable >> arch::kDisableResetBit[static_cast<size_t>(hart)] & 1;
  const bool keep_debug_unit = disable >> (arch::kDisableResetBit[static_cast<size_t>(hart)] + 1) & 1;
  if (!keep_debug_unit) harts_[static_cast<size_t>(hart)].reset_debug_unit();
  const Cycle start = board_.start_of(agent_of(hart), now);
  harts_[static_cast<size_t>(hart)].release_reset(reset_pc(hart), start, keep_local_memory);
}

uint32_t ResetControl::reset_pc(arch::Hart hart) const {
  if (const int thread = thread_of(hart); thread >= 0) {
    if (load(arch::kTriscResetPcOverride) >> thread & 1)
      return load(arch::kTrisc0ResetPc + 4u * static_cast<unsigned>(thread));
  } else if (hart == arch::Hart::Ncrisc && (load(arch::kNcriscResetPcOverride) & 1)) {
    return load(arch::kNcriscResetPc);
  }
  return arch::kDefaultResetPc[static_cast<size_t>(hart)];
}

}  // namespace kerr::emu
