#include "emu/tensix/frontend/mop_expander.hpp"

namespace kerr::emu::tensix {

using isa::tensix::MOP;
using isa::tensix::MOP_CFG;
using isa::tensix::Opcode;

namespace {

// Positions of the nine words, by template.
enum Masked : unsigned { kFlags = 1, kB = 2, kA0 = 3, kSkipA0 = 7, kSkipB = 8 };
enum Nested : unsigned {
  kOuter = 0,
  kInner = 1,
  kStart = 2,
  kEnd0 = 3,
  kEnd1 = 4,
  kLoop0 = 5,
  kLoop1 = 6,
  kLastOfAll = 7,
  kLastOfPass = 8
};
constexpr uint32_t kCountMask = 0x3FF;
constexpr uint32_t kHasB = 1, kHasA123 = 2;

}  // namespace

Fetch MopExpander::accept(uint32_t word) {
  switch (isa::tensix::opcode_of(word)) {
    case Opcode::MOP_CFG:
      zmask_high_ = static_cast<uint16_t>(MOP_CFG::decode(word).zmask_hi16);
      return Fetch::consumed(isa::tensix::unnamed_bits(word) != 0 ? word : 0);
    case Opcode::MOP: {
      const MOP mop = MOP::decode(word);
      sampled_ = config_;
      ready_first_ = ready_count_ = 0;
      nested_ = mop.mop_type == 1;
      return nested_ ? start_nested(mop, word) : start_masked(mop);
    }
    default: return Fetch::of(word);
  }
}

Fetch MopExpander::start_masked(const MOP& mop) {
  iterations_left_ = mop.loop_count + 1;
  mask_ = uint32_t{zmask_high_} << 16 | mop.zmask_lo16_or_loop_count;
  expanding_ = true;
  return next();
}

Fetch MopExpander::start_nested(const MOP& mop, uint32_t word) {
  // Operand bits that template 0 uses for the mask override the counts (tensix-datapath.md 3; no second source).
  const uint32_t operands = mop.zmask_lo16_or_loop_count | mop.loop_count << 16;
  const unsigned outer_override = operands >> 10 & kCountMask;
  const unsigned inner_override = operands & kCountMask;
  outer_left_ = outer_override != 0 ? outer_override : sampled_[kOuter] & kCountMask;
  inner_count_ = inner_override != 0 ? inner_override : sampled_[kInner] & kCountMask;
  if (inner_count_ == 0 && is_nop(sampled_[kStart]) && !is_nop(sampled_[kEnd0])) {
    return Fetch::fault(
        word,
        "a MOP of template 1 with inner count 0, no start instruction and an end instruction runs a wrong "
        "number of outer passes on silicon");
  }
  flip_ = 0;
  if (!is_nop(sampled_[kLoop1])) {
    flip_ = sampled_[kLoop0] ^ sampled_[kLoop1];
    inner_count_ *= 2;
  }
  current_ = sampled_[kLoop0];
  inner_done_ = 0;
  pass_started_ = false;
  expanding_ = true;
  return next();
}

Fetch MopExpander::next() {
  if (ready_first_ == ready_count_) {
    ready_first_ = ready_count_ = 0;
    refill();
    if (ready_count_ == 0) {
      expanding_ = false;
      return Fetch::consumed();
    }
  }
  const uint32_t word = ready_[ready_first_++];
  // Looks ahead, so that expanding() is false as soon as the last word is out.
  if (ready_first_ == ready_count_) {
    ready_first_ = ready_count_ = 0;
    refill();
    expanding_ = ready_count_ != 0;
  }
  return Fetch::of(word);
}

void MopExpander::refill() { nested_ ? refill_nested() : refill_masked(); }

// One iteration. A NOP in a slot is given out like anything else.
void MopExpander::refill_masked() {
  if (iterations_left_ == 0) return;
  --iterations_left_;
  const bool skip = mask_ & 1;
  mask_ >>= 1;
  const uint32_t flags = sampled_[kFlags];
  if (skip) {
    emit(sampled_[kSkipA0]);
    if (flags & kHasB) emit(sampled_[kSkipB]);
    return;
  }
  emit(sampled_[kA0]);
  if (flags & kHasA123) {
    for (unsigned i = 1; i <= 3; ++i) emit(sampled_[kA0 + i]);
  }
  if (flags & kHasB) emit(sampled_[kB]);
}

// One step of the loop nest: a start instruction, one inner instruction, or the end instructions of a pass.
void MopExpander::refill_nested() {
  while (outer_left_ != 0 && ready_count_ == 0) {
    if (!pass_started_) {
      pass_started_ = true;
      if (!is_nop(sampled_[kStart])) emit(sampled_[kStart]);
    } else if (inner_done_ < inner_count_) {
      const bool last = ++inner_done_ == inner_count_;
      emit(!last ? current_ : sampled_[outer_left_ == 1 ? kLastOfAll : kLastOfPass]);
      current_ ^= flip_;
    } else {
      pass_started_ = false;
      inner_done_ = 0;
      --outer_left_;
      if (!is_nop(sampled_[kEnd0])) {
        emit(sampled_[kEnd0]);
        if (!is_nop(sampled_[kEnd1])) emit(sampled_[kEnd1]);
      }
    }
  }
}

void MopExpander::serialize(Archive& a) {
  a(config_, zmask_high_, expanding_, nested_, sampled_, ready_);
  a.below(ready_.size() + 1, ready_first_);
  a.below(ready_.size() + 1, ready_count_);
  a.require(ready_first_ <= ready_count_, "a MOP has given out more words than it made");
  a.require(!expanding_ || ready_first_ < ready_count_, "a MOP goes on without words");
  a(iterations_left_, mask_, outer_left_, inner_count_, inner_done_, pass_started_, current_, flip_);
}

}  // namespace kerr::emu::tensix
