// Decoded instructions, by line of L1.   docs/architecture.md "One attribute byte per 64-byte line of L1"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "emu/riscv/micro_op.hpp"
#include "emu/tile/l1.hpp"

namespace kerr::emu {

/// Sixteen instructions: the decoded form of one line of L1. Immutable, shared by all tiles that hold the same bytes.
struct DecodedLine {
  LineInstructions instructions;  // for the plain loop
  LineMicroOps micro_ops;         // for the fast loop
};
static_assert(kLineInstructions == L1::kLineBytes / 4);

/// Decoded lines interned by content. One for a machine; thread-safe.
class DecodedLines {
 public:
  std::shared_ptr<const DecodedLine> intern(const std::uint8_t* line);
  std::size_t size() const;

 private:
  using Content = std::array<std::uint8_t, L1::kLineBytes>;
  struct Hash {
    std::size_t operator()(const Content& content) const;
  };

  mutable std::mutex mutex_;
  std::unordered_map<Content, std::weak_ptr<const DecodedLine>, Hash> lines_;
  std::size_t prune_at_ = 1024;
};

/// One tile's view: which lines of its L1 are decoded. A write to a decoded line drops it (L1::kDecoded, Agents::before_write), so
/// self-modifying and freshly uploaded code is always seen.
class CodeCache {
 public:
  explicit CodeCache(L1& l1, std::shared_ptr<DecodedLines> shared = nullptr);

  /// The decoded line, decoding it now if need be. `line` < L1::kLines. Valid until changes() moves.
  const DecodedLine* line(std::uint32_t index) {
    if (const DecodedLine* decoded = lines_[index]) [[likely]] return decoded;
    return decode(index);
  }
  const MicroOp* micro_ops(std::uint32_t index) { return line(index)->micro_ops.data(); }
  void drop(std::uint32_t line);
  /// Counts drops: whoever keeps a pointer from line() compares.
  std::uint64_t changes() const { return changes_; }

 private:
  static constexpr std::uint32_t kPageLines = 64;
  using Page = std::array<std::shared_ptr<const DecodedLine>, kPageLines>;

  const DecodedLine* decode(std::uint32_t line);

  L1& l1_;
  std::shared_ptr<DecodedLines> shared_;
  std::array<std::unique_ptr<Page>, L1::kLines / kPageLines> pages_;  // who keeps the lines
  struct Unmap {
    void operator()(void* memory) const;
  };
  std::unique_ptr<const DecodedLine*[], Unmap> lines_;  // zeroed by the operating system, page by page as it is touched
  std::uint64_t changes_ = 0;
};

}  // namespace kerr::emu
