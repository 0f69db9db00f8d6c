// Files to bytes of memory and back, and code of all kinds.
#include "jobs/run/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "graph/npy/array.hpp"
#include "graph/npy/header.hpp"
#include "jobs/run/code.hpp"
#include "tests/jobs/run/refusal.hpp"

namespace kerr::jobs {
namespace {

using graph::npy::Type;

std::string npy(const Type& type, std::vector<uint64_t> shape, const void* bytes, size_t count) {
  return graph::npy::head_of_file({.type = type, .shape = std::move(shape)})
      .append(static_cast<const char*>(bytes), count);
}

TEST(RunElements, OfEveryKindComeBackAsTheyWentIn) {
  for (const ElementInfo& of : kElements) {
    for (const double value : {0.0, 1.0, 100.0, -5.0}) {
      std::vector<std::byte> bytes;
      const bool fits = of.is_signed || value >= 0;
      EXPECT_EQ(append(of.element, value, bytes), fits) << of.name << value;
      ASSERT_EQ(bytes.size(), fits ? of.bytes : 0) << of.name;
      if (fits) {
        EXPECT_EQ(number_at(of.element, bytes.data()), value) << of.name;
      }
    }
    std::vector<std::byte> bytes;
    EXPECT_EQ(append(of.element, 1.5, bytes), of.is_float) << of.name;
    EXPECT_EQ(append(of.element, 1e30, bytes), of.is_float) << of.name;
  }
  std::vector<std::byte> bytes;
  EXPECT_TRUE(append(Element::U32, 4294967295.0, bytes));
  EXPECT_FALSE(append(Element::U32, 4294967296.0, bytes));
  EXPECT_FALSE(append(Element::I8, -129, bytes));
}

TEST(RunData, OfNumPysFilesIsConvertedAndOfOthersTaken) {
  const float floats[] = {1, -2.5f, 3.25f, 0};
  const std::string file = npy({.kind = Type::Kind::Float, .bytes = 4}, {2, 2}, floats, sizeof floats);
  const auto same = data_of(file, "x.npy", std::nullopt);
  ASSERT_EQ(same.size(), sizeof floats);
  EXPECT_EQ(std::memcmp(same.data(), floats, sizeof floats), 0);
  const auto half = data_of(file, "x.npy", Element::Bf16);
  ASSERT_EQ(half.size(), 8u);
  EXPECT_EQ(number_at(Element::Bf16, &half[2]), -2.5);
  EXPECT_NE(refusal([&] { return data_of(file, "x.npy", Element::I32); }).find("number 1, -2.5, is no number of i32"),
            std::string::npos);
  EXPECT_EQ(data_of("abc", "x.bin", std::nullopt).size(), 3u);
  EXPECT_NE(refusal([] { return data_of("abc", "x.bin", Element::U32); }).find("no whole numbers of u32"),
            std::string::npos);
  const double wide = 1;
  EXPECT_NE(refusal([&] {
              return data_of(npy({.kind = Type::Kind::Float, .bytes = 8}, {1}, &wide, 8), "w.npy", std::nullopt);
            }).find("float64"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { return data_of(file.substr(0, file.size() - 1), "cut.npy", std::nullopt); }).find("'cut.npy'"),
      std::string::npos);
}

TEST(RunData, GoesIntoFilesOfNumPyARowForEachCore) {
  const uint16_t bits[] = {0x3F80, 0xC020, 0, 0x4000};
  const auto bytes = std::as_bytes(std::span(bits));
  const std::string file = npy_of(bytes, Element::Bf16, 2);
  const graph::npy::Array array = graph::npy::read(std::as_bytes(std::span(file)), "file");
  EXPECT_EQ(array.header().shape, (std::vector<uint64_t>{2, 2}));
  EXPECT_EQ(array.header().type.name(), "float32");
  EXPECT_EQ(array.number(1), -2.5);
  const std::string whole = npy_of(bytes, Element::U16, 1);
  const graph::npy::Array numbers = graph::npy::read(std::as_bytes(std::span(whole)), "file");
  EXPECT_EQ(numbers.header().shape, (std::vector<uint64_t>{4}));
  EXPECT_EQ(numbers.number(0), 0x3F80);
}

TEST(RunCode, IsTextElfOrRaw) {
  const image::Image text = read_code("nop\nret\n", "a.s", 0x100);
  ASSERT_EQ(text.segments.size(), 1u);
  EXPECT_EQ(text.entry, 0x100u);
  EXPECT_EQ(text.segments[0].bytes.size(), 8u);
  const image::Image raw = read_code(std::string("\x13\0\0\0", 4), "a.bin", 0x200);
  EXPECT_EQ(raw.entry, 0x200u);
  EXPECT_EQ(raw.segments[0].bytes.size(), 4u);
}

TEST(RunCode, RefusesWithTheFileAndTheLine) {
  EXPECT_NE(refusal([] { return read_code("nop\nnpo\n", "a.s", 0); }).find("a.s:2:"), std::string::npos);
  const std::string raw = refusal([] { return read_code("\x93\x82\x82\x30", "a.bin", 0); });
  EXPECT_NE(raw.find("'a.bin' was read as assembler text"), std::string::npos) << raw;
  EXPECT_TRUE(std::ranges::none_of(raw, [](unsigned char c) { return c >= 0x80; })) << "nothing unprintable is echoed";
  EXPECT_NE(refusal([] { return read_code("", "a.s", 0); }).find("'a.s' is empty"), std::string::npos);
  EXPECT_NE(refusal([] { return read_code("# nothing\n", "a.s", 0); }).find("holds no instruction"), std::string::npos);
  EXPECT_NE(refusal([] { return read_code("int main() {}\n", "a.c", 0); }).find("compile and link it first"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              return read_code(std::string("\x7f"
                                           "ELF\0\0\0\0",
                                           8),
                               "a.elf", 0);
            }).find("a.elf"),
            std::string::npos);
  EXPECT_NE(refusal([] { return read_code(std::string(arch::kL1Bytes + 1, '\0'), "a.bin", 0); }).find("L1 holds"),
            std::string::npos);
}

TEST(RunCode, NamesHartsInAnyCase) {
  EXPECT_EQ(parse_hart("trisc1"), arch::Hart::Trisc1);
  EXPECT_EQ(parse_hart("NCRISC"), arch::Hart::Ncrisc);
  EXPECT_NE(refusal([] { return parse_hart("trisc3"); }).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_hart("x"); }).find("there are brisc"), std::string::npos);
}

}  // namespace
}  // namespace kerr::jobs
