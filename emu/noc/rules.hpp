// Which transfers a NIU accepts: address classes and alignment.   docs/hardware/noc.md 3.2 to 3.4, 4
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/grid.hpp"
#include "emu/observe/fault.hpp"

namespace kerr::emu {

/// Why a request is not carried out. Silicon promises nothing for any of these.
struct Refusal {
  FaultCategory category;
  std::string what;
  std::string advice;
};

/// What lies at an address of a tile.
enum class Space : uint8_t { L1, Registers, Unmapped, Memory };

/// One side of a transfer.
struct End {
  arch::TileClass tile;
  uint64_t address;
};

/// Tensix and Ethernet: L1, then nothing, then registers from 0xFF000000, all in 32 bits. DRAM, PCIe and ARC: memory
/// behind 64 bits, whose bounds the server of that tile knows.
Space space_of(End end);

/// Data moves from `source` to `destination`, by a read or by a write. `bytes` > 0.
std::optional<Refusal> check_transfer(End source, End destination, uint32_t bytes);
/// Four bytes of AT_DATA go to a register.
std::optional<Refusal> check_inline_write(End destination);
/// `fields` is NOC_AT_LEN_BE; `result` is where a non-posted atomic returns the old value.
std::optional<Refusal> check_atomic(End target, uint32_t fields);
std::optional<Refusal> check_atomic_result(End result);

}  // namespace kerr::emu
