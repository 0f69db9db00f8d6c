#include "check/caches/fetched_code.hpp"

#include <algorithm>

namespace kerr::check {

void FetchedCode::written_over(uint64_t address, uint64_t bytes, const Stamp& by) {
  constexpr size_t kMost = 256;
  const uint64_t end = std::min<uint64_t>(address + bytes, arch::kL1Bytes);
  for (uint64_t at = address; at < end;) {
    const uint64_t line = at / kLineBytes, until = std::min(end, (line + 1) * kLineBytes);
    if (any_[line]) {
      uint8_t harts = 0;
      for (size_t h = 0; h < lines_.size(); ++h) harts |= static_cast<uint8_t>(lines_[h][line] << h);
      if (harts == 0) {
        any_.reset(line);
      } else if (!old_.empty() && old_.back().end == at && old_.back().harts == harts &&
                 old_.back().by.same_access(by)) {
        old_.back().end = until;
      } else {
        if (old_.size() >= kMost) old_.erase(old_.begin());
        old_.push_back({at, until, harts, by});
      }
    }
    at = until;
  }
}

void FetchedCode::forget(size_t hart) {
  lines_[hart].reset();
  std::erase_if(old_, [&](Old& old) {
    old.harts &= static_cast<uint8_t>(~(1u << hart));
    return old.harts == 0;
  });
}

const Stamp* FetchedCode::take_old(size_t hart, uint32_t pc) {
  for (Old& old : old_) {
    if (pc + 4 <= old.begin || pc >= old.end || (old.harts >> hart & 1) == 0) continue;
    old.harts &= static_cast<uint8_t>(~(1u << hart));
    taken_ = old.by;
    if (old.harts == 0) old_.erase(old_.begin() + (&old - old_.data()));
    return &taken_;
  }
  return nullptr;
}

}  // namespace kerr::check
