// RISC_DBG_CNTL and RISC_DBG_STATUS: how a debugger over the NoC halts, steps and looks at the harts of a tile.
// docs/hardware/tile.md 1.11
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// Without state: the four words are storage of the debug page, and the DR registers lie in the harts (HartDebug). In a
/// Tensix tile those of all but NCRISC have some; in an Ethernet tile E0, in the place of BRISC, and E1, in that of
/// NCRISC.
class DebugInterface {
 public:
  struct Words {
    uint32_t control = 0, data = 0, status = 0, result = 0;  // CNTL_0, CNTL_1, STATUS_0, STATUS_1
  };

  DebugInterface(TileId tile, std::array<Hart, kHarts>& harts, L1& l1, HartBus& bus, WaitBoard& board)
      : tile_(tile), harts_(harts), l1_(l1), bus_(bus), board_(board) {}

  /// A store of `value` to CNTL_0. A trigger that comes reads or writes a DR register at once.
  void control(Words& words, uint32_t value, Cycle now);
  /// What DBG_RD_DATA shows of a hart, if DBG_BUS_CTRL selects its pc.
  std::optional<uint32_t> pc_on_bus(uint32_t bus_control);

 private:
  /// nullptr: no hart has that number.
  Hart* hart_of(uint32_t control);
  uint32_t read(const Hart& hart, uint32_t index) const;
  void write(Hart& hart, uint32_t index, uint32_t value, Cycle now);
  void command(Hart& hart, uint32_t bits, Cycle now);
  void resume(Hart& hart, Cycle now);
  uint32_t load(Hart& hart, uint32_t address);
  void store(Hart& hart, uint32_t address, uint32_t value);

  const TileId tile_;
  std::array<Hart, kHarts>& harts_;
  L1& l1_;
  HartBus& bus_;
  WaitBoard& board_;
};

}  // namespace kerr::emu
