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
  static constexpr std::uint64_t kBlockBytes = 64 * 1024;  // granularity of "was it ever written"

  static constexpr std::uint64_t kPartBytes = 64ull << 20;  // a multiple of kBlockBytes

  /// `bytes` is a multiple of kBlockBytes.
  explicit SparseMemory(std::uint64_t bytes);
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  bool contains(std::uint64_t offset, std::uint64_t count) const {
    return offset <= bytes_ && count <= bytes_ - offset;
  }

  /// The caller has checked contains().
  void read(std::uint64_t offset, std::span<std::uint8_t> out) const;
  /// Throws std::bad_alloc.
  void write(std::uint64_t offset, std::span<const std::uint8_t> in);
  /// The bytes themselves, if all of them lie in blocks that were written, in one part; empty otherwise. count >= 1.
  std::span<const std::uint8_t> written_bytes(std::uint64_t offset, std::size_t count) const;
  /// Up to the end of its part; nullptr if nothing was ever written there.
  const std::uint8_t* at(std::uint64_t offset) const {
    const std::uint8_t* const part = parts_[offset / kPartBytes];
    return part == nullptr ? nullptr : part + offset % kPartBytes;
  }
  std::uint32_t load32(std::uint64_t offset) const;
  void store32(std::uint64_t offset, std::uint32_t value);

  /// A hash of the contents: equal for equal bytes, whether a zero was written or never touched.
  std::uint64_t state_hash() const;
  /// Bytes in blocks that were written at least once.
  std::uint64_t touched_bytes() const;
  void serialize(Archive& archive);

 private:
  bool all_zero(std::uint64_t block) const;
  bool written(std::uint64_t block) const { return !blocks_.empty() && (blocks_[block / 64] >> (block % 64)) & 1; }

  std::uint8_t* provide(std::uint64_t offset);
  void write_part(std::uint64_t offset, std::span<const std::uint8_t> in);
  std::uint64_t size_of_part(std::size_t n) const { return std::min(kPartBytes, bytes_ - n * kPartBytes); }

  std::uint64_t bytes_;
  std::vector<std::uint8_t*> parts_;
  std::vector<std::uint64_t> blocks_;  // one bit a block; empty until the first write
};

}  // namespace kerr::emu
