// One Blackhole chip: its parts, in order, and where each is to be found.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/boards.hpp"
#include "emu/chip/pci_function.hpp"
#include "emu/chip/tile_table.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/observe/debugger.hpp"
#include "emu/server/arc.hpp"
#include "emu/server/bare_nodes.hpp"
#include "emu/server/dram_bank.hpp"
#include "emu/server/host_memory.hpp"
#include "emu/server/pcie_tile.hpp"
#include "emu/server/server.hpp"

namespace kerr::emu {

/// Cheap to make: memory and tiles come into being when they are touched.
struct Chip {
  /// The board is options.boards[index]. Throws std::invalid_argument if no such board can exist. `lines`: decoded code
  /// that all tiles of a machine share. `host` may be nullptr: no host memory.
  Chip(int index, const Options& options, std::shared_ptr<DecodedLines> lines, HostMemory* host);
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;

  const int index;
  const arch::Board board;
  const NocGeometry geometry;  // emu/noc/geometry.hpp: which node is where, and how coordinates translate

  TileTable tiles;                                               // emu/chip/tile_table.hpp, emu/tile/
  std::array<std::unique_ptr<DramBank>, arch::kDramBanks> dram;  // emu/server/dram_bank.hpp
  PcieTile pcie;                                                 // emu/server/pcie_tile.hpp
  Arc arc;                                                       // emu/server/arc.hpp
  BareNodes bare;                                                // emu/server/bare_nodes.hpp
  PciFunction function;                                          // emu/chip/pci_function.hpp: the host's side

  Cycle now = 0;  // the machine's time

  /// Who answers at a node without harts in working order.
  Server& server_at(uint8_t node);
  /// Is told what the host writes to servers. nullptr: nobody.
  void set_debugger(Debugger* debugger) { debugger_ = debugger; }
  /// All of them, each once, in a fixed order.
  const std::vector<Server*>& servers() const { return servers_; }
  /// From now on `server` answers at `node`, which must hold no tile with harts: the end of a link to another chip.
  void attach(uint8_t node, std::unique_ptr<Server> server);
  bool has_links() const { return !attached_.empty(); }

  void set_time(Cycle cycle);

  /// What the host does to a tile, at once, at the machine's time.
  std::optional<Fault> read_tile(int noc, TileId tile, uint64_t address, std::span<uint8_t> out);
  std::optional<Fault> write_tile(HostWay way, TileId tile, uint64_t address, std::span<const uint8_t> bytes);

  /// The same by the coordinate that programs on NoC 0 use, and over it; writes are acknowledged.
  std::optional<Fault> read_coordinate(uint32_t x, uint32_t y, uint64_t address, std::span<uint8_t> out);
  std::optional<Fault> write_coordinate(uint32_t x, uint32_t y, uint64_t address, std::span<const uint8_t> bytes);

  void serialize(Archive& archive);

 private:
  Fault no_such_tile(uint32_t x, uint32_t y, uint64_t address) const;
  void tell(AccessKind kind, TileId tile, uint64_t address, size_t bytes) const;

  std::vector<Server*> servers_;
  std::map<uint8_t, std::unique_ptr<Server>> attached_;
  Observer* const observer_;
  Debugger* debugger_ = nullptr;
};

}  // namespace kerr::emu
