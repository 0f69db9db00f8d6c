#include "cli/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "image/elf/reader.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/assemble.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

constexpr uintmax_t kLargestFile = 64u << 20;

struct Line {
  uint32_t address, word;
  std::string text;
  std::string section;               // that begins here, of an ELF file
  std::vector<std::string> symbols;  // likewise
};

void print_lines(const std::vector<Line>& lines, bool json) {
  if (!json) {
    for (const Line& line : lines) {
      if (!line.section.empty()) fmt::print("{}section {}\n", &line == lines.data() ? "" : "\n", line.section);
      for (const std::string& symbol : line.symbols) fmt::print("{}:\n", symbol);
      fmt::print("{:8x}:  {:08x}  {}\n", line.address, line.word, line.text);
    }
    return;
  }
  report::Json array = report::Json::array();
  for (const Line& line : lines) {
    array.push_back({{"address", line.address}, {"word", line.word}, {"text", line.text}});
    if (!line.section.empty()) array.back()["section"] = line.section;
    if (!line.symbols.empty()) array.back()["symbols"] = line.symbols;
  }
  write_json("lines", std::move(array));
}

std::string disassembled(uint32_t word, uint32_t address, bool tensix) {
  return tensix ? isa::disassemble_tensix(word) : isa::disassemble(word, address);
}

std::vector<Line> lines_of(const uint8_t* bytes, size_t count, uint32_t address, bool tensix) {
  std::vector<Line> lines;
  for (size_t at = 0; at + 4 <= count; at += 4) {
    uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    const auto here = static_cast<uint32_t>(address + at);
    lines.push_back({here, word, disassembled(word, here, tensix)});
  }
  if (const size_t rest = count % 4; rest != 0) {  // no whole word, and yet part of the file
    Line line{static_cast<uint32_t>(address + count - rest), 0, ".byte"};
    std::memcpy(&line.word, bytes + count - rest, rest);
    for (size_t i = 0; i < rest; ++i)
      line.text += fmt::format("{} {:#04x}", i == 0 ? "" : ",", bytes[count - rest + i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Line> lines_of_file(const DisasmRequest& request, const std::string& path) {
  const std::string content = read_file(path, kLargestFile);
  const std::span bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
  if (!image::is_elf(bytes)) return lines_of(bytes.data(), bytes.size(), request.base.value_or(0), request.tensix);
  if (request.base)
    throw std::invalid_argument(fmt::format("--base: '{}' is an ELF file, which has its own addresses", path));
  const image::Image elf = image::read_elf(bytes, path);
  std::vector<image::CodeSection> sections = image::read_code_sections(bytes, path);
  if (sections.empty()) {
    for (const image::Segment& segment : elf.segments) {
      if (segment.executable) sections.push_back({"(none: a segment)", segment.address, segment.bytes});
    }
  }
  std::vector<Line> lines;
  for (const image::CodeSection& section : sections) {
    std::vector<Line> more = lines_of(section.bytes.data(), section.bytes.size(), section.address, request.tensix);
    if (more.empty()) continue;
    more.front().section = section.name;
    for (const isa::Symbol& symbol : elf.symbols) {
      const size_t index = size_t{symbol.address - section.address} / 4;
      if (symbol.address >= section.address && index < more.size() && symbol.address % 4 == section.address % 4)
        more[index].symbols.push_back(symbol.name);
    }
    std::ranges::move(more, std::back_inserter(lines));
  }
  return lines;
}

uint32_t word_from(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.starts_with("0x") || text.starts_with("0X")) begin += 2;
  uint32_t word = 0;
  const auto [stopped, error] = std::from_chars(begin, end, word, 16);
  if (error == std::errc() && stopped == end && begin != end) return word;
  throw std::invalid_argument(
      fmt::format("'{}' is neither a file nor a 32-bit word in hexadecimal.  Try 'kerr disasm 0x00a58593'.", text));
}

}  // namespace

int asm_command(const AsmRequest& request) {
  const NamedFile source{"FILE", request.file}, binary{"--output", request.output};
  check_files({&source, 1}, {&binary, 1}, false);
  const std::string name = request.file == "-" ? "standard input" : request.file;
  const isa::Code code = isa::assemble(read_file(request.file, kLargestFile), {.file = name, .base = request.base});
  if (!request.output.empty()) {
    OutputFile out(request.output);
    out.write(std::as_bytes(std::span(code.bytes)));
    out.finish();
    say(fmt::format("{} bytes to {}", code.bytes.size(), request.output));
    return 0;
  }
  if (request.json) {
    print_lines(lines_of(code.bytes.data(), code.bytes.size(), code.base, false), true);
  } else {
    fmt::print("{}", code.listing());
  }
  return 0;
}

int disasm_command(const DisasmRequest& request) {
  std::vector<Line> lines;
  uint32_t address = request.base.value_or(0);
  for (const std::string& what : request.what) {
    if (can_be_read(what)) {
      const std::vector<Line> more = lines_of_file(request, what);
      lines.insert(lines.end(), more.begin(), more.end());
      continue;
    }
    const uint32_t word = word_from(what);
    lines.push_back({address, word, disassembled(word, address, request.tensix)});
    address += 4;
  }
  print_lines(lines, request.json);
  return 0;
}

}  // namespace kerr::cli
