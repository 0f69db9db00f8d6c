// A linked program with symbols and lines, damaged in any way, read and asked for everything that reports ask of it.
#include <elf.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "image/elf/reader.hpp"
#include "tests/fuzz/elf_damage.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

constexpr unsigned kAddressesAsked = 16;

const std::vector<uint8_t>& sample() {
  static const std::vector<uint8_t> bytes = [] {
    std::ifstream in(KERR_SAMPLE_ELF, std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return std::vector<uint8_t>(text.begin(), text.end());
  }();
  return bytes;
}

uint64_t ask(const image::Image& image, Input in) {
  uint64_t hash = image.segments.size() * 31 + image.symbols.size() * 7 + image.lines.size();
  hash = hash * 31 + image.listing().size();
  const auto about = [&](uint32_t address) {
    hash = hash * 31 + image.describe(address).size();
    hash = hash * 31 + image.word_at(address).value_or(1);
    hash = hash * 31 + image.comment_at(address).size();
  };
  about(image.entry);
  for (const image::Segment& s : image.segments) {
    require(s.bytes.size() <= s.memory_bytes, "a segment has room for its bytes");
    about(s.address);
    about(s.address + s.memory_bytes - 1);
    about(s.address + s.memory_bytes);
  }
  for (unsigned n = 0; n < kAddressesAsked; ++n) about(in.word());
  for (size_t n = 0; n < image.symbols.size(); n += image.symbols.size() / 16 + 1) about(image.symbols[n].address);
  return hash * 31 + image.moved_by(in.word()).segments.size();
}

}  // namespace

uint64_t fuzz_elf(std::span<const uint8_t> bytes) {
  Input in(bytes);
  std::vector<uint8_t> elf = sample();
  if (in.below(16) == 0) elf.resize(in.half() % (elf.size() - sizeof(Elf32_Ehdr)) + sizeof(Elf32_Ehdr) + 1);
  damage(elf, in);
  try {
    return ask(image::read_elf(elf, "fuzz"), Input(bytes));
  } catch (const image::Error& error) {
    return std::string_view(error.what()).size();
  }
}

}  // namespace kerr::fuzz
