#include "emu/tensix/frontend/wait_gate.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {
namespace {

// Conditions of STALLWAIT, "keep waiting while ...". Units take effect at once, so all others (C0..C4, C9..C12) never
// hold one up.
enum StallCondition : unsigned {
  kSrcANotFree = 1u << 5,
  kSrcBNotFree = 1u << 6,
  kSrcANotValid = 1u << 7,
  kSrcBNotValid = 1u << 8,
};
constexpr unsigned kDefaultStallConditions = 0x0F;

// Conditions of SEMWAIT.
constexpr unsigned kWhileZero = 1, kWhileAtMax = 2;

}  // namespace

void WaitGate::latch(const isa::tensix::STALLWAIT& i) {
  kind_ = Kind::Stall;
  conditions_ = static_cast<std::uint16_t>(i.wait_res != 0 ? i.wait_res : kDefaultStallConditions);
  block_mask_ = static_cast<std::uint16_t>(block_mask_or_default(i.stall_res));
}

void WaitGate::latch(const isa::tensix::SEMWAIT& i) {
  kind_ = Kind::Semaphores;
  conditions_ = static_cast<std::uint16_t>(i.wait_sem_cond);
  selected_ = static_cast<std::uint8_t>(i.sem_sel);
  block_mask_ = static_cast<std::uint16_t>(block_mask_or_default(i.stall_res));
}

bool WaitGate::satisfied() const {
  if (kind_ == Kind::Stall) {
    return !((conditions_ & kSrcANotFree) && !src_a_.unpacker_may_write()) &&
           !((conditions_ & kSrcBNotFree) && !src_b_.unpacker_may_write()) &&
           !((conditions_ & kSrcANotValid) && !src_a_.fpu_may_read()) &&
           !((conditions_ & kSrcBNotValid) && !src_b_.fpu_may_read());
  }
  for (unsigned s = 0; s < Semaphores::kCount; ++s) {
    if (!(selected_ >> s & 1)) continue;
    if ((conditions_ & kWhileZero) && semaphores_[s].value == 0) return false;
    if ((conditions_ & kWhileAtMax) && semaphores_[s].value >= semaphores_[s].max) return false;
  }
  return true;
}

WaitMask WaitGate::waits_for() const {
  if (kind_ == Kind::Semaphores) return wait::kSemaphore;
  WaitMask mask = 0;
  if (conditions_ & (kSrcANotFree | kSrcANotValid)) mask |= wait::kSrcA;
  if (conditions_ & (kSrcBNotFree | kSrcBNotValid)) mask |= wait::kSrcB;
  return mask;
}

std::string WaitGate::describe() const {
  std::string out;
  const auto add = [&](std::string text) { out += (out.empty() ? "" : ", ") + text; };
  if (kind_ == Kind::Stall) {
    if ((conditions_ & kSrcANotFree) && !src_a_.unpacker_may_write()) add("the unpackers' bank of SrcA is not free");
    if ((conditions_ & kSrcBNotFree) && !src_b_.unpacker_may_write()) add("the unpackers' bank of SrcB is not free");
    if ((conditions_ & kSrcANotValid) && !src_a_.fpu_may_read()) add("the matrix unit's bank of SrcA is not valid");
    if ((conditions_ & kSrcBNotValid) && !src_b_.fpu_may_read()) add("the matrix unit's bank of SrcB is not valid");
    return "STALLWAIT: " + out;
  }
  for (unsigned s = 0; s < Semaphores::kCount; ++s) {
    if (!(selected_ >> s & 1)) continue;
    const Semaphore& semaphore = semaphores_[s];
    if ((conditions_ & kWhileZero) && semaphore.value == 0) add(fmt::format("semaphore {} is 0", s));
    if ((conditions_ & kWhileAtMax) && semaphore.value >= semaphore.max) {
      add(fmt::format("semaphore {} is at its maximum ({} of {})", s, semaphore.value, semaphore.max));
    }
  }
  return "SEMWAIT: " + out;
}

}  // namespace kerr::emu::tensix
