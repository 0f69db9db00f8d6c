#include "check/code_library.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kerr::check {

namespace {

constexpr size_t kWord = 4, kLeastWords = 4, kMostWords = CodeLibrary::kLooksAt / kWord;

// How many of 1024 words are the same; 0: too few.
uint32_t likeness(std::span<const uint8_t> l1, std::span<const uint8_t> code) {
  const size_t words = std::min({code.size() / kWord, l1.size() / kWord, kMostWords});
  if (words < kLeastWords || l1.size() < code.size()) return 0;
  size_t same = 0;
  for (size_t n = 0; n < words; ++n) {
    same += std::memcmp(l1.data() + kWord * n, code.data() + kWord * n, kWord) == 0 ? 1 : 0;
  }
  return same >= kLeastWords ? static_cast<uint32_t>(1024 * same / words) : 0;
}

}  // namespace

void CodeLibrary::add(std::string name, image::Image image) {
  const auto shared = std::make_shared<const image::Image>(std::move(image));
  for (const image::Segment& segment : shared->segments) {
    if (!segment.executable) continue;
    const auto put = [&](uint32_t begin) {
      if (!segment.contains(begin) || begin - segment.address >= segment.bytes.size()) return;
      const uint32_t at = begin - segment.address;
      if (!entries_.empty() && entries_.back().image == shared && entries_.back().address == begin) return;
      entries_.push_back({name, shared, begin, segment.load_address + at, std::span(segment.bytes).subspan(at)});
    };
    put(segment.address);
    put(shared->entry);  // linkers put headers before it
  }
}

const CodeLibrary::Entry* CodeLibrary::at(std::span<const uint8_t> l1, uint32_t address) const {
  if (address >= l1.size()) return nullptr;
  constexpr uint32_t kEnough = 800;  // of 1024
  const Entry* best = nullptr;
  uint32_t most = kEnough - 1;
  for (const Entry& entry : entries_) {
    const uint32_t like = likeness(l1.subspan(address), entry.bytes);
    if (like <= most) continue;
    most = like;
    best = &entry;
  }
  return best;
}

}  // namespace kerr::check
