// Tiles, harts, addresses and numbers as reports write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "check/finding.hpp"

namespace kerr::check {

/// Writes tiles in the coordinates that kernels use.
class Places {
 public:
  /// Without boards: raw coordinates.
  Places() = default;
  explicit Places(const std::vector<arch::Board>& boards);

  /// Translated.
  arch::NocCoord of(TileId tile) const;
  /// "(3,2)", on a machine of several chips "chip 1 (3,2)".
  std::string text(TileId tile) const;
  /// Rectangles, row by row: "(1..6,2) (1..6,3)"; cut off behind `most` with " ...".
  std::string rectangles(std::span<const TileId> tiles, size_t most) const;

 private:
  std::vector<arch::Harvesting> chips_;
};

/// "118" and "10,422,113".
std::string grouped(uint64_t number);
/// "1 error", "2,304 errors".
std::string counted(uint64_t number, std::string_view what);
/// "0x0003_9800": at least eight digits, in fours.
std::string address_text(uint64_t address);
/// "0x0003_9800..0x0003_9FFF", or the address alone of one byte and of none.
std::string range_text(uint64_t address, uint64_t bytes);
/// "L1 0x0003_9800..0x0003_9FFF = CB 0 page 3", of another tile than `seen_from` "L1 0x0003_9800 of (4,2)"; empty of an
/// object without a space and a name.
std::string text(const Object& object, const Places& places, TileId seen_from);

/// "hart", "thread", "unpacker", "packer", "mover", "transfer", "host".
std::string_view name(Site::Who who);
/// "reader_tiles()+0x5c", or "kernel 'reader'"; empty if neither is known.
std::string function_text(const Site& site);
/// "reader.cpp:71", "reader.cpp:71 (dram_tiles.cpp:80)", "noc_async_read() inlined at reader.cpp:71"; empty: no line.
std::string file_text(const Site& site);
/// The instruction of a site, disassembled; empty if it is not known.
std::string instruction_text(const Site& site);

/// The text without what a terminal would obey: control characters become '?'.
std::string printable(std::string_view text);

}  // namespace kerr::check
