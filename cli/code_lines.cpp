#include "cli/code_lines.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "cli/version.hpp"
#include "isa/disassembler.hpp"
#include "report/json.hpp"

namespace kerr::cli {

void print_lines(const std::vector<CodeLine>& lines, bool json) {
  if (!json) {
    for (const CodeLine& line : lines) {
      if (!line.section.empty()) fmt::print("{}section {}\n", &line == lines.data() ? "" : "\n", line.section);
      for (const std::string& symbol : line.symbols) fmt::print("{}:\n", symbol);
      fmt::print("{:8x}:  {:08x}  {}\n", line.address, line.word, line.text);
    }
    return;
  }
  report::Json array = report::Json::array();
  for (const CodeLine& line : lines) {
    array.push_back({{"address", line.address}, {"word", line.word}, {"text", line.text}});
    if (!line.section.empty()) array.back()["section"] = line.section;
    if (!line.symbols.empty()) array.back()["symbols"] = line.symbols;
  }
  write_json("lines", std::move(array));
}

std::string disassembled(uint32_t word, uint32_t address, bool tensix) {
  return tensix ? isa::disassemble_tensix(word) : isa::disassemble(word, address);
}

std::vector<CodeLine> lines_of(const uint8_t* bytes, size_t count, uint32_t address, bool tensix) {
  std::vector<CodeLine> lines;
  for (size_t at = 0; at + 4 <= count; at += 4) {
    uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    const auto here = static_cast<uint32_t>(address + at);
    lines.push_back({here, word, disassembled(word, here, tensix)});
  }
  if (const size_t rest = count % 4; rest != 0) {  // no whole word, and yet part of the file
    CodeLine line{static_cast<uint32_t>(address + count - rest), 0, ".byte"};
    std::memcpy(&line.word, bytes + count - rest, rest);
    for (size_t i = 0; i < rest; ++i)
      line.text += fmt::format("{} {:#04x}", i == 0 ? "" : ",", bytes[count - rest + i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kerr::cli
