// Linked programs become code that may lie anywhere, or are refused with a sentence.
#include "image/kernel_code.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "image/elf/reader.hpp"
#include "image/error.hpp"
#include "isa/assembler.hpp"

namespace kerr::image {
namespace {

using Kind = Relocation::Kind;

constexpr uint32_t kCode = 0x400000, kLocal = 0xFFB00A00;

// Eight words of code; variables of 8 bytes with initial values behind it, then 8 that begin as zeros.
Image program() {
  Image image;
  image.name = "kernel";
  image.entry = kCode;
  image.segments.push_back({.address = kCode,
                            .load_address = kCode,
                            .bytes = std::vector<uint8_t>(32),
                            .memory_bytes = 32,
                            .executable = true});
  image.segments.push_back({.address = kLocal,
                            .load_address = kCode + 32,
                            .bytes = {1, 2, 3, 4, 5, 6, 7, 8},
                            .memory_bytes = 16,
                            .writable = true});
  image.uses.push_back({Use::Kind::StartUp, 0});
  return image;
}

void put(Image& image, uint32_t offset, uint32_t word) { std::memcpy(&image.segments[0].bytes[offset], &word, 4); }
uint32_t word(const Image& image, uint32_t offset) { return *image.word_at(image.segments[0].address + offset); }

constexpr uint32_t kAuipcA0 = 0x00000517, kLwA0 = 0x00052503, kSwA1 = 0x00B52023, kLuiA0 = 0x00000537;

void expect_refused(const std::function<void(Image&)>& change, const std::string& part) {
  Image image = program();
  change(image);
  try {
    kernel_code(image);
    ADD_FAILURE() << "expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("kernel 'kernel': "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(KernelCode, InitialValuesStandBehindTheCode) {
  const Image code = kernel_code(program());
  ASSERT_EQ(code.segments.size(), 1u);
  EXPECT_EQ(code.segments[0].bytes.size(), 40u);
  EXPECT_EQ(word(code, 32), 0x04030201u);
  EXPECT_EQ(code.segments[0].memory_bytes, 40u) << "start-up code clears the rest";
}

TEST(KernelCode, AccessesToLocalMemoryBecomeAbsolute) {
  Image image = program();
  put(image, 0, kAuipcA0);
  put(image, 4, kLwA0);
  put(image, 8, kSwA1);
  image.relocations = {{.kind = Kind::PcLo12S, .address = kCode + 8, .target = kCode},  // may stand before its auipc
                       {.kind = Kind::PcHi20, .address = kCode, .target = kLocal + 4},
                       {.kind = Kind::PcLo12I, .address = kCode + 4, .target = kCode}};
  const Image code = kernel_code(image);
  // 0xFFB00A04 = 0xFFB01000 - 0x5FC: the lower half is signed.
  EXPECT_EQ(word(code, 0), kLuiA0 | 0xFFB01000u);
  EXPECT_EQ(word(code, 4), kLwA0 | 0xA04u << 20);
  EXPECT_EQ(word(code, 8), kSwA1 | (0xA04u >> 5) << 25 | (0xA04u & 31) << 7);
  EXPECT_TRUE(code.relocations.empty()) << "they are the same at every place";
}

TEST(KernelCode, AccessesToItselfStayRelativeToThePc) {
  Image image = program();
  put(image, 0, kAuipcA0);
  put(image, 4, kLwA0 | 24u << 20);
  image.relocations = {{.kind = Kind::PcHi20, .address = kCode, .target = kCode + 24},
                       {.kind = Kind::PcLo12I, .address = kCode + 4, .target = kCode},
                       {.kind = Kind::Near, .address = kCode + 8, .target = kCode + 16}};
  const Image code = kernel_code(image);
  EXPECT_EQ(word(code, 0), kAuipcA0);
  EXPECT_EQ(word(code, 4), kLwA0 | 24u << 20);
}

TEST(KernelCode, WordsThatLeadToTheCodeFollowIt) {
  Image image = program();
  put(image, 12, kLuiA0 | 0x400000);
  put(image, 16, kLwA0 | 28u << 20);
  image.relocations = {{.kind = Kind::Word, .address = kCode + 28, .target = kCode + 20},
                       {.kind = Kind::Word, .address = kLocal + 4, .target = kCode + 8},  // in .data
                       {.kind = Kind::Word, .address = kLocal, .target = kLocal + 12},    // leads to .bss, which stays
                       {.kind = Kind::Hi20, .address = kCode + 12, .target = kCode + 28},
                       {.kind = Kind::Lo12I, .address = kCode + 16, .target = kCode + 28}};
  const Image code = kernel_code(image);
  ASSERT_EQ(code.relocations.size(), 4u);
  const Image moved = code.moved_by(0x8700 - kCode);
  EXPECT_EQ(moved.segments[0].address, 0x8700u);
  EXPECT_EQ(word(moved, 28), 0x8700u + 20);
  EXPECT_EQ(word(moved, 36), 0x8700u + 8) << "the initial value of a pointer to a function";
  EXPECT_EQ(word(moved, 32), 0x04030201u) << "an address of local memory: as the linker wrote it";
  EXPECT_EQ(word(moved, 12), kLuiA0 | 0x8000u);
  EXPECT_EQ(word(moved, 16), kLwA0 | (0x871Cu & 0xFFF) << 20);
  EXPECT_EQ(word(moved.moved_by(0x100), 28), 0x8800u + 20) << "and again";
}

TEST(KernelCode, WhatCannotWorkIsRefusedByName) {
  expect_refused([](Image& i) { i.uses.clear(); },
                 "has a second segment of 16 bytes at 0xffb00a00 (.data or .bss), and nobody prepares");
  expect_refused([](Image& i) { i.segments[1].executable = true; }, "a second segment of code at 0xffb00a00");
  expect_refused([](Image& i) { i.entry = 0x1234; }, "its entry 0x1234 lies in none of its segments");
  expect_refused([](Image& i) { i.segments[1].load_address = kLocal; },
                 "are not behind its code, which ends at 0x400020");
  expect_refused([](Image& i) { i.segments[1].load_address = kCode + 28; }, "are not behind its code");
  expect_refused([](Image& i) { i.segments[1].load_address = kCode - 4; }, "are not behind its code");
  expect_refused([](Image& i) { i.segments[1].address = kCode + 16; }, "overlap");
  expect_refused([](Image& i) { i.segments[1].memory_bytes = 0x7FFFFFFF; }, "is larger than L1");
  const auto with = [](Relocation r) { return [r](Image& i) { i.relocations.push_back(r); }; };
  expect_refused(with({.kind = Kind::Near, .address = kCode, .target = 0, .symbol = "missing"}),
                 "calls or jumps to 'missing', which is not part of it");
  expect_refused(
      with({.kind = Kind::Global, .address = kCode, .target = kCode + 4, .symbol = "table", .section = ".rodata"}),
      "reaches 'table' of .rodata, which moves with its code, by way of gp");
  expect_refused(with({.kind = Kind::Table, .address = kCode, .target = kLocal, .type = 20, .symbol = "x"}),
                 "by way of a table that nobody fills (relocation 20)");
  expect_refused(with({.kind = Kind::Unknown, .address = kCode, .target = kLocal, .type = 99, .symbol = "x"}),
                 "nobody knows relocation 99 for 'x'");
  expect_refused(with({.kind = Kind::PcLo12I, .address = kCode + 4, .target = kCode}),
                 "half of a pair whose auipc at 0x400000 is not there");
  expect_refused(with({.kind = Kind::PcHi20, .address = kCode, .target = kLocal, .symbol = "x"}),
                 "belongs to no auipc");
  expect_refused(with({.kind = Kind::Word, .address = 0x1000, .target = kCode}),
                 "lies at 0x1000, outside its code and data");
  expect_refused(with({.kind = Kind::Word, .address = kCode + 38, .target = kCode}), "outside its code and data");
  expect_refused(with({.kind = Kind::Word, .address = kLocal + 8, .target = kCode}), "outside its code and data");
}

TEST(KernelCode, AssembledCodeComesBackAsItIs) {
  isa::Assembler a;
  a.ret();
  const Image image = Image::from(a.finish(), "assembled");
  EXPECT_EQ(kernel_code(image).segments[0].bytes, image.segments[0].bytes);
  EXPECT_NO_THROW(kernel_code(Image{}));
}

TEST(KernelCode, ALinkedKernelBringsItsRelocationsAndUses) {
  const Image image = read_elf(KERR_SAMPLE_KERNEL);
  EXPECT_EQ(image.name, "kernel");
  EXPECT_FALSE(image.relocations.empty());
  EXPECT_TRUE(std::find(image.uses.begin(), image.uses.end(), Use{Use::Kind::StartUp, 0}) != image.uses.end());
  EXPECT_TRUE(std::find(image.uses.begin(), image.uses.end(), Use{Use::Kind::CircularBuffer, 5}) != image.uses.end());
  const Image code = kernel_code(image);
  ASSERT_EQ(code.segments.size(), 1u);
  bool to_code = false;
  for (const Relocation& r : code.relocations) to_code = to_code || r.symbol == "sum";
  EXPECT_TRUE(to_code) << "a pointer to a function among its variables";
  // The line of the caller, and in brackets the one of the function that was inlined there.
  bool both = false;
  for (const LineEntry& line : image.lines) both = both || (line.inner_line == 5 && line.line == 14);
  EXPECT_TRUE(both);
}

}  // namespace
}  // namespace kerr::image
