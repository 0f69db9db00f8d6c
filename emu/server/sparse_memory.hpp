// Gigabytes of memory of which only touched pages exist.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// Zeroed memory that the operating system provides page by page. Address space is taken in parts, when somebody first
/// writes there: a process may have a limit. A read of what was never written touches nothing.
class SparseMemory {
 public:
  static constexpr uint64_t kBlockBytes = 64 * 1024;  // granularity of "was it ever written"

  static constexpr uint64_t kPartBytes = 64ull << 20;  // a multiple of kBlockBytes

  /// `bytes` is a multiple of kBlockBytes.
  explicit SparseMemory(uint64_t bytes);
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

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
    const uint8_t* const part = parts_[offset / kPartBytes];
    return part == nullptr ? nullptr : part + offset % kPartBytes;
  }
  uint32_t load32(uint64_t offset) const;
  void store32(uint64_t offset, uint32_t value);

  /// A hash of the contents: equal for equal bytes, whether a zero was written or never touched.
  uint64_t state_hash() const;
  /// Bytes in blocks that were written at least once.
  uint64_t touched_bytes() const;
  void serialize(Archive& archive);

 private:
  bool all_zero(uint64_t block) const;
  bool written(uint64_t block) const { return !blocks_.empty() && (blocks_[block / 64] >> (block % 64)) & 1; }

  uint8_t* provide(uint64_t offset);
  void write_part(uint64_t offset, std::span<const uint8_t> in);
  uint64_t size_of_part(size_t n) const { return std::min(kPartBytes, bytes_ - n * kPartBytes); }

  uint64_t bytes_;
  std::vector<uint8_t*> parts_;
  std::vector<uint64_t> blocks_;  // one bit a block; empty until the first write
};

}  // namespace kerr::emu
