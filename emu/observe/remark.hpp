// What a program holds that silicon takes no notice of: executed as silicon does, and noted.
// docs/architecture.md "Remarks"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/fault.hpp"

namespace kerr::emu {

class Archive;

/// The kinds of odd things: a row of oddities.def each.
enum class Oddity : uint8_t {
#define X(name, ...) name,
#include "emu/observe/oddities.def"
};
inline constexpr size_t kOddities = 0
#define X(...) +1
#include "emu/observe/oddities.def"
    ;
static_assert(kOddities <= 64, "tensix::Tolerance has a bit for each");

struct Remark {
  Oddity oddity{};
  uint32_t instruction = 0;  // the Tensix word that came first
  uint32_t bits = 0;         // those that silicon does not look at, or the value that is odd
  Cycle cycle = 0;           // where that was
  TileId tile;
  Agent agent = Agent::Thread0;
  uint64_t times = 1;
  uint32_t tiles = 1;  // of how many: in what Machine::remarks() gives

  /// What is odd, and what silicon does: "operand bits 0x200000 of INCRWC have no meaning", "they are ignored".
  std::string what() const;
  std::string_view consequence() const;
  /// One line without its end: the instruction, what is odd, where it was first, how often.
  std::string text() const;
  void serialize(Archive& archive);
};

/// The category that a strict machine gives the fault, and what to do about it.
FaultCategory category_of(Oddity oddity);
std::string_view advice_for(Oddity oddity);

/// The remarks of one coprocessor: one for each (opcode, oddity, bits, thread), with how often it came.
class RemarkLog {
 public:
  static constexpr size_t kMost = 64;  // further ones are counted, not kept

  void note(const Remark& remark);
  /// If it is the one that came last, as in a loop: counts it.
  bool again(uint32_t instruction, Oddity oddity, uint32_t bits, Agent agent) {
    if (last_ >= remarks_.size()) return false;
    Remark& r = remarks_[last_];
    if (r.instruction >> 24 != instruction >> 24 || r.oddity != oddity || r.bits != bits || r.agent != agent)
      return false;
    ++r.times;
    return true;
  }
  const std::vector<Remark>& remarks() const { return remarks_; }
  uint64_t further() const { return further_; }
  /// Whether one was added since the last call.
  bool take_news() { return std::exchange(news_, false); }
  void serialize(Archive& archive);

 private:
  std::vector<Remark> remarks_;
  uint64_t further_ = 0;
  size_t last_ = 0;  // the one that came last: in a loop it comes again
  bool news_ = false;
};

/// What several logs say, one remark for each (opcode, oddity, bits): the first of them by (cycle, tile, agent), in
/// that order, with the sum of times and the number of tiles.
std::vector<Remark> merged(std::vector<Remark> remarks);

}  // namespace kerr::emu
