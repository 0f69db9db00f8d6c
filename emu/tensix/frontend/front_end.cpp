#include "emu/tensix/frontend/front_end.hpp"

namespace kerr::emu::tensix {
namespace {

bool is_mop(uint32_t word) { return isa::tensix::opcode_of(word) == isa::tensix::Opcode::MOP; }

}  // namespace

bool FrontEnd::push_before_mop(uint32_t word, Cycle now, bool fused) {
  if (first_.size() > kFirstFifoAccepts) {
    fill_second();
    if (first_.size() > kFirstFifoAccepts) {
      clock_.refuse(now);
      return false;
    }
  }
  board_.about_to_change(wait::fifo(thread_));
  mops_queued_ += is_mop(word);
  first_.push({word, ++pushes_, clock_.push(now, fused)});
  return true;
}

bool FrontEnd::push_after_mop(uint32_t word, Cycle now, bool fused) {
  fill_second();
  if (second_.full() || stuck_) {  // with room left, nothing is in front of it any more
    clock_.refuse(now);
    return false;
  }
  board_.about_to_change(wait::fifo(thread_));
  second_.push({word, ++pushes_, clock_.push(now, fused)});
  return true;
}

Fetch FrontEnd::next_of_fifos(Cycle now) {
  Fetch fetched;
  clock_.make_room(now);
  if (!second_.empty()) {
    if (second_.full()) board_.about_to_change(wait::fifo(thread_));
    const Pushed pushed = second_.pop();
    taken_ = pushed.time;
    push_taken_ = pushed.number;
    fetched = Fetch::of(pushed.word);
  } else if (stuck_) {
    fetched = problem_;
    if (fetched.kind == Fetch::Kind::Consumed) {  // noted, and nothing else
      stuck_ = false;
      problem_ = {};
      board_.about_to_change(wait::fifo(thread_));
    }
  } else {
    fetched = pull_first();
    taken_ = pulled_;
    push_taken_ = push_pulled_;
  }
  return fetched.kind == Fetch::Kind::Word ? replay_.accept(fetched.word) : fetched;
}

// One word out of the MOP expander. Harts that wait for these changes stand in a blocked access, not in a loop, so they
// may hear of them just after.
Fetch FrontEnd::pull_first() {
  if (mop_.expanding()) {
    const Fetch fetched = mop_.next();
    if (mop_idle()) board_.about_to_change(wait::mop_idle(thread_));
    return fetched;
  }
  if (first_.empty()) return Fetch::empty();
  board_.about_to_change(wait::fifo(thread_));
  const auto [word, number, time] = first_.pop();
  pulled_ = time;
  push_pulled_ = number;
  mops_queued_ -= is_mop(word);
  const Fetch fetched = mop_.accept(word);
  if (is_mop(word) && mop_idle()) board_.about_to_change(wait::mop_idle(thread_));
  return fetched;
}

void FrontEnd::fill_second() {
  while (!second_.full() && !stuck_) {
    const Fetch fetched = pull_first();
    switch (fetched.kind) {
      case Fetch::Kind::Word: second_.push({fetched.word, push_pulled_, pulled_}); break;
      case Fetch::Kind::Consumed:
        if (fetched.word == 0) break;
        [[fallthrough]];
      case Fetch::Kind::Fault:
        stuck_ = true;
        problem_ = fetched;
        return;
      case Fetch::Kind::Empty: return;
    }
  }
}

void FrontEnd::drop_before_mop() {
  fill_second();
  board_.about_to_change(wait::fifo(thread_) | wait::thread_idle(thread_) | wait::mop_idle(thread_));
  first_.clear();
  mops_queued_ = 0;
  mop_.abandon();
}

}  // namespace kerr::emu::tensix
