// Where code of an image lies in a memory that somebody has loaded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/image.hpp"

namespace kerr::image {

/// Finds images by their bytes, also where a loader has moved them and changed words that hold addresses. The memory
/// must stay as it is meanwhile.
class CodeFinder {
 public:
  struct Place {
    uint32_t moved = 0;           // added to the image's addresses, modulo 2^32
    double likeness = 0;          // how many of the code's words are there, from kLeastLikeness to 1
    uint32_t begin = 0, end = 0;  // of the code in the memory
  };
  static constexpr double kLeastLikeness = 0.75;

  explicit CodeFinder(std::span<const uint8_t> memory);

  /// The places of the image's largest executable segment, the most alike first. Empty: it is not there, or has fewer
  /// than 16 bytes.
  std::vector<Place> places(const Image& image) const;

 private:
  static constexpr size_t kStretch = 16;  // bytes that are looked up at once
  static constexpr size_t kBuckets = 1 << 16;
  struct Entry {
    uint64_t key = 0;
    uint32_t at = 0;
  };
  static uint64_t key(const uint8_t* bytes);
  static size_t bucket(uint64_t key) { return key >> 48; }

  std::span<const uint8_t> memory_;
  std::vector<Entry> entries_;    // of stretches that are not all zero, bucket by bucket
  std::vector<uint32_t> begins_;  // of each bucket, and the end of the last one
};

}  // namespace kerr::image
