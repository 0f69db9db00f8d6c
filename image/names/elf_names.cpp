#include "image/names/elf_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "image/error.hpp"
#include "image/names/byte_reader.hpp"
#include "image/names/inlined_calls.hpp"
#include "image/names/line_program.hpp"
#include "image/names/readable.hpp"

namespace kerr::image {

namespace {

constexpr uint16_t kExecutable = 2, kShared = 3, kRiscv = 243;
constexpr uint32_t kLoad = 1, kMayExecute = 1, kMayWrite = 2;
constexpr uint32_t kSymbols = 2;                            // the type of a section
constexpr uint8_t kNoType = 0, kObject = 1, kFunction = 2;  // of a symbol
constexpr uint64_t kMostSegmentBytes = 64ull << 20;         // of all of a file
constexpr size_t kMostSymbols = 1 << 18;

struct Section {
  std::string name;
  uint32_t type = 0, link = 0;
  std::span<const uint8_t> bytes;
};

class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, std::string name) : bytes_(bytes) { image_.name = std::move(name); }

  Image read() {
    if (bytes_.size() < 52 || bytes_[0] != 0x7F || bytes_[1] != 'E' || bytes_[2] != 'L' || bytes_[3] != 'F')
      fail("no ELF file");
    if (bytes_[4] != 1 || bytes_[5] != 1) fail("no ELF file of 32 bits, little-endian");
    ByteReader in = ByteReader(bytes_).from(16);
    const uint64_t type = in.number(2), machine = in.number(2);
    if (machine != kRiscv) fail(fmt::format("machine {} is not RISC-V ({})", machine, kRiscv));
    if (type != kExecutable && type != kShared) fail("not linked");
    in.skip(4);
    image_.entry = static_cast<uint32_t>(in.number(4));
    const uint64_t segments = in.number(4), sections = in.number(4);
    in.skip(4 + 2);
    const uint64_t segment_bytes = in.number(2), segment_count = in.number(2), section_bytes = in.number(2),
                   section_count = in.number(2), names = in.number(2);
    read_segments(segments, segment_bytes, segment_count);
    if (image_.segments.empty()) fail("has no loadable segment");
    read_sections(sections, section_bytes, section_count, names);
    read_symbols();
    std::vector<LineUnit> units =
        read_line_units({named(".debug_line"), named(".debug_line_str"), named(".debug_str")});
    name_callers({named(".debug_info"), named(".debug_abbrev"), named(".debug_ranges"), named(".debug_rnglists")},
                 units);
    image_.lines = merged_lines(std::move(units));
    return std::move(image_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", image_.name, what)); }
  std::span<const uint8_t> range(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    return bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
  }

  void read_segments(uint64_t offset, uint64_t stride, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; ++i) {
      ByteReader in = ByteReader(bytes_).from(offset + i * stride);
      const uint64_t type = in.number(4), at = in.number(4), address = in.number(4), load = in.number(4),
                     size = in.number(4), memory = in.number(4), flags = in.number(4);
      const auto data = range(at, size);
      sum += data.size();
      if (!in.ok() || type != kLoad || memory < size || data.size() != size || sum > kMostSegmentBytes) continue;
      image_.segments.push_back({.address = static_cast<uint32_t>(address),
                                 .load_address = static_cast<uint32_t>(load),
                                 .bytes = {data.begin(), data.end()},
                                 .memory_bytes = static_cast<uint32_t>(memory),
                                 .executable = (flags & kMayExecute) != 0,
                                 .writable = (flags & kMayWrite) != 0});
    }
  }
  void read_sections(uint64_t offset, uint64_t stride, uint64_t count, uint64_t names) {
    std::vector<uint64_t> name_at;
    for (uint64_t i = 0; i < count; ++i) {
      ByteReader in = ByteReader(bytes_).from(offset + i * stride);
      Section section;
      name_at.push_back(in.number(4));
      section.type = static_cast<uint32_t>(in.number(4));
      in.skip(8);
      const uint64_t at = in.number(4), size = in.number(4);
      section.link = static_cast<uint32_t>(in.number(4));
      if (in.ok()) section.bytes = range(at, size);
      sections_.push_back(std::move(section));
    }
    if (names >= sections_.size()) return;
    for (size_t i = 0; i < sections_.size(); ++i)
      sections_[i].name = ByteReader(sections_[static_cast<size_t>(names)].bytes).from(name_at[i]).text();
  }
  std::span<const uint8_t> named(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? std::span<const uint8_t>() : found->bytes;
  }
  void read_symbols() {
    for (const Section& section : sections_) {
      if (section.type != kSymbols || section.link >= sections_.size()) continue;
      const ByteReader names(sections_[section.link].bytes);
      for (ByteReader in(section.bytes); in.left() >= 16 && image_.symbols.size() < kMostSymbols;) {
        const uint64_t name_at = in.number(4), address = in.number(4), size = in.number(4);
        const uint8_t type = in.byte() & 15;
        in.skip(1);
        const bool is_defined = in.number(2) != 0;
        if (!is_defined || (type != kNoType && type != kObject && type != kFunction)) continue;
        std::string name = names.from(name_at).text();
        if (name.empty() || name[0] == '$' || name.starts_with(".L")) continue;  // marks of compilers
        image_.symbols.push_back({readable(name.c_str()), static_cast<uint32_t>(address), static_cast<uint32_t>(size),
                                  type == kFunction ? Symbol::Kind::Function
                                  : type == kObject ? Symbol::Kind::Data
                                                    : Symbol::Kind::Label});
      }
    }
    std::ranges::stable_sort(image_.symbols, {}, &Symbol::address);
  }

  std::span<const uint8_t> bytes_;
  Image image_;
  std::vector<Section> sections_;
};

}  // namespace

Image read_elf_names(std::span<const uint8_t> bytes, std::string name) { return Reader(bytes, std::move(name)).read(); }

}  // namespace kerr::image
