#include "image/image.hpp"

#include <gtest/gtest.h>

#include "isa/assembler.hpp"

namespace kerr::image {
namespace {

using namespace isa::reg;

Image two_functions() {
  isa::Assembler a;
  a.function("wait_for_tile");
  a.comment("cb_wait_front");
  const isa::Label poll = a.here("poll");
  a.lw(t0, a0);
  a.beqz(t0, poll);
  a.ret();
  a.function("main");
  a.nop();
  a.ret();
  return Image::from(a.finish(0x8000), "reader");
}

TEST(Image, KeepsWhatTheAssemblerKnows) {
  const Image image = two_functions();
  EXPECT_EQ(image.entry, 0x8000u);
  ASSERT_EQ(image.segments.size(), 1u);
  EXPECT_EQ(image.segments[0].bytes.size(), 20u);
  EXPECT_EQ(image.symbol("main")->address, 0x800Cu);
  EXPECT_EQ(image.symbol("nowhere"), nullptr);
  EXPECT_EQ(image.comment_at(0x8000), "cb_wait_front");
  EXPECT_EQ(image.comment_at(0x8004), "");
}

TEST(Image, AnAddressIsNamedByTheFunctionAroundIt) {
  const Image image = two_functions();
  EXPECT_EQ(image.symbol_at(0x8004)->name, "wait_for_tile") << "not the label inside it";
  EXPECT_EQ(image.symbol_at(0x800C)->name, "main");
  EXPECT_EQ(image.symbol_at(0x8014), nullptr) << "behind the code";
  EXPECT_EQ(image.symbol_at(0x7FFC), nullptr);
  EXPECT_EQ(image.describe(0x8004).find("wait_for_tile()+0x4  image_test.cpp:"), 0u) << image.describe(0x8004);
  EXPECT_EQ(image.describe(0x9000), "");
}

TEST(Image, WordsEndWithTheSegmentAndZerosFollowItsBytes) {
  Image image;
  image.segments.push_back({.address = 0xFFFFFFF0, .bytes = {0x11, 0x22, 0x33, 0x44, 0x55}, .memory_bytes = 16});
  EXPECT_EQ(image.word_at(0xFFFFFFF0), 0x44332211u);
  EXPECT_EQ(image.word_at(0xFFFFFFF4), 0x00000055u);
  EXPECT_EQ(image.word_at(0xFFFFFFFC), 0u);
  EXPECT_EQ(image.word_at(0xFFFFFFFD), std::nullopt);
  EXPECT_EQ(image.word_at(0), std::nullopt);
  image.segments[0].memory_bytes = 2;
  EXPECT_EQ(image.word_at(0xFFFFFFF0), std::nullopt);
}

TEST(Image, IsListedWithItsSymbolsAndRemarks) {
  const std::string text = two_functions().listing();
  EXPECT_EQ(text.find("wait_for_tile:\npoll:\n  00008000  00052283  lw t0, 0(a0)"), 0u) << text;
  EXPECT_NE(text.find("# cb_wait_front\n"), std::string::npos) << text;
  EXPECT_NE(text.find("main:\n  0000800c  00000013  nop\n"), std::string::npos) << text;
}

TEST(Image, MovesAsAWhole) {
  const Image moved = two_functions().moved_by(0x100);
  EXPECT_EQ(moved.entry, 0x8100u);
  EXPECT_EQ(moved.symbol_at(0x8104)->name, "wait_for_tile");
  EXPECT_EQ(moved.comment_at(0x8100), "cb_wait_front");
  EXPECT_EQ(moved.word_at(0x810C), 0x00000013u);
}

TEST(Image, DescribesTheCallersLineBeforeTheBlocksOwn) {
  Image image = two_functions();
  image.lines = {{0x8000, "mine/ping.cpp", 31, "ping", "kernels/blocks/multicast.cpp", 139}};
  EXPECT_NE(image.describe(0x8004).find("ping.cpp:31 (multicast.cpp:139)"), std::string::npos)
      << image.describe(0x8004);
}

}  // namespace
}  // namespace kerr::image
