// tt-metal's print buffers, as the device writes them into L1: read, and never touched.   docs/guide/prints.md
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kerr::prints {

/// Five buffers side by side, one for each hart: words wpos and rpos, two half words, and 192 bytes of items, each a
/// type, a size and its bytes.   docs/hardware/tile.md 7.2
namespace stock {
inline constexpr uint32_t kUsualAddress = 0x4B8;  // in firmware of the first kind
inline constexpr uint32_t kBytes = 204, kData = 12, kDataBytes = kBytes - kData;
/// In wpos: the host will read, and the device has not printed yet; the host has switched the hart's prints off.
inline constexpr uint32_t kStarting = 0x9898'9898, kDisabled = 0xF8F8'F8F8;
}  // namespace stock

/// What the items of one buffer say, line by line. They are a device's: whatever they hold gives some text.
class StockItems {
 public:
  /// The next items. Gives the lines that they end.
  std::vector<std::string> take(std::span<const uint8_t> items);
  /// Lines of a slice of a tile: head and values.
  std::vector<std::string> take_slice(std::span<const uint8_t> slice) {
    tile_slice(slice);
    return std::exchange(done_, {});
  }
  /// What no end of line has followed; empty: nothing.
  std::string rest();

 private:
  void item(uint8_t type, std::span<const uint8_t> bytes);
  void text(std::string_view text);
  void number(uint64_t value, bool is_signed, unsigned bytes);
  void real(double value);
  void tile_slice(std::span<const uint8_t> bytes);

  static constexpr size_t kMostLine = 4096;
  std::string line_;
  std::vector<std::string> done_;
  enum class Base : uint8_t { Decimal, Hexadecimal, Octal } base_ = Base::Decimal;
  bool fixed_ = false;
  int precision_ = 6, width_ = 0;
};

}  // namespace kerr::prints
