#include <elf.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "image/elf/reader.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::image {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes sample() {
  std::ifstream in(KERR_SAMPLE_ELF, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Elf, SegmentsEntryAndSymbolsOfALinkedProgram) {
  const Image image = read_elf(KERR_SAMPLE_ELF);
  ASSERT_NE(image.symbol("_start"), nullptr);
  EXPECT_EQ(image.entry, image.symbol("_start")->address);
  EXPECT_EQ(image.symbol("sum")->kind, Symbol::Kind::Function);
  EXPECT_GT(image.symbol("sum")->size_bytes, 0u);
  EXPECT_EQ(image.symbol_at(image.symbol("sum")->address + 4)->name, "sum");
  EXPECT_EQ(image.symbol("table")->kind, Symbol::Kind::Data);
  EXPECT_EQ(image.word_at(image.symbol("table")->address + 8), 3u);
  EXPECT_EQ(image.word_at(image.symbol("counter")->address), 0u) << ".bss reads as zero";
  const auto first = image.word_at(image.symbol("sum")->address);
  ASSERT_TRUE(first.has_value());
  EXPECT_NE(isa::riscv::decode(*first).op, isa::riscv::Op::Illegal);
  for (const Symbol& s : image.symbols) EXPECT_NE(s.name[0], '$');
  EXPECT_NE(image.listing().find("_start:\n"), std::string::npos);
}

TEST(Elf, LinesLeadToTheSource) {
  const Image image = read_elf(KERR_SAMPLE_ELF);
  const LineEntry* line = image.line_at(image.symbol("_start")->address);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->file, "tests/image/sample.c");
  EXPECT_EQ(line->line, 11u);
  EXPECT_EQ(image.describe(image.symbol("sum")->address).find("sum()  sample.c:"), 0u);
}

// Expects an Error that names the file and contains `part`.
void expect_error(const Bytes& bytes, const std::string& part) {
  try {
    read_elf(bytes, "kernel.elf");
    FAIL() << "expected: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("kernel.elf: "), 0u) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

Bytes with_header(const std::function<void(Elf32_Ehdr&)>& change) {
  Bytes bytes = sample();
  Elf32_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// The first segment that is loaded, changed.
Bytes with_segment(const std::function<void(Elf32_Phdr&)>& change) {
  Bytes bytes = sample();
  Elf32_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    uint8_t* at = bytes.data() + header.e_phoff + i * sizeof(Elf32_Phdr);
    Elf32_Phdr p;
    std::memcpy(&p, at, sizeof p);
    if (p.p_type != PT_LOAD) continue;
    change(p);
    std::memcpy(at, &p, sizeof p);
    break;
  }
  return bytes;
}

TEST(Elf, FilesForOtherMachinesAreRefusedByName) {
  expect_error({}, "not an ELF file");
  expect_error({0x7F, 'E', 'L', 'F', 1, 1}, "too few");
  expect_error(with_header([](Elf32_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS64; }), "not a 32-bit");
  expect_error(with_header([](Elf32_Ehdr& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }), "not a little-endian");
  expect_error(with_header([](Elf32_Ehdr& h) { h.e_machine = EM_ARM; }), "machine 40 is not RISC-V");
  expect_error(with_header([](Elf32_Ehdr& h) { h.e_type = ET_REL; }), "link it first");
  expect_error(with_header([](Elf32_Ehdr& h) { h.e_phnum = 0; }), "no program headers");
  EXPECT_THROW(read_elf("/nowhere/at/all.elf"), Error);
}

TEST(Elf, SegmentsThatLieOutsideTheFileOrTheAddressSpaceAreRefused) {
  expect_error(with_segment([](Elf32_Phdr& p) { p.p_offset = 0xFFFFFFF0; }), "lie outside the file");
  expect_error(with_segment([](Elf32_Phdr& p) { p.p_filesz = p.p_memsz = 0x7FFFFFFF; }), "lie outside the file");
  expect_error(with_segment([](Elf32_Phdr& p) { p.p_memsz = 1; }), "only 0x1 in memory");
  expect_error(with_segment([](Elf32_Phdr& p) { p.p_vaddr = 0xFFFFFFFF; }), "passes the end of the address space");
}

TEST(Elf, ManySegmentsOfTheSameBytesAreRefusedBeforeTheyFillTheMemory) {
  constexpr uint16_t kSegments = 2000;
  Bytes bytes = sample();
  Elf32_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_phoff = static_cast<Elf32_Off>((bytes.size() + 3) & ~size_t{3});
  header.e_phnum = kSegments;
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.resize(header.e_phoff + kSegments * sizeof(Elf32_Phdr));
  Elf32_Phdr all{.p_type = PT_LOAD};
  all.p_filesz = all.p_memsz = static_cast<Elf32_Word>(bytes.size());
  for (unsigned n = 0; n < kSegments; ++n) std::memcpy(&bytes[header.e_phoff + n * sizeof all], &all, sizeof all);
  expect_error(bytes, "are the most that is read");
}

TEST(Elf, ATruncatedFileIsAnErrorOrAnImage) {
  const Bytes whole = sample();
  for (size_t size = 0; size < whole.size(); size += 7) {
    try {
      read_elf(std::span(whole).first(size), "cut.elf");
    } catch (const Error&) {
    }
  }
}

RC_GTEST_PROP(Elf, ADamagedFileIsAnErrorOrAnImage, (std::vector<std::pair<uint16_t, uint8_t>> damage)) {
  Bytes bytes = sample();
  for (const auto& [at, value] : damage) bytes[at % bytes.size()] = value;
  const auto in_header = damage.empty() ? uint16_t{0} : damage[0].first;
  if (!damage.empty()) bytes[4 + in_header % 200] = damage[0].second;  // headers deserve most of it
  try {
    read_elf(bytes, "damaged.elf");
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace kerr::image
