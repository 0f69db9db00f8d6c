#include "host/runtime/cq/issue_ring.hpp"

namespace kerr::host::cq {

bool IssueRing::fits(uint32_t bytes) const {
  if (pending() == slots_) return false;
  if (records_.empty()) return true;
  // In use: from the oldest unretired byte up to write_, possibly around the end.
  const uint32_t oldest = records_.front().begin;
  const uint32_t begin = next_offset(bytes);
  if (write_ > oldest) return begin != 0 || bytes <= oldest;  // free: [write_, end) and [0, oldest)
  return begin == write_ && bytes <= oldest - write_;         // free: [write_, oldest)
}

IssueRing::Place IssueRing::push(uint32_t bytes) {
  const Place place{next_slot_, next_offset(bytes)};
  write_ = place.offset + bytes;
  next_slot_ = (next_slot_ + 1) % slots_;
  records_.push_back({place.offset, write_});
  return place;
}

void IssueRing::retire() { records_.pop_front(); }

}  // namespace kerr::host::cq
