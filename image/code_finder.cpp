#include "image/code_finder.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace kerr::image {

uint64_t CodeFinder::key(const uint8_t* bytes) {
  uint64_t low, high;
  std::memcpy(&low, bytes, 8);
  std::memcpy(&high, bytes + 8, 8);
  return (low ^ low >> 29) * 0x9E37'79B9'7F4A'7C15 + (high ^ high >> 31) * 0xC2B2'AE3D'27D4'EB4F;
}

// Counts what comes into each bucket, then puts it there: many times faster than sorting where memory is full of data.
CodeFinder::CodeFinder(std::span<const uint8_t> memory) : memory_(memory), begins_(kBuckets + 1) {
  constexpr uint8_t kZeros[kStretch] = {};
  const auto for_each = [&](auto&& take) {
    for (size_t at = 0; at + kStretch <= memory_.size(); at += 4)
      if (std::memcmp(memory_.data() + at, kZeros, kStretch) != 0) take(key(memory_.data() + at), at);
  };
  for_each([&](uint64_t key, size_t) { ++begins_[bucket(key) + 1]; });
  for (size_t i = 0; i < kBuckets; ++i) begins_[i + 1] += begins_[i];
  entries_.resize(begins_.back());
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for_each([&](uint64_t key, size_t at) { entries_[next[bucket(key)]++] = {key, static_cast<uint32_t>(at)}; });
}

std::vector<CodeFinder::Place> CodeFinder::places(const Image& image) const {
  const Segment* code = nullptr;
  for (const Segment& segment : image.segments)
    if (segment.executable && (code == nullptr || segment.bytes.size() > code->bytes.size())) code = &segment;
  if (code == nullptr || code->bytes.size() < kStretch) return {};
  const std::vector<uint8_t>& bytes = code->bytes;

  constexpr size_t kMostTries = 256, kMostAlike = 16;  // a stretch that is everywhere says nothing
  const size_t pace = std::max<size_t>(4, bytes.size() / kMostTries / 4 * 4);
  std::map<uint32_t, size_t> votes;  // by where the segment would begin
  for (size_t at = 0; at + kStretch <= bytes.size(); at += pace) {
    const uint64_t wanted = key(bytes.data() + at);
    const std::span<const Entry> near(entries_.data() + begins_[bucket(wanted)],
                                      begins_[bucket(wanted) + 1] - begins_[bucket(wanted)]);
    std::vector<uint32_t> there;
    for (const Entry& entry : near) {
      if (entry.key == wanted) there.push_back(entry.at);
      if (there.size() > kMostAlike) break;
    }
    if (there.size() > kMostAlike) continue;
    for (const uint32_t place : there)
      if (place >= at) ++votes[place - static_cast<uint32_t>(at)];
  }

  std::vector<Place> out;
  const size_t words = bytes.size() / 4;
  const auto most_different = static_cast<size_t>(static_cast<double>(words) * (1 - kLeastLikeness));
  for (const auto& [begin, count] : votes) {
    if (bytes.size() > memory_.size() - begin) continue;
    size_t different = 0;
    for (size_t i = 0; i < words && different <= most_different; ++i)
      different += std::memcmp(memory_.data() + begin + 4 * i, bytes.data() + 4 * i, 4) == 0 ? 0 : 1;
    if (different > most_different) continue;
    const double likeness = static_cast<double>(words - different) / static_cast<double>(words);
    out.push_back({begin - code->address, likeness, begin, begin + static_cast<uint32_t>(bytes.size())});
  }
  std::ranges::stable_sort(out, [](const Place& a, const Place& b) { return a.likeness > b.likeness; });
  return out;
}

}  // namespace kerr::image
