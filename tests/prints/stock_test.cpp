#include "prints/stock.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace kerr::prints {
namespace {

using Lines = std::vector<std::string>;
using Bytes = std::vector<uint8_t>;

Bytes item(uint8_t type, uint64_t value, unsigned bytes) {
  Bytes out{type, static_cast<uint8_t>(bytes)};
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> 8 * i));
  return out;
}
Bytes string(const std::string& text) {
  Bytes out{0, static_cast<uint8_t>(text.size() + 1)};
  out.insert(out.end(), text.begin(), text.end());
  out.push_back(0);
  return out;
}
Bytes end_line() { return item(1, 0, 1); }
Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(StockItems, AreLinesOfStringsAndNumbers) {
  StockItems items;
  EXPECT_EQ(items.take(string("block ") + item(5, 3, 4)), Lines{});
  EXPECT_EQ(items.take(string(" of ") + item(9, 0xFFFF'FFFF, 4) + end_line()), Lines{"block 3 of -1"});
  EXPECT_EQ(items.take(string("a\nb\n") + item(12, 'c', 1)), (Lines{"a", "b"}));
  EXPECT_EQ(items.rest(), "c");
  EXPECT_EQ(items.rest(), "");
}

TEST(StockItems, SetBaseWidthAndPrecision) {
  StockItems items;
  const Bytes half = item(11, std::bit_cast<uint32_t>(0.5f), 4);
  EXPECT_EQ(items.take(item(17, 0, 1) + item(5, 255, 4) + item(18, 0, 1) + string(" ") + item(3, 8, 1) +
                       item(19, 0, 1) + string(" ") + item(2, 5, 1) + item(4, 7, 2) + item(4, 7, 2) + end_line()),
            Lines{"ff 10     77"});
  EXPECT_EQ(items.take(half + item(15, 0, 1) + item(14, 2, 1) + string(" ") + half + item(16, 0, 1) + string(" ") +
                       half + string(" ") + item(13, 0x3FC0, 2) + end_line()),
            Lines{"0.5 0.50 0.5 1.5"});
  EXPECT_EQ(items.take(item(21, 0x0000'0010'0000'0001, 8) + item(22, 0x0001'0000'0000'0002, 8) + end_line()),
            Lines{"0x1 0x10 0x2 "});
}

TEST(StockItems, ShowSlicesOfTiles) {
  StockItems items;
  // Rows 0 and 1, columns 0 and 2 of CB 3, bfloat16, rows end lines.
  Bytes slice{20, 16 + 8, 0, 0, 0, 0, 0, 2, 1, 0, 4, 2, 3, 5, 4, 1, 2, 0};
  for (const uint16_t value : {0x3F80, 0x4000, 0x4040, 0x4080})
    slice = slice + Bytes{uint8_t(value), uint8_t(value >> 8)};
  EXPECT_EQ(items.take(slice), (Lines{"1 2", "3 4"}));
  slice[16] = 4;
  EXPECT_EQ(items.take(slice + end_line()), Lines{"(a slice of CB 3 could not be printed: code 4)"});
}

TEST(StockItems, SayThatTheyAreDamaged) {
  StockItems items;
  EXPECT_EQ(items.take(Bytes{5, 200, 1, 2}),
            Lines{"(the print buffer is damaged: an item of type 5 does not end in it)"});
  EXPECT_EQ(items.take(item(99, 0, 1) + end_line()), Lines{"(an item of unknown type 99)"});
}

TEST(StockItems, TakeAnyBytes) {
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    Bytes bytes(random() % 192);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 3 == 0 ? random() % 24 : random());
    StockItems items;
    size_t all = 0;
    for (const std::string& line : items.take(bytes)) all += line.size();
    EXPECT_LT(all + items.rest().size(), 200'000u);
  }
}

}  // namespace
}  // namespace kerr::prints
