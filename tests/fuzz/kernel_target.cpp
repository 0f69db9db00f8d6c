// A kernel with relocations, damaged in its file or, after it was read, in its segments and relocations; made movable
// and moved.
#include <fstream>
#include <iterator>
#include <vector>

#include "image/elf/reader.hpp"
#include "image/kernel_code.hpp"
#include "tests/fuzz/elf_damage.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

const std::vector<uint8_t>& sample() {
  static const std::vector<uint8_t> bytes = [] {
    std::ifstream in(KERR_SAMPLE_KERNEL, std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return std::vector<uint8_t>(text.begin(), text.end());
  }();
  return bytes;
}

// An address of the image, or nearly, or any.
uint32_t address(Input& in, const image::Image& image) {
  const image::Segment& s = image.segments[in.byte() % image.segments.size()];
  switch (in.below(4)) {
    case 0: return in.word();
    case 1: return s.address + s.memory_bytes - in.below(8);
    case 2: return s.load_address + in.byte();
    default: return s.address + 4 * in.byte();
  }
}

void change(image::Image& image, Input& in) {
  for (unsigned n = 1 + in.below(8); n != 0 && !in.empty(); --n) {
    switch (in.below(5)) {
      case 0:
        image.relocations.push_back({.kind = static_cast<image::Relocation::Kind>(in.below(11)),
                                     .address = address(in, image),
                                     .target = address(in, image)});
        break;
      case 1:
        if (!image.relocations.empty())
          image.relocations[in.half() % image.relocations.size()].target = address(in, image);
        break;
      case 2:
        if (!image.relocations.empty())
          image.relocations[in.half() % image.relocations.size()].address = address(in, image);
        break;
      case 3: {
        image::Segment& s = image.segments[in.byte() % image.segments.size()];
        (in.below(2) ? s.address : s.load_address) = address(in, image);
        break;
      }
      default: image.entry = address(in, image);
    }
  }
}

}  // namespace

uint64_t fuzz_kernel(std::span<const uint8_t> bytes) {
  Input in(bytes);
  try {
    std::vector<uint8_t> elf = sample();
    const bool in_file = in.below(2) == 0;
    if (in_file) damage(elf, in);
    image::Image image = image::read_elf(elf, "fuzz");
    if (!in_file) change(image, in);
    const image::Image code = image::kernel_code(std::move(image));
    require(code.segments.size() == 1, "code is one segment");
    const uint32_t delta = in.word();
    const image::Image moved = code.moved_by(delta);
    require(moved.segments[0].bytes.size() == code.segments[0].bytes.size(), "moving keeps the size");
    require(moved.moved_by(-delta).segments[0].bytes == code.moved_by(0).segments[0].bytes, "back again is the same");
    return moved.relocations.size();
  } catch (const image::Error& error) {
    return std::string_view(error.what()).size();
  }
}

}  // namespace kerr::fuzz
