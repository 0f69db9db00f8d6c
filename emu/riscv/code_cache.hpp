// Decoded instructions, by line of L1.   docs/architecture.md "One attribute byte for each 64-byte line of L1"
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emu/memory/in_large_pages.hpp"
#include "emu/memory/l1.hpp"
#include "emu/memory/pages.hpp"
#include "emu/options.hpp"
#include "emu/riscv/fast/micro_op.hpp"

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
  explicit DecodedLines(Listeners listeners = {}) : listeners_(listeners) {}
  explicit DecodedLines(const Options& options)
      : DecodedLines(Listeners{.prints = options.prints != nullptr, .observed = options.observer != nullptr}) {}

  void translate(DecodedLine& line) const { emu::translate(line.instructions, line.micro_ops, listeners_); }
  bool observed() const { return listeners_.observed; }
  /// The 64 bytes at `line`, decoded; until it is given back as often as it was taken.
  const DecodedLine* take(const uint8_t* line);
  void give_back(const DecodedLine* line);

 private:
  using Content = std::array<uint8_t, L1::kLineBytes>;
  struct Hash {
    size_t operator()(const Content& content) const;
  };
  struct Shared : DecodedLine {
    uint32_t takers = 0;
  };

  const Listeners listeners_;
  std::mutex mutex_;
  std::unordered_map<Content, Shared, Hash> lines_;  // also what nobody has any more, for a while
  size_t prune_at_ = 1024;
};

/// One tile's view: which lines of its L1 are decoded. A write to a decoded line drops it (L1::kDecoded,
/// Agents::before_write), so self-modifying and freshly uploaded code is always seen.
class CodeCache {
 public:
  explicit CodeCache(L1& l1, std::shared_ptr<DecodedLines> shared = nullptr);
  ~CodeCache();

  /// The decoded line, decoding it now if need be. `line` < L1::kLines. Valid until changes() moves.
  const DecodedLine* line(uint32_t index) {
    const DecodedLine* const decoded = index < kNearLines ? near_->lines[index]
                                       : far_             ? far_lines()[index - kNearLines]
                                                          : nullptr;
    return decoded ? decoded : decode(index);
  }
  const MicroOp* micro_ops(uint32_t index) { return line(index)->micro_ops.data(); }
  void drop(uint32_t line);
  /// From now on the loops find kStopInstruction at these addresses, sorted, and only there. Harts must not be parked.
  void stop_at(std::vector<uint32_t> addresses);
  /// The fast loop that the lines were translated for.
  bool observed() const { return shared_->observed(); }
  /// Counts drops: whoever keeps a pointer from line() compares.
  uint64_t changes() const { return changes_; }

 private:
  static constexpr uint32_t kNearLines = 1024;  // the 64 KiB in which firmware lies
  struct Near : InLargePages {
    std::array<const DecodedLine*, kNearLines> lines{};
  };
  static constexpr size_t kFarBytes = (L1::kLines - kNearLines) * sizeof(const DecodedLine*);

  /// Lines that hold addresses of stop_at().
  struct Stops {
    std::vector<uint32_t> addresses;
    std::map<uint32_t, DecodedLine> lines;
  };

  const DecodedLine* decode(uint32_t line);
  const DecodedLine* with_stops(uint32_t line, const DecodedLine* decoded);
  void give_back(uint32_t line, const DecodedLine* decoded);
  const DecodedLine*& slot(uint32_t line);
  const DecodedLine** far_lines() const { return reinterpret_cast<const DecodedLine**>(far_.data()); }

  L1& l1_;
  std::shared_ptr<DecodedLines> shared_;
  std::unique_ptr<Near> near_;
  ZeroedPages far_;  // of all others, once there is one: few of these pages are touched
  uint64_t changes_ = 0;
  std::unique_ptr<Stops> stops_;
};

}  // namespace kerr::emu
