// Follows harts through their code: a line for each instruction, as Spike prints it, and the registers behind the last
// one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "arch/grid.hpp"
#include "emu/observe/observer.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::report {

/// The code of one hart, at [begin, end) of what it sees.
struct HartCode {
  arch::NocCoord core;  // translated, for the lines
  arch::Hart hart = arch::Hart::Brisc;
  uint32_t begin = 0, end = 0;
  std::map<uint32_t, std::string> labels{};  // a line of its own where one is reached
};

/// How far a hart has come in its code.
struct HartRun {
  uint64_t instructions = 0;
  emu::Cycle first = 0, last = 0;     // when it executed the first and the last of them
  uint32_t pc = 0;                    // of the last one
  std::array<uint32_t, 32> x{}, f{};  // what they held behind it
};

/// An observer of chip 0. Instructions outside the code, as of the firmware around a kernel, are not followed, nor
/// turns of a polling loop that a parked hart skips (Options::parking). Lines of several tiles are in the order of time
/// only window by window, and in one order always only if the machine has one shard.
///
///   core 1,2 brisc: 0x000086b4 (0x00052283) lw t0, 0(a0)                     # 52348 t0 = 0x000196c0
///   core 1,2 t1:               (0x26000000) MVMUL                            # 52350
///
/// Behind '#': the cycle, and the register that was written. A thread of the coprocessor has no program counter.
class ExecutionLog final : public emu::Observer {
 public:
  using Write = std::function<void(std::string_view lines)>;

  /// Without `write` there are no lines, and tiles may run on several threads.
  explicit ExecutionLog(Write write = {}) : write_(std::move(write)) { index_.fill(kNobody); }

  /// From now on, `code` of a hart of `tile`, which must outlive the run; of a TRISC also the thread that it feeds. Not
  /// while the machine runs, and once for a hart.
  void follow(emu::Tile& tile, HartCode code);
  /// nullptr if that hart is not followed, or has executed nothing of its code.
  const HartRun* run(arch::NocCoord core, arch::Hart hart) const;
  /// Hands the last lines to `write`.
  void flush();

  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override;
  void issued(const emu::Actor& who, uint32_t word) override;

 private:
  static constexpr uint16_t kNobody = 0xFFFF;

  struct Followed {
    const emu::HartState& state;
    HartCode code;
    std::string hart_prefix, thread_prefix;  // of its lines
    HartRun run;
  };
  /// What is the same each time that an instruction is executed.
  struct Text {
    std::string text;
    int8_t integer = -1, floating = -1;  // the register that it writes
  };

  static size_t place_of(uint8_t node, arch::Hart hart) {
    return size_t{node} * arch::kHarts + static_cast<size_t>(hart);
  }
  Followed* find(emu::TileId tile, arch::Hart hart);
  const Text& text_of(uint32_t pc, uint32_t word);
  void add_line(const Followed& hart, emu::Cycle cycle, uint32_t pc, uint32_t word);

  const Write write_;
  std::deque<Followed> followed_;
  std::array<uint16_t, arch::kGridTiles * arch::kHarts> index_;
  std::unordered_map<uint64_t, Text> texts_;  // by pc and word
  std::string lines_;                         // not yet written
};

}  // namespace kerr::report
