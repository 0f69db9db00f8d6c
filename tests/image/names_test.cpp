// Symbols and lines of ELF files, read without libelf and libdw.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "image/elf/reader.hpp"
#include "image/error.hpp"
#include "image/names/elf_names.hpp"

namespace kerr::image {
namespace {

std::vector<uint8_t> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ElfNames, AreThoseOfLibelfAndLibdw) {
  const std::vector<uint8_t> bytes = file_bytes(KERR_SAMPLE_KERNEL);
  const Image image = read_elf_names(bytes, "sample"), expected = read_elf(bytes, "sample");
  EXPECT_EQ(image.name, "sample");
  EXPECT_EQ(image.entry, expected.entry);
  EXPECT_EQ(image.symbols, expected.symbols);
  ASSERT_EQ(image.segments.size(), expected.segments.size());
  for (size_t i = 0; i < image.segments.size(); ++i) {
    EXPECT_EQ(image.segments[i].address, expected.segments[i].address);
    EXPECT_EQ(image.segments[i].bytes, expected.segments[i].bytes);
    EXPECT_EQ(image.segments[i].executable, expected.segments[i].executable);
  }
  ASSERT_EQ(image.lines.size(), expected.lines.size());
  const auto base_name = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  for (size_t i = 0; i < image.lines.size(); ++i) {
    const LineEntry &line = image.lines[i], &other = expected.lines[i];
    EXPECT_EQ(line.address, other.address);
    EXPECT_EQ(line.line, other.line) << std::hex << line.address;
    if (line.line != 0) {
      EXPECT_EQ(base_name(line.file), base_name(other.file));
    }
    EXPECT_EQ(line.inner_line, other.inner_line) << std::hex << line.address;
    EXPECT_EQ(base_name(line.inner_file), base_name(other.inner_file));
  }
}

TEST(ElfNames, OfWhatIsNoExecutableAreRefused) {
  const auto refusal = [](std::vector<uint8_t> bytes) -> std::string {
    try {
      read_elf_names(bytes, "file");
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(refusal({}), "file: no ELF file");
  std::vector<uint8_t> bytes = file_bytes(KERR_SAMPLE_KERNEL);
  bytes[4] = 2;
  EXPECT_EQ(refusal(bytes), "file: no ELF file of 32 bits, little-endian");
  bytes[4] = 1;
  bytes[18] = 62;
  EXPECT_EQ(refusal(bytes), "file: machine 62 is not RISC-V (243)");
}

// Neither crashes nor hangs, whatever stands in the file. Sanitizers see more.
TEST(ElfNames, DamagedFilesAreReadAsFarAsTheyGo) {
  const std::vector<uint8_t> whole = file_bytes(KERR_SAMPLE_KERNEL);
  const auto read = [](const std::vector<uint8_t>& bytes) {
    try {
      static_cast<void>(read_elf_names(bytes, "file"));
    } catch (const Error&) {
    }
  };
  for (size_t n = 0; n < whole.size(); n += 1 + whole.size() / 400)
    read({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)});
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    std::vector<uint8_t> bytes = whole;
    for (int n = 0; n < 20; ++n) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    read(bytes);
  }
}

}  // namespace
}  // namespace kerr::image
