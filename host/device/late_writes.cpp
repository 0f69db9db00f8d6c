#include "host/device/late_writes.hpp"

#include <algorithm>
#include <cstring>

namespace kerr::host {

void LateWrites::add(Bar bar, uint64_t offset, std::span<const std::byte> bytes, const Emit& emit) {
  constexpr uint64_t kOneInSoMany = 8;  // stores after which some line leaves for no reason
  while (!bytes.empty()) {
    const uint64_t line_offset = offset & ~(kLineBytes - 1), in_line = offset - line_offset;
    const auto n = static_cast<size_t>(std::min<uint64_t>(bytes.size(), kLineBytes - in_line));
    auto line = std::find_if(lines_.begin(), lines_.end(),
                             [&](const Line& l) { return l.bar == bar && l.offset == line_offset; });
    if (line == lines_.end()) {
      if (lines_.size() == kLines) leave(random_() % lines_.size(), emit);
      line = lines_.insert(lines_.end(), {bar, line_offset, 0, {}});
    }
    std::memcpy(line->bytes.data() + in_line, bytes.data(), n);
    line->valid |= (n == kLineBytes ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << in_line;
    if (random_() % kOneInSoMany == 0) leave(random_() % lines_.size(), emit);
    offset += n;
    bytes = bytes.subspan(n);
  }
}

// Words of up to 8 bytes each, first or last first: nothing may depend on the order inside a line either.
void LateWrites::leave(size_t index, const Emit& emit) {
  const Line line = lines_[index];
  lines_.erase(lines_.begin() + static_cast<ptrdiff_t>(index));
  const bool backwards = random_() % 2 != 0;
  if (line.valid == ~uint64_t{0} && !backwards) return emit(line.bar, line.offset, line.bytes);
  constexpr uint64_t kWord = 8;
  for (uint64_t i = 0; i < kLineBytes / kWord; ++i) {
    const uint64_t word = kWord * (backwards ? kLineBytes / kWord - 1 - i : i);
    for (uint64_t from = word; from < word + kWord;) {
      uint64_t to = from;
      while (to < word + kWord && (line.valid >> to & 1) != 0) ++to;
      if (to != from) emit(line.bar, line.offset + from, std::span(line.bytes).subspan(from, to - from));
      from = to + 1;
    }
  }
}

void LateWrites::drain(const Emit& emit) {
  while (!lines_.empty()) leave(random_() % lines_.size(), emit);
}

}  // namespace kerr::host
