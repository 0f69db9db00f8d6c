#include "prints/stock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace kerr::prints {

namespace {

// Types of items, in the order in which tt-metal numbers them.
enum class Item : uint8_t {
  String,
  EndLine,
  Width,
  U8,
  U16,
  U32,
  U64,
  I8,
  I16,
  I32,
  I64,
  Float,
  Char,
  Bfloat16,
  Precision,
  Fixed,
  DefaultFloat,
  Hexadecimal,
  Octal,
  Decimal,
  TileSlice,
  Words,
  TypedWords,
};

// Little-endian; 0 beyond the end.
uint64_t number_of(std::span<const uint8_t> bytes, unsigned n) {
  uint64_t value = 0;
  for (unsigned i = 0; i < n && i < bytes.size(); ++i) value |= uint64_t{bytes[i]} << 8 * i;
  return value;
}

double bfloat16(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

}  // namespace

std::vector<std::string> StockItems::take(std::span<const uint8_t> items) {
  while (!items.empty()) {
    if (items.size() < 2 || items[1] > items.size() - 2) {
      text(fmt::format("(the print buffer is damaged: an item of type {} does not end in it)", items[0]));
      done_.push_back(std::exchange(line_, {}));
      break;
    }
    item(items[0], items.subspan(2, items[1]));
    items = items.subspan(2u + items[1]);
  }
  return std::exchange(done_, {});
}

std::string StockItems::rest() { return std::exchange(line_, {}); }

void StockItems::item(uint8_t type, std::span<const uint8_t> bytes) {
  switch (static_cast<Item>(type)) {
    case Item::String: {
      const auto end = std::ranges::find(bytes, uint8_t{0});
      return text({reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(end - bytes.begin())});
    }
    case Item::EndLine: done_.push_back(std::exchange(line_, {})); return;
    case Item::Width: width_ = static_cast<int>(std::min<uint64_t>(number_of(bytes, 1), 99)); return;
    case Item::U8: return number(number_of(bytes, 1), false, 1);
    case Item::U16: return number(number_of(bytes, 2), false, 2);
    case Item::U32: return number(number_of(bytes, 4), false, 4);
    case Item::U64: return number(number_of(bytes, 8), false, 8);
    case Item::I8: return number(number_of(bytes, 1), true, 1);
    case Item::I16: return number(number_of(bytes, 2), true, 2);
    case Item::I32: return number(number_of(bytes, 4), true, 4);
    case Item::I64: return number(number_of(bytes, 8), true, 8);
    case Item::Float: return real(std::bit_cast<float>(static_cast<uint32_t>(number_of(bytes, 4))));
    case Item::Char: return text(std::string(1, static_cast<char>(number_of(bytes, 1))));
    case Item::Bfloat16:
      // Four bytes are a signal between harts of older versions.
      if (bytes.size() == 2) real(bfloat16(number_of(bytes, 2)));
      return;
    case Item::Precision:
      if (bytes.size() == 1) precision_ = static_cast<int>(std::min<uint64_t>(number_of(bytes, 1), 32));
      return;
    case Item::Fixed: fixed_ = true; return;
    case Item::DefaultFloat: fixed_ = false; return;
    case Item::Hexadecimal: base_ = Base::Hexadecimal; return;
    case Item::Octal: base_ = Base::Octal; return;
    case Item::Decimal: base_ = Base::Decimal; return;
    case Item::TileSlice: return tile_slice(bytes);
    case Item::Words:
    case Item::TypedWords: {
      // The last of typed words says what the others are.
      const size_t words =
          bytes.size() / 4 - (static_cast<Item>(type) == Item::TypedWords && bytes.size() >= 4 ? 1 : 0);
      for (size_t i = 0; i < words; ++i) text(fmt::format("{:#x} ", number_of(bytes.subspan(4 * i), 4)));
      return;
    }
  }
  text(fmt::format("(an item of unknown type {})", type));
}

void StockItems::text(std::string_view text) {
  const size_t width = static_cast<size_t>(std::exchange(width_, 0));
  if (text.size() < width) line_.append(width - text.size(), ' ');
  for (const char c : text) {
    if (c == '\n' || line_.size() >= kMostLine) done_.push_back(std::exchange(line_, {}));
    if (c != '\n') line_ += c;
  }
}

void StockItems::number(uint64_t value, bool is_signed, unsigned bytes) {
  if (base_ == Base::Hexadecimal) return text(fmt::format("{:x}", value));
  if (base_ == Base::Octal) return text(fmt::format("{:o}", value));
  if (!is_signed) return text(fmt::format("{}", value));
  const unsigned unused = 64 - 8 * bytes;
  text(fmt::format("{}", static_cast<int64_t>(value << unused) >> unused));
}

void StockItems::real(double value) {
  text(fixed_ ? fmt::format("{:.{}f}", value, precision_) : fmt::format("{:.{}g}", value, precision_));
}

// A head of 16 bytes: where the tile is (4), rows and columns as first, end and step (6), the circular buffer, the
// format, how many values follow, whether rows end lines, and how it went.
void StockItems::tile_slice(std::span<const uint8_t> bytes) {
  constexpr size_t kHead = 16;
  constexpr uint8_t kDone = 2;
  if (bytes.size() < kHead) return text("(a slice of a tile, cut off)");
  const unsigned cb = bytes[10], format = bytes[11];
  if (bytes[14] != kDone) return text(fmt::format("(a slice of CB {} could not be printed: code {})", cb, bytes[14]));
  const std::span<const uint8_t> data = bytes.subspan(kHead);
  size_t n = 0;
  const auto value = [&]() -> bool {
    const auto at = [&](unsigned size) { return number_of(data.subspan(std::min(data.size(), size * n)), size); };
    switch (format) {
      case 0: real(std::bit_cast<float>(static_cast<uint32_t>(at(4)))); return true;
      case 5: real(bfloat16(at(2))); return true;
      case 6:
      case 7: {  // block floats: exponent, then sign and magnitude
        const uint64_t pair = at(2);
        const int exponent = static_cast<int>(pair & 0xFF), magnitude = static_cast<int>(pair >> 8 & 0x7F);
        const double size = std::ldexp(magnitude, exponent - 127 - (format == 6 ? 6 : 2));
        real((pair >> 15 & 1) != 0 ? -size : size);
        return true;
      }
      case 8: number(at(4), true, 4); return true;
      case 9: number(at(2), false, 2); return true;
      case 14: number(at(1), true, 1); return true;
      case 24: number(at(4), false, 4); return true;
      case 30: number(at(1), false, 1); return true;
      default: return false;
    }
  };
  for (unsigned h = bytes[4]; h < bytes[5]; h += std::max<unsigned>(1, bytes[6])) {
    for (unsigned w = bytes[7]; w < bytes[8]; w += std::max<unsigned>(1, bytes[9])) {
      if (n >= bytes[12]) return text(fmt::format("(cut off behind {} values)\n", n));
      if (!value()) return text(fmt::format("(a slice of CB {} in format {}, which is not known)", cb, format));
      ++n;
      if (w + bytes[9] < bytes[8]) text(" ");
    }
    if (bytes[13] != 0) text("\n");
  }
}

}  // namespace kerr::prints
