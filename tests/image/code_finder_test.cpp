#include "image/code_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kerr::image {
namespace {

std::vector<uint8_t> random_bytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> out(count);
  for (uint8_t& byte : out) byte = static_cast<uint8_t>(random());
  return out;
}

Image code_at(uint32_t address, std::vector<uint8_t> bytes) {
  Image image{.name = "code"};
  const auto size = static_cast<uint32_t>(bytes.size());
  image.segments.push_back({.address = address,
                            .load_address = address,
                            .bytes = std::move(bytes),
                            .memory_bytes = size,
                            .executable = true});
  return image;
}

TEST(CodeFinder, FindsCodeThatWasMovedAndOfWhichALoaderHasChangedWords) {
  std::vector<uint8_t> memory(0x20000);
  const std::vector<uint8_t> code = random_bytes(400, 1);
  std::ranges::copy(code, memory.begin() + 0x8004);
  for (size_t word = 5; word < 100; word += 10) memory[0x8004 + 4 * word] ^= 0x5A;
  const CodeFinder finder(memory);
  const auto places = finder.places(code_at(0x1000, code));
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].moved, 0x7004u);
  EXPECT_EQ(places[0].begin, 0x8004u);
  EXPECT_EQ(places[0].end, 0x8004u + 400);
  EXPECT_DOUBLE_EQ(places[0].likeness, 0.9);
}

TEST(CodeFinder, TellsTheMostAlikeFirst) {
  std::vector<uint8_t> memory(0x10000);
  const std::vector<uint8_t> code = random_bytes(256, 2);
  std::ranges::copy(code, memory.begin() + 0x100);
  std::ranges::copy(code, memory.begin() + 0x4000);
  memory[0x100 + 8] ^= 1;
  const auto places = CodeFinder(memory).places(code_at(0, code));
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].begin, 0x4000u);
  EXPECT_EQ(places[1].begin, 0x100u);
}

TEST(CodeFinder, FindsNothingThatIsNotThereOrDoesNotFit) {
  std::vector<uint8_t> memory = random_bytes(0x1000, 3);
  const CodeFinder finder(memory);
  EXPECT_TRUE(finder.places(code_at(0, random_bytes(400, 4))).empty());
  EXPECT_TRUE(finder.places(Image{}).empty());
  EXPECT_TRUE(finder.places(code_at(0, random_bytes(8, 5))).empty()) << "too short to say anything";
  std::vector<uint8_t> end(memory.end() - 64, memory.end());
  EXPECT_EQ(finder.places(code_at(0xFFFF'FFF0, end)).at(0).moved, 0xFC0u + 0x10);
  end.resize(128, 0x77);
  EXPECT_TRUE(finder.places(code_at(0, end)).empty()) << "half of it would lie behind the end";
  EXPECT_TRUE(finder.places(code_at(0, std::vector<uint8_t>(0x2000, 0))).empty());
  EXPECT_TRUE(CodeFinder({}).places(code_at(0, random_bytes(64, 6))).empty());
}

}  // namespace
}  // namespace kerr::image
