#include "emu/noc/virtual_channel.hpp"

namespace kerr::emu {

uint32_t VirtualChannel::grant(const Passage& passage) {
  constexpr size_t kFew = 8;  // more are seldom in a channel that is not a NIU's
  passages_.reserve(kFew);
  if (empty() || (passages_.size() >= kFew && gone_ >= packets())) {
    passages_.erase(passages_.begin(), passages_.begin() + gone_);
    for (uint32_t& turn : turn_) turn -= std::min(turn, gone_);
    arriving_ -= gone_;
    base_ += gone_;
    gone_ = 0;
  }
  passages_.push_back(passage);
  arriving_ += from_niu_;
  return last();
}

Passage& VirtualChannel::put(Cycle now, Cycle when) {
  unsigned slot = 0;
  while (!(free_ >> slot & 1) || when_[slot] > now) ++slot;
  free_ &= ~(uint32_t{1} << slot);
  when_[slot] = when;
  Passage& passage = passages_[arriving_];
  passage.slot[passage.arrived++ % kMostFlits] = static_cast<uint8_t>(slot);
  if (passage.arrived == passage.flits) ++arriving_;
  return passage;
}

uint32_t VirtualChannel::turn(bool leaving) {
  uint32_t& at = turn_[leaving];
  while (at < passages_.size() && !passages_[at].waits(leaving)) ++at;
  return at < passages_.size() ? base_ + at : kNobody;
}

Cycle VirtualChannel::leave(Cycle now) {
  while (gone_ < passages_.size() && !passages_[gone_].waits(false) && !passages_[gone_].waits(true)) ++gone_;
  empty_since_ = std::max(empty_since_, now);  // exits are simulated ahead of moves to other routers
  return empty() ? empty_since_ : kNever;
}

Cycle VirtualChannel::took(const Passage& passage, unsigned number, Cycle now, Cycle credit) {
  if (from_niu_) return kNever;
  const unsigned slot = passage.slot[number % kMostFlits];
  if (passage.branches > 1) {
    last_taken_[slot] = std::max(last_taken_[slot], now);
    for (unsigned i = 0; i < passage.branches; ++i)
      if (passage.branch[i].sent <= number) return kNever;
    now = std::exchange(last_taken_[slot], 0);
  }
  free_ |= uint32_t{1} << slot;
  return when_[slot] = now + credit;
}

void Branch::serialize(Archive& a) {
  a.below(3, way);
  a(vc, sent);
  a.require(vc < kVcs || vc == kNoVc, "a virtual channel does not exist");
}

void Passage::serialize(Archive& a) {
  a(packet, train, along_trunk, along_branch, flits, arrived);
  a.below(4, branches);
  a(branch, start);
  for (uint8_t& s : slot) a.below(slot.size(), s);
  a.require(branches > 0 && flits > 0 && arrived <= flits, "a packet on a link is not as long as its way");
  for (unsigned i = 0; i < branches; ++i)
    a.require(branch[i].sent <= arrived, "a packet has sent more than it has received");
}

void VirtualChannel::serialize(Archive& a) {
  a.list(passages_, 1 << 20);
  a(base_, gone_);
  a.require(gone_ <= passages_.size() && base_ <= ~uint32_t{0} / 2, "packets of a channel have numbers that cannot be");
  a(empty_since_, free_, when_, last_taken_);
  if (!a.loading()) return;
  turn_ = {gone_, gone_};
  arriving_ = 0;
  while (arriving_ < passages_.size() && passages_[arriving_].arrived == passages_[arriving_].flits) ++arriving_;
  a.require(gone_ <= arriving_ && !(from_niu_ && taken()), "a packet has gone before it came");
}

}  // namespace kerr::emu
