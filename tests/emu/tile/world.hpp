// A few tiles of a P100A and the smallest fabric that can join them: a message arrives 256 cycles after it was sent.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tile/tile.hpp"
#include "isa/assembler.hpp"

namespace kerr::emu {

enum class Mode { Fast, NoParking, Reference };
inline constexpr std::array kModes{Mode::Fast, Mode::NoParking, Mode::Reference};

class World {
 public:
  explicit World(Mode mode = Mode::Fast, Timing timing = Timing::Relaxed,
                 InstructionCaching icache = InstructionCaching::Coherent)
      : options_{.scheduler = mode == Mode::Reference ? Scheduler::Reference : Scheduler::Fast,
                 .timing = timing,
                 .parking = mode == Mode::Fast,
                 .icache = icache} {}

  /// The tile at a translated coordinate, made when it is first named.
  Tile& tile(int x = 1, int y = 2);
  /// Runs whole windows, `cycles` at least.
  void run(Cycle cycles = 4096);
  uint64_t state_hash() const;

  /// Messages to nodes without a tile, in the order of sending.
  std::vector<Message> elsewhere;
  const NocGeometry geometry{arch::kP100a.harvesting};

 private:
  void deliver();

  const Options options_;
  std::shared_ptr<DecodedLines> lines_ = std::make_shared<DecodedLines>();
  std::map<uint8_t, std::unique_ptr<Tile>> tiles_;
  Cycle time_ = 0;
};

// --- the host's hands ---

uint32_t word(Tile& tile, uint64_t address);
bool set(Tile& tile, uint64_t address, uint32_t value);
/// Text of the only fault of the tile, "" if there is none.
std::string the_fault(Tile& tile);

using Program = std::function<void(isa::Assembler&)>;

/// Assembles `program`, ends it with a jump to itself, and releases the hart at it.
void start(Tile& tile, arch::Hart hart, const Program& program);

/// One request of a NIU, written into a command buffer by the host and issued.
struct Request {
  uint32_t ctrl = arch::niu::kCtrlWordWrite;
  uint32_t targ = 0, targ_mid = 0, targ_hi = 0;
  uint32_t ret = 0, ret_mid = 0, ret_hi = 0;
  uint32_t length = 0, data = 0, exclude = 0, tag = 0;
};
bool issue(Tile& tile, const Request& r, int noc = 0, int buffer = 0);
constexpr uint32_t at(uint32_t x, uint32_t y) { return y << 6 | x; }
uint32_t counter(Tile& tile, int index, int noc = 0);

}  // namespace kerr::emu
