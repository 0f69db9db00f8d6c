// Cores, words, buffers and places as people write them.
#include "jobs/run/words.hpp"

#include <gtest/gtest.h>

#include "arch/memory_map.hpp"
#include "jobs/run/buffers.hpp"
#include "jobs/run/cores.hpp"
#include "jobs/run/places.hpp"
#include "tests/jobs/run/refusal.hpp"

namespace kerr::jobs {
namespace {

using Tiles = std::vector<arch::NocCoord>;

TEST(RunCores, AreSingleOnesRectanglesWithoutColumns8And9AndAllWorkers) {
  const Tiles workers{{1, 2}, {2, 2}, {3, 3}};
  EXPECT_EQ(Cores("1,2").among(workers), (Tiles{{1, 2}}));
  EXPECT_EQ(Cores("2-3,4-5").among(workers), (Tiles{{2, 4}, {3, 4}, {2, 5}, {3, 5}}));
  EXPECT_EQ(Cores("7-10,2").among(workers), (Tiles{{7, 2}, {10, 2}}));
  EXPECT_EQ(Cores("8,2").among(workers), (Tiles{{8, 2}})) << "the chip refuses it by its name";
  EXPECT_EQ(Cores("all").among(workers), workers);
  Cores several("3,3");
  several.add("1,2");
  several.add("1-2,2");
  EXPECT_EQ(several.among(workers), (Tiles{{1, 2}, {2, 2}, {3, 3}})) << "each once";
  EXPECT_TRUE(Cores().empty());
}

TEST(RunCores, RefuseWhatIsOffTheGridOrNoCore) {
  for (const char* text : {"", "1", "1,", ",2", "1,2,3", "17,2", "1,12", "4-1,2", "1-4-5,2", "a,b", "-1,2", "1,2 ",
                           "99999999999999999999,1", "1.5,2"}) {
    EXPECT_NE(refusal([&] { return Cores(text); }).find("is no core"), std::string::npos) << text;
    EXPECT_NE(refusal([&] { return parse_core(text); }), "") << text;
  }
  EXPECT_NE(refusal([] { return Cores("8-9,2"); }), "");
  EXPECT_NE(refusal([] { return parse_core("1-2,3"); }), "");
}

TEST(RunWords, AreNumbersBitsOfFractionsAndAddresses) {
  EXPECT_EQ(parse_word("16").value, 16u);
  EXPECT_EQ(parse_word("0xFFFFFFFF").value, 0xFFFFFFFFu);
  EXPECT_EQ(parse_word("-1").value, 0xFFFFFFFFu);
  EXPECT_EQ(parse_word("-0x80000000").value, 0x80000000u);
  EXPECT_EQ(parse_word("1.5").value, 0x3FC00000u);
  EXPECT_EQ(parse_word("-0.0").value, 0x80000000u);
  EXPECT_EQ(parse_word("x").name, "x");
  EXPECT_EQ(parse_word("x+0x40").value, 64u);
  EXPECT_EQ(parse_word("x+0x40").name, "x");
  EXPECT_EQ(parse_words("1,x,2.0").size(), 3u);
}

TEST(RunWords, RefuseWhatDoesNotFit) {
  for (const char* text : {"", "4294967296", "-2147483649", "0x100000000", "1e39.0", "1.5.2", "x+", "x+y", "x+-1", "+1",
                           "--1", "1 2", "x y", "0x", "3x", ".", "1..2"})
    EXPECT_NE(refusal([&] { return parse_word(text); }), "") << text;
  for (const char* text : {"", ",", "1,", ",1", "1,,2"})
    EXPECT_NE(refusal([&] { return parse_words(text); }), "") << text;
  for (const char* name : {"l1", "dram", "reg", "sem", "all", "1x", "a-b", "", "a b"})
    EXPECT_NE(refusal([&] {
                check_name(name);
                return 0;
              }),
              "")
        << name;
}

TEST(RunBuffers, HaveASizeAFormatAndAFile) {
  const host::CircularBuffer cb = parse_circular_buffer("3:2x0x800");
  EXPECT_EQ(cb.id, 3);
  EXPECT_EQ(cb.pages, 2u);
  EXPECT_EQ(cb.page_bytes, 2048u);
  const BufferText dram = parse_buffer("x:4x64:bf16=a:b=c.npy", host::Memory::Dram);
  EXPECT_EQ(dram.buffer.name, "x");
  EXPECT_EQ(dram.buffer.bytes, 256u);
  EXPECT_EQ(dram.buffer.page_bytes, 64u);
  EXPECT_EQ(dram.element, Element::Bf16);
  EXPECT_EQ(dram.file, "a:b=c.npy");
  EXPECT_EQ(parse_buffer("y:0x40", host::Memory::L1).buffer.bytes, 64u);
}

TEST(RunBuffers, RefuseNonsense) {
  for (const char* text :
       {"", "0", "0:", "32:2x64", "0:2", "0:0x64", "0:2x", "0:x64", "-1:2x64", "0:2x64x2", "0:2x4294967296", "a:2x2"})
    EXPECT_NE(refusal([&] { return parse_circular_buffer(text); }), "") << text;
  for (const char* text :
       {"", "x", "x:", "x:0", "x:1572865", "l1:64", "x:64=", "x:64:bf17", "x:64:bf16:bf16", "1x:64", "x:4x64"})
    EXPECT_NE(refusal([&] { return parse_buffer(text, host::Memory::L1); }), "") << text;
  for (const char* text : {"x:64", "x:4294967295x4294967295", "x:0x64"})
    EXPECT_NE(refusal([&] { return parse_buffer(text, host::Memory::Dram); }), "") << text;
}

TEST(RunPlaces, AreBuffersAddressesRegistersAndSemaphores) {
  const PlacedData l1 = parse_placed_data("l1:0x10000+64:bf16=x.npy");
  EXPECT_EQ(l1.place.area, Place::Area::L1);
  EXPECT_EQ(l1.place.address, 0x10000u);
  EXPECT_EQ(l1.place.bytes, 64u);
  EXPECT_EQ(l1.element, Element::Bf16);
  EXPECT_EQ(l1.file, "x.npy");
  EXPECT_FALSE(l1.place.core);
  const PlacedData core = parse_placed_data("l1@3,4:0+4");
  EXPECT_EQ(core.place.core, (arch::NocCoord{3, 4}));
  const PlacedData dram = parse_placed_data("dram@7:0x40+32:u8");
  EXPECT_EQ(dram.place.area, Place::Area::Dram);
  EXPECT_EQ(dram.place.bank, 7u);
  EXPECT_EQ(parse_placed_data("dram:0x40+32").place.bank, 0u);
  const PlacedData buffer = parse_placed_data("x@1,2+8:i16");
  EXPECT_EQ(buffer.place.area, Place::Area::Buffer);
  EXPECT_EQ(buffer.place.name, "x");
  EXPECT_EQ(buffer.place.bytes, 8u);
  EXPECT_EQ(buffer.place.core, (arch::NocCoord{1, 2}));
  EXPECT_EQ(parse_placed_data("reg@1,2").place.area, Place::Area::Registers);
  EXPECT_EQ(parse_placed_data("sem").place.area, Place::Area::Semaphores);
  EXPECT_EQ(parse_placed_data("x=l1:a=b").file, "l1:a=b");
}

TEST(RunPlaces, RefuseNonsenseAndWhatLiesOutside) {
  for (const char* text : {"",
                           ":",
                           "=",
                           "x=",
                           "x:",
                           "x:bf16:u8",
                           "l1",
                           "l1:",
                           "l1:x",
                           "l1:0x180000+4",
                           "l1:0x17fff0+17",
                           "l1:0+0",
                           "l1+4:0",
                           "l1:0+18446744073709551615",
                           "l1:18446744073709551615+4",
                           "dram@8:0+4",
                           "dram@1,2:0+4",
                           "dram@:0+4",
                           "dram:0xff000000+4",
                           "l1@1:0+4",
                           "reg:u32",
                           "reg+4",
                           "sem:u32",
                           "x+",
                           "x+0",
                           "x@",
                           "1x",
                           "x y",
                           "x:bf61",
                           "l1:0x10000+64:bf16:bf16",
                           "dram:-1+4"})
    EXPECT_NE(refusal([&] { return parse_placed_data(text); }), "") << text;
  EXPECT_NE(refusal([] { return parse_placed_data("x:bf61"); }).find("did you mean 'bf16'"), std::string::npos);
}

}  // namespace
}  // namespace kerr::jobs
