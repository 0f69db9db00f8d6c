#include <stdexcept>

#include "image/elf/reader.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/assemble.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

uint64_t fuzz_text(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const bool elf = in.byte() % 2 == 0;
  uint64_t hash = 0;
  try {
    if (elf) {
      const image::Image image = image::read_elf(bytes.subspan(bytes.empty() ? 0 : 1), "fuzz");
      return image.segments.size();
    }
    for (const uint8_t byte : isa::assemble(in.text()).bytes) hash = hash * 31 + byte;
  } catch (const std::runtime_error& error) {  // what both throw for what they refuse
    hash = std::string_view(error.what()).size();
  }
  for (Input words(bytes); !words.empty();) {
    const uint32_t word = words.word();
    hash = hash * 31 + isa::disassemble(word).size() + isa::disassemble_tensix(word).size();
  }
  return hash;
}

}  // namespace kerr::fuzz
