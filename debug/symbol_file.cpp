#include "debug/symbol_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "arch/memory_map.hpp"
#include "debug/elf_writer.hpp"
#include "emu/agent.hpp"

namespace kerr::debug {

namespace {

// The addresses of the PT_LOADs of a 32-bit ELF file, and its entry; nothing if it is damaged.
struct Loads {
  uint32_t entry = 0;
  std::vector<uint32_t> addresses;
};
std::optional<Loads> loads_of(const std::string& file) {
  const auto number = [&](size_t at, size_t bytes) {
    uint32_t value = 0;
    if (at <= file.size() && bytes <= file.size() - at) std::memcpy(&value, file.data() + at, bytes);
    return value;
  };
  constexpr size_t kHeaderBytes = 52, kLeastEntry = 32;
  constexpr uint32_t kLoad = 1;
  if (file.size() < kHeaderBytes) return std::nullopt;
  Loads loads{.entry = number(24, 4)};
  const uint32_t table = number(28, 4), each = number(42, 2), count = number(44, 2);
  for (uint32_t i = 0; i < count && each >= kLeastEntry; ++i) {
    const size_t at = table + size_t{i} * each;
    if (number(at, 4) == kLoad) loads.addresses.push_back(number(at + 8, 4));
  }
  return loads;
}

}  // namespace

SymbolFile symbol_file(const Code& code) {
  const image::Image& image = *code.image;
  const std::string_view hart = arch::kHartNames[static_cast<size_t>(code.hart)];
  const std::string who = fmt::format("{}-{}-{}-{}", image.name, code.tile.chip, code.tile.node, hart);
  if (const auto loads = code.file ? loads_of(*code.file) : std::nullopt) {
    SymbolFile out{code.path.empty() ? "/kerr/" + who : code.path, *code.file, {}};
    // What lies in local memory stays there; the rest moves together.
    for (const uint32_t address : loads->addresses)
      out.segments.push_back(address >= arch::kLdmBase ? address : address + (image.entry - loads->entry));
    return out;
  }
  // Lines name the file as the image does: "kernels/add.s" of the folder in front of it.
  const bool known = code.path.ends_with("/" + image.name);
  const std::string folder = known ? code.path.substr(0, code.path.size() - image.name.size()) : "";
  SymbolFile out{"/kerr/" + who + ".elf", elf_of(image, folder), {}};
  for (const image::Segment& segment : image.segments) {
    if (segment.executable && !segment.bytes.empty()) out.segments.push_back(segment.address);
  }
  return out;
}

}  // namespace kerr::debug
