#include "emu/tile/coprocessor_windows.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kThreadIdle = arch::kTtSyncThreadIdle - arch::kPcBufBase;
constexpr uint32_t kMopIdle = arch::kTtSyncMopIdle - arch::kPcBufBase;
constexpr uint32_t kSemaphores = arch::kSemaphoreBase - arch::kPcBufBase;
constexpr uint32_t kGprArrayBytes = 4 * arch::kGprsPerThread;

bool is_semaphore(uint32_t offset) {
  return offset >= kSemaphores && offset < kSemaphores + 4 * arch::kSemaphores;
}

}  // namespace

Access CoprocessorWindows::push(arch::Hart hart, int thread, uint32_t word, Cycle now, bool fused, BusReply& reply) {
  if (coprocessor_.debug_owned(thread)) {
    return reporter_.fault(FaultCategory::UndefinedBehavior, arch::kInstructionPushBase,
                           fmt::format("a push to thread {} while the debug bus owns its FIFO is lost on silicon", thread),
                           "Clear its bit in INSTRN_BUF_CTRL0 first.");
  }
  const auto entry = hart == arch::Hart::Brisc ? Coprocessor::Entry::AfterMop : Coprocessor::Entry::BeforeMop;
  if (coprocessor_.push(thread, word, entry, now, fused)) return Access::Done;
  reply.wait = wait::fifo(thread);
  return Access::Wait;
}

Access CoprocessorWindows::load_sync(int thread, uint32_t offset, BusReply& reply) {
  if (offset == 0) return pc_bufs_.pop(thread, reply);
  if (is_semaphore(offset)) {
    reply.value = coprocessor_.semaphore_read((offset - kSemaphores) / 4);
    return Access::Done;
  }
  if (offset == kThreadIdle || offset == kMopIdle) {
    const bool thread_wide = offset == kThreadIdle;
    reply.value = 0;  // the hardware leaves it undefined
    if (pc_bufs_.released(thread) || (thread_wide ? coprocessor_.idle(thread) : coprocessor_.mop_idle(thread)))
    {
      if (thread_wide) reply.late = coprocessor_.finished(thread);
      return Access::Done;
    }
    reply.wait = wait::kPcBuf | (thread_wide ? wait::thread_idle(thread) : wait::mop_idle(thread));
    return Access::Wait;
  }
  return no_such_semaphore(offset);
}

Access CoprocessorWindows::store_sync(int thread, uint32_t offset, uint32_t value) {
  (void)thread;
  if (offset == 0 || offset == kThreadIdle || offset == kMopIdle) return Access::Done;  // discarded
  if (!is_semaphore(offset)) return no_such_semaphore(offset);
  coprocessor_.semaphore_write((offset - kSemaphores) / 4, value);
  return Access::Done;
}

Access CoprocessorWindows::no_such_semaphore(uint32_t offset) {
  return reporter_.fault(
      FaultCategory::Unsupported, arch::kPcBufBase + offset,
      fmt::format("access to {:#010x}: PCBuf is at +0, TTSync at +4 and +8, the eight semaphores at +0x20 to +0x3c, "
                  "and nothing else of this window is documented",
                  arch::kPcBufBase + offset));
}

// A TRISC sees its own array again and again, BRISC the three arrays in a row.
CoprocessorWindows::GprPlace CoprocessorWindows::gpr_at(arch::Hart hart, uint32_t offset) {
  const int own = thread_of(hart);
  const int thread = own >= 0 ? own : static_cast<int>(offset / kGprArrayBytes);
  return {thread, offset % kGprArrayBytes / 4};
}

Access CoprocessorWindows::no_such_gpr(uint32_t offset) {
  return reporter_.fault(
      FaultCategory::Unsupported, arch::kGprBase + offset,
      fmt::format("BRISC's view of the GPR window holds three arrays of 0x100 bytes; {:#x} lies behind them", offset));
}

Access CoprocessorWindows::load_gpr(arch::Hart hart, uint32_t offset, uint32_t& value) {
  const GprPlace place = gpr_at(hart, offset);
  if (place.thread >= kThreads) return no_such_gpr(offset);
  value = coprocessor_.gpr_read(place.thread, place.index);
  return Access::Done;
}

Access CoprocessorWindows::store_gpr(arch::Hart hart, uint32_t offset, uint32_t value) {
  const GprPlace place = gpr_at(hart, offset);
  if (place.thread >= kThreads) return no_such_gpr(offset);
  coprocessor_.gpr_write(place.thread, place.index, value);
  return Access::Done;
}

Access CoprocessorWindows::store_mop_config(int thread, uint32_t offset, uint32_t value) {
  if (offset >= 4 * arch::kMopConfigWords) {
    return reporter_.fault(
        FaultCategory::UndefinedBehavior, arch::kMopConfigBase + offset,
        fmt::format("store to {:#010x}: the MOP configuration has nine words", arch::kMopConfigBase + offset));
  }
  coprocessor_.mop_config_write(thread, offset / 4, value);
  return Access::Done;
}

}  // namespace kerr::emu
