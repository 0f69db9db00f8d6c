// Gigabytes of memory of which only touched pages exist.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "emu/memory/pages.hpp"

namespace kerr::emu {

/// Zeroed memory that the operating system provides page by page. Address space is taken in parts, when somebody first
/// writes there: a process may have a limit. A read of what was never written touches nothing.
class SparseMemory {
 public:
  static constexpr uint64_t kBlockBytes = 64 * 1024;  // granularity of "was it ever written"

  static constexpr uint64_t kPartBytes = 64ull << 20;  // a multiple of kBlockBytes

  /// `bytes` is a multiple of kBlockBytes.
  explicit SparseMemory(uint64_t bytes);

  uint64_t bytes() const { return bytes_; }
  bool contains(uint64_t offset, uint64_t count) const { return offset <= bytes_ && count <= bytes_ - offset; }

  /// The caller has checked contains().
  void read(uint64_t offset, std::span<uint8_t> out) const;
  /// Throws std::bad_alloc.
  void write(uint64_t offset, std::span<const uint8_t> in);
  /// The bytes themselves, if all of them lie in blocks that were written, in one part; empty otherwise. count >= 1.
  std::span<const uint8_t> written_bytes(uint64_t offset, size_t count) const;
  /// Up to the end of its part; nullptr if nothing was ever written there.
  const uint8_t* at(uint64_t offset) const {
    const uint8_t* const part = parts_[offset / kPartBytes].data();
    return part == nullptr ? nullptr : part + offset % kPartBytes;
  }
  uint32_t load32(uint64_t offset) const;
  void store32(uint64_t offset, uint32_t value);

  /// A hash of the contents: equal for equal bytes, whether a zero was written or never touched.
  uint64_t state_hash() const;
  /// Bytes in blocks that were written at least once.
  uint64_t touched_bytes() const;
  template <class Archive>
  void serialize(Archive& archive);

 private:
  bool all_zero(uint64_t block) const;
  bool written(uint64_t block) const { return !blocks_.empty() && (blocks_[block / 64] >> (block % 64)) & 1; }

  uint8_t* provide(uint64_t offset);
  void write_part(uint64_t offset, std::span<const uint8_t> in);

  uint64_t bytes_;
  std::vector<ZeroedPages> parts_;
  std::vector<uint64_t> blocks_;  // one bit a block; empty until the first write
};

// What each block is worth, then the bytes of those that are not zero. Loading touches no others.
template <class Archive>
void SparseMemory::serialize(Archive& a) {
  if (a.hashing()) {
    uint64_t hash = state_hash();
    return a(hash);
  }
  enum : uint8_t { kUntouched, kZero, kBytes };
  std::vector<uint8_t> kinds(bytes_ / kBlockBytes);
  if (!a.loading()) {
    for (uint64_t block = 0; block < kinds.size(); ++block)
      kinds[block] = !written(block) ? kUntouched : all_zero(block) ? kZero : kBytes;
  }
  a.raw_bytes(kinds.data(), kinds.size());
  if (a.loading()) {
    for (uint64_t block = 0; block < kinds.size(); ++block) {
      // A constructor may have written a few words.
      if (written(block) && kinds[block] != kBytes) std::memset(provide(block * kBlockBytes), 0, kBlockBytes);
    }
    blocks_.assign((kinds.size() + 63) / 64, 0);
  }
  for (uint64_t block = 0; block < kinds.size(); ++block) {
    if (kinds[block] == kUntouched) continue;
    if (a.loading()) blocks_[block / 64] |= uint64_t{1} << (block % 64);
    if (kinds[block] == kBytes) a.raw_bytes(provide(block * kBlockBytes), kBlockBytes);
  }
}

}  // namespace kerr::emu
