#include "emu/tile/sync_window.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kThreadIdle = arch::kTtSyncThreadIdle - arch::kPcBufBase;
constexpr uint32_t kMopIdle = arch::kTtSyncMopIdle - arch::kPcBufBase;
constexpr uint32_t kSemaphores = arch::kSemaphoreBase - arch::kPcBufBase;

bool is_semaphore(uint32_t offset) { return offset >= kSemaphores && offset < kSemaphores + 4 * arch::kSemaphores; }

}  // namespace

Access SyncWindow::load(int thread, uint32_t offset, BusReply& reply) {
  if (offset == 0) return pop(thread, reply);
  if (is_semaphore(offset)) {
    reply.value = coprocessor_.state.semaphores[(offset - kSemaphores) / 4].value;
    return Access::Done;
  }
  if (offset != kThreadIdle && offset != kMopIdle) return nothing_at(offset);
  const bool thread_wide = offset == kThreadIdle;
  reply.value = 0;  // the hardware leaves it undefined
  if (released(thread) || (thread_wide ? coprocessor_.idle(thread) : coprocessor_.threads[thread].front.mop_idle())) {
    if (thread_wide) reply.late = coprocessor_.finished(thread);
    return Access::Done;
  }
  reply.wait = wait::kPcBuf | (thread_wide ? wait::thread_idle(thread) : wait::mop_idle(thread));
  return Access::Wait;
}

Access SyncWindow::store(uint32_t offset, uint32_t value) {
  if (offset == 0 || offset == kThreadIdle || offset == kMopIdle) return Access::Done;  // discarded
  if (!is_semaphore(offset)) return nothing_at(offset);
  coprocessor_.state.semaphores.store((offset - kSemaphores) / 4, value);
  return Access::Done;
}

Access SyncWindow::nothing_at(uint32_t offset) {
  return reporter_.fault(
      FaultCategory::Unsupported, arch::kPcBufBase + offset,
      fmt::format("access to {:#010x}: PCBuf is at +0, TTSync at +4 and +8, the eight semaphores at +0x20 to +0x3c, "
                  "and nothing else of this window is documented",
                  arch::kPcBufBase + offset));
}

Access SyncWindow::push(int thread, uint32_t value, BusReply& reply) {
  Channel& channel = channels_[thread];
  if (channel.fifo.full()) {
    reply.wait = wait::kPcBuf;
    return Access::Wait;
  }
  board_.about_to_change(wait::kPcBuf);
  channel.fifo.push(value);
  return Access::Done;
}

Access SyncWindow::pop(int thread, BusReply& reply) {
  Channel& channel = channels_[thread];
  const uint32_t override_bits = overrides_ >> (10 * thread);
  if (!channel.fifo.empty()) {
    board_.about_to_change(wait::kPcBuf);
    channel.trisc_in_load = false;
    reply.value = channel.fifo.pop();
    return Access::Done;
  }
  if (override_bits & 1) {
    channel.trisc_in_load = false;
    reply.value = override_bits >> 2 & 0xFF;
    return Access::Done;
  }
  if (!channel.trisc_in_load) {
    board_.about_to_change(wait::kPcBuf);  // BRISC may wait for just this
    channel.trisc_in_load = true;
  }
  reply.wait = wait::kPcBuf;
  return Access::Wait;
}

Access SyncWindow::drained(int thread, BusReply& reply) {
  const Channel& channel = channels_[thread];
  if (released(thread) || (channel.fifo.empty() && channel.trisc_in_load && coprocessor_.idle(thread))) {
    reply.value = 0;
    return Access::Done;
  }
  reply.wait = wait::kPcBuf | wait::thread_idle(thread);
  return Access::Wait;
}

void SyncWindow::set_overrides(uint32_t value) {
  board_.about_to_change(wait::kPcBuf);
  overrides_ = value;
}

void SyncWindow::trisc_left_reset(int thread) {
  board_.about_to_change(wait::kPcBuf);
  channels_[thread].fifo.clear();
}

void SyncWindow::trisc_entered_reset(int thread) { channels_[thread].trisc_in_load = false; }

}  // namespace kerr::emu
