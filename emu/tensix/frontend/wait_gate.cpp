#include "emu/tensix/frontend/wait_gate.hpp"

#include <fmt/format.h>

#include "arch/stream_registers.hpp"
#include "arch/tensix_config.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {
namespace {

// Conditions of STALLWAIT, "keep waiting while ...". Units take effect at once, all but what an SFPLOADMACRO has
// scheduled, so all others (C0..C4, C9, C10, C12) never hold one up.
enum StallCondition : unsigned {
  kSrcANotFree = 1u << 5,
  kSrcBNotFree = 1u << 6,
  kSrcANotValid = 1u << 7,
  kSrcBNotValid = 1u << 8,
  kVectorUnitBusy = 1u << 11,
};
constexpr unsigned kDefaultStallConditions = 0x0F;

// Conditions of SEMWAIT.
constexpr unsigned kWhileZero = 1, kWhileAtMax = 2;

// Condition of STREAMWAIT: which register of the stream.
constexpr unsigned kMessages = 1;

}  // namespace

void WaitGate::latch(const isa::tensix::STALLWAIT& i) {
  kind_ = Kind::Stall;
  conditions_ = static_cast<uint16_t>(i.wait_res != 0 ? i.wait_res : kDefaultStallConditions);
  block_mask_ = static_cast<uint16_t>(block_mask_or_default(i.stall_res));
}

void WaitGate::latch(const isa::tensix::SEMWAIT& i) {
  kind_ = Kind::Semaphores;
  conditions_ = static_cast<uint16_t>(i.wait_sem_cond);
  selected_ = static_cast<uint8_t>(i.sem_sel);
  block_mask_ = static_cast<uint16_t>(block_mask_or_default(i.stall_res));
}

// The upper bits of the target are sampled here; which stream the section names is looked up at each evaluation.
void WaitGate::latch(const isa::tensix::STREAMWAIT& i) {
  namespace f = arch::thread_config;
  kind_ = Kind::Stream;
  conditions_ = static_cast<uint16_t>(i.target_sel);
  selected_ = static_cast<uint8_t>(i.wait_stream_sel);
  const ThreadConfig& own = config_.thread(thread_);
  target_ = own.get(i.target_sel == kMessages ? f::STREAMWAIT_NUM_MSGS_HI_Val : f::STREAMWAIT_PHASE_HI_Val) << 10 |
            i.target_value;
  block_mask_ = static_cast<uint16_t>(block_mask_or_default(i.stall_res));
}

unsigned WaitGate::stream() const {
  return config_.thread(thread_).words[arch::thread_config::STREAM_ID_SYNC_SEC0_BankSel.word + selected_] & 63;
}

uint32_t WaitGate::stream_value() const {
  const int reg = conditions_ == kMessages ? arch::stream::kNumMsgsReceived : arch::stream::kCurrPhase;
  BusReply reply;
  bus_.load(arch::stream_address(static_cast<int>(stream()), reg), reply);
  return reply.value;
}

bool WaitGate::source_a_holds() const {
  return ((conditions_ & kSrcANotFree) && !src_a_.unpacker_may_write()) ||
         ((conditions_ & kSrcANotValid) && !src_a_.fpu_may_read());
}

bool WaitGate::source_b_holds() const {
  return ((conditions_ & kSrcBNotFree) && !src_b_.unpacker_may_write()) ||
         ((conditions_ & kSrcBNotValid) && !src_b_.fpu_may_read());
}

bool WaitGate::semaphore_holds(unsigned index) const {
  const Semaphore& s = semaphores_[index];
  return (selected_ >> index & 1) &&
         (((conditions_ & kWhileZero) && s.value == 0) || ((conditions_ & kWhileAtMax) && s.value >= s.max));
}

bool WaitGate::satisfied() const {
  if (kind_ == Kind::Stream) return stream_value() >= target_;
  if (kind_ == Kind::Stall) {
    return !source_a_holds() && !source_b_holds() && !((conditions_ & kVectorUnitBusy) && sfpu_.moves(thread_));
  }
  for (unsigned s = 0; s < Semaphores::kCount; ++s) {
    if (semaphore_holds(s)) return false;
  }
  return true;
}

WaitMask WaitGate::waits_for() const {
  if (kind_ == Kind::Stream) return wait::stream(stream());
  WaitMask mask = 0;
  if (kind_ == Kind::Stall) {
    if (source_a_holds()) mask |= wait::kSrcA;
    if (source_b_holds()) mask |= wait::kSrcB;
    return mask;
  }
  for (unsigned s = 0; s < Semaphores::kCount; ++s) {
    if (semaphore_holds(s)) mask |= wait::semaphore(s);
  }
  return mask;
}

std::string WaitGate::describe() const {
  if (kind_ == Kind::Stream) {
    return fmt::format("STREAMWAIT: {} of stream {} is {}, below {}",
                       conditions_ == kMessages ? "the number of messages" : "the current phase", stream(),
                       stream_value(), target_);
  }
  std::string out;
  const auto add = [&](std::string text) { out += (out.empty() ? "" : ", ") + text; };
  if (kind_ == Kind::Stall) {
    if ((conditions_ & kSrcANotFree) && !src_a_.unpacker_may_write()) add("the unpackers' bank of SrcA is not free");
    if ((conditions_ & kSrcBNotFree) && !src_b_.unpacker_may_write()) add("the unpackers' bank of SrcB is not free");
    if ((conditions_ & kSrcANotValid) && !src_a_.fpu_may_read()) add("the matrix unit's bank of SrcA is not valid");
    if ((conditions_ & kSrcBNotValid) && !src_b_.fpu_may_read()) add("the matrix unit's bank of SrcB is not valid");
    if ((conditions_ & kVectorUnitBusy) && sfpu_.moves(thread_)) {
      add("the vector unit has instructions of a macro to execute");
    }
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
