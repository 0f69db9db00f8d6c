#include "debug/elf_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace kerr::debug {

namespace {

constexpr uint16_t kExecutable = 2, kRiscv = 243;
constexpr uint32_t kHeaderBytes = 52, kProgramHeaderBytes = 32, kSectionHeaderBytes = 40, kSymbolBytes = 16;
enum SectionType : uint32_t { kProgbits = 1, kSymtab = 2, kStrtab = 3 };

// Little-endian, byte by byte.
class Bytes {
 public:
  Bytes& u8(unsigned value) { return bytes_ += static_cast<char>(value), *this; }
  Bytes& u16(unsigned value) { return u8(value & 0xFF).u8(value >> 8 & 0xFF); }
  Bytes& u32(uint32_t value) { return u16(value & 0xFFFF).u16(value >> 16); }
  Bytes& text(std::string_view text) { return bytes_ += text, u8(0); }
  Bytes& raw(std::string_view raw) { return bytes_ += raw, *this; }
  Bytes& uleb(uint32_t value) {
    do {
      const unsigned low = value & 0x7F;
      value >>= 7;
      u8(low | (value != 0 ? 0x80 : 0));
    } while (value != 0);
    return *this;
  }
  Bytes& sleb(int64_t value) {
    for (;;) {
      const auto low = static_cast<unsigned>(value & 0x7F);
      value >>= 7;
      const bool last = (value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0);
      u8(low | (last ? 0 : 0x80));
      if (last) return *this;
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

// What begins with its own length, which does not count itself.
std::string with_length(const Bytes& body) { return Bytes().u32(body.size()).raw(body.str()).str(); }

bool runs(const image::Segment& segment) { return segment.executable && !segment.bytes.empty(); }

struct Range {
  uint32_t begin = ~0u, end = 0;
};
Range code_range(const image::Image& image) {
  Range range;
  for (const image::Segment& s : image.segments) {
    if (!runs(s)) continue;
    range.begin = std::min(range.begin, s.address);
    range.end = std::max(range.end, s.address + static_cast<uint32_t>(s.bytes.size()));
  }
  return range;
}

// DWARF 4, one unit: https://dwarfstd.org/doc/DWARF4.pdf 7.5
std::string abbreviations() {
  Bytes out;
  out.uleb(1).uleb(0x11).u8(0);  // DW_TAG_compile_unit without children
  out.uleb(0x03).uleb(0x08);     // name: string
  out.uleb(0x1B).uleb(0x08);     // comp_dir: string
  out.uleb(0x10).uleb(0x17);     // stmt_list: sec_offset
  out.uleb(0x11).uleb(0x01);     // low_pc: addr
  out.uleb(0x12).uleb(0x06);     // high_pc: data4, a length
  out.uleb(0x13).uleb(0x05);     // language: data2
  return out.uleb(0).uleb(0).u8(0).str();
}

std::string unit(const image::Image& image, const std::string& folder, Range range) {
  constexpr unsigned kAssembler = 0x8001;  // DW_LANG_Mips_Assembler, as GNU as says of any
  Bytes body;
  body.u16(4).u32(0).u8(4);  // version, abbreviations, bytes of an address
  body.uleb(1).text(image.name).text(folder).u32(0).u32(range.begin).u32(range.end - range.begin).u16(kAssembler);
  return with_length(body);
}

// 6.2: only extended and standard opcodes.
std::string lines(const image::Image& image, Range range) {
  std::vector<std::string> files;
  const auto number_of = [&](const std::string& file) {
    const auto found = std::ranges::find(files, file);
    if (found != files.end()) return static_cast<uint32_t>(found - files.begin()) + 1;
    files.push_back(file);
    return static_cast<uint32_t>(files.size());
  };
  Bytes program;
  uint32_t file = 1;
  int64_t line = 1;
  program.u8(0).uleb(5).u8(2).u32(range.begin);  // DW_LNE_set_address
  uint32_t address = range.begin;
  for (const isa::LineEntry& entry : image.lines) {
    if (entry.line == 0 || entry.address < address || entry.address >= range.end) continue;
    program.u8(2).uleb(entry.address - address);  // DW_LNS_advance_pc
    address = entry.address;
    if (const uint32_t number = number_of(entry.file); std::exchange(file, number) != number)
      program.u8(4).uleb(number);                    // DW_LNS_set_file
    program.u8(3).sleb(int64_t{entry.line} - line);  // DW_LNS_advance_line
    line = entry.line;
    program.u8(1);  // DW_LNS_copy
  }
  program.u8(2).uleb(range.end - address).u8(0).uleb(1).u8(1);  // DW_LNE_end_sequence

  Bytes tables;
  tables.u8(1).u8(1).u8(1);       // bytes of the least instruction, operations, is_stmt
  tables.u8(0xFB).u8(14).u8(13);  // line base, line range, first special opcode
  for (const unsigned operands : {0u, 1u, 1u, 1u, 1u, 0u, 0u, 0u, 1u, 0u, 0u, 1u}) tables.u8(operands);
  tables.u8(0);  // no folders but that of the unit
  for (const std::string& name : files) tables.text(name).uleb(0).uleb(0).uleb(0);
  tables.u8(0);
  return with_length(Bytes().u16(4).u32(tables.size()).raw(tables.str()).raw(program.str()));
}

struct Section {
  std::string name;
  SectionType type = kProgbits;
  uint32_t flags = 0, address = 0;
  std::string contents;
  uint32_t link = 0, info = 0, entry_bytes = 0;
};

std::pair<Section, Section> symbols(const image::Image& image, const std::vector<Section>& code) {
  constexpr uint32_t kGlobal = 1u << 4, kObject = 1, kFunction = 2;
  Bytes names, table;
  names.u8(0);
  table.u32(0).u32(0).u32(0).u32(0);
  for (const isa::Symbol& symbol : image.symbols) {
    uint32_t section = 0;
    for (size_t i = 0; i < code.size(); ++i) {
      if (symbol.address - code[i].address < code[i].contents.size()) section = static_cast<uint32_t>(i) + 1;
    }
    const uint32_t type = symbol.kind == isa::Symbol::Kind::Function ? kFunction
                          : symbol.kind == isa::Symbol::Kind::Data   ? kObject
                                                                     : 0;
    constexpr uint32_t kAbsolute = 0xFFF1;
    table.u32(names.size()).u32(symbol.address).u32(symbol.size_bytes);
    table.u8(kGlobal | type).u8(0).u16(section != 0 ? section : kAbsolute);
    names.text(symbol.name);
  }
  return {{.name = ".symtab",
           .type = kSymtab,
           .contents = table.str(),
           .link = static_cast<uint32_t>(code.size()) + 2,
           .info = 1,
           .entry_bytes = kSymbolBytes},
          {.name = ".strtab", .type = kStrtab, .contents = names.str()}};
}

std::string file_of(const image::Image& image, std::vector<Section> sections, size_t segments) {
  Bytes names;
  names.u8(0);
  std::vector<uint32_t> name_at;
  for (const Section& section : sections) {
    name_at.push_back(names.size());
    names.text(section.name);
  }
  name_at.push_back(names.size());
  names.text(".shstrtab");
  sections.push_back({.name = ".shstrtab", .type = kStrtab, .contents = names.str()});

  Bytes contents, headers;
  uint32_t at = kHeaderBytes + kProgramHeaderBytes * static_cast<uint32_t>(segments);
  headers.raw(std::string(kSectionHeaderBytes, '\0'));
  Bytes program_headers;
  for (size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    const auto size = static_cast<uint32_t>(s.contents.size());
    if (i < segments) program_headers.u32(1).u32(at).u32(s.address).u32(s.address).u32(size).u32(size).u32(5).u32(4);
    headers.u32(name_at[i]).u32(s.type).u32(s.flags).u32(s.address).u32(at).u32(size).u32(s.link).u32(s.info);
    headers.u32(s.type == kSymtab || i < segments ? 4 : 1).u32(s.entry_bytes);
    contents.raw(s.contents);
    at += size;
    for (; at % 4 != 0; ++at) contents.u8(0);
  }
  Bytes file;
  file.raw(
          "\x7F"
          "ELF")
      .u8(1)
      .u8(1)
      .u8(1)
      .raw(std::string(9, '\0'));
  file.u16(kExecutable).u16(kRiscv).u32(1).u32(image.entry).u32(kHeaderBytes).u32(at).u32(0);
  file.u16(kHeaderBytes).u16(kProgramHeaderBytes).u16(static_cast<unsigned>(segments));
  file.u16(kSectionHeaderBytes).u16(static_cast<unsigned>(sections.size()) + 1);
  file.u16(static_cast<unsigned>(sections.size()));
  return file.str() + program_headers.str() + contents.str() + headers.str();
}

}  // namespace

std::string elf_of(const image::Image& image, const std::string& folder) {
  constexpr uint32_t kAllocated = 2, kCode = 4;
  std::vector<Section> sections;
  for (const image::Segment& s : image.segments) {
    if (!runs(s)) continue;
    sections.push_back({.name = ".text",
                        .flags = kAllocated | kCode,
                        .address = s.address,
                        .contents = std::string(s.bytes.begin(), s.bytes.end())});
  }
  const size_t segments = sections.size();
  auto [table, names] = symbols(image, sections);
  sections.push_back(std::move(table));
  sections.push_back(std::move(names));
  if (const Range range = code_range(image); !image.lines.empty() && range.begin < range.end) {
    sections.push_back({.name = ".debug_abbrev", .contents = abbreviations()});
    sections.push_back({.name = ".debug_info", .contents = unit(image, folder, range)});
    sections.push_back({.name = ".debug_line", .contents = lines(image, range)});
  }
  return file_of(image, std::move(sections), segments);
}

}  // namespace kerr::debug
