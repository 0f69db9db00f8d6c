// kerr disasm: words to text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "arch/bytes.hpp"
#include "cli/code_lines.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "image/elf/reader.hpp"

namespace kerr::cli {

namespace {

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

class Disasm final : public Command {
  void declare(Syntax& syntax) override {
    syntax.texts("WHAT", what_, "files, - for standard input, or 32-bit words in hexadecimal").required();
    syntax.flag("--tensix", tensix_, "words are raw Tensix instructions (default: a hart's code)");
    syntax.number("--base", base_, "address of the first word (default 0)");
    syntax.flag("--json", json_, "print as JSON");
    syntax.footer(
        "Examples:\n  kerr disasm 0x00a58593 0x9800000c\n  kerr disasm --tensix 26004000\n  kerr disasm firmware.elf\n"
        "  kerr asm program.s -o program.bin && kerr disasm program.bin\n  kerr disasm - < program.bin");
  }

  int run() override {
    std::vector<CodeLine> lines;
    uint32_t address = base_.value_or(0);
    for (const std::string& what : what_) {
      if (can_be_read(what)) {
        const std::vector<CodeLine> more = lines_of_file(what);
        lines.insert(lines.end(), more.begin(), more.end());
        continue;
      }
      const uint32_t word = word_from(what);
      lines.push_back({address, word, disassembled(word, address, tensix_)});
      address += 4;
    }
    print_lines(lines, json_);
    return 0;
  }

  std::vector<CodeLine> lines_of_file(const std::string& path) const {
    const std::string content = read_file(path, kLargestCodeFile);
    const std::span<const uint8_t> bytes = arch::as_uint8(content);
    if (!image::is_elf(bytes)) return lines_of(bytes.data(), bytes.size(), base_.value_or(0), tensix_);
    if (base_)
      throw std::invalid_argument(fmt::format("--base: '{}' is an ELF file, which has its own addresses", path));
    const image::Image elf = image::read_elf(bytes, path);
    std::vector<image::CodeSection> sections = image::read_code_sections(bytes, path);
    if (sections.empty()) {
      for (const image::Segment& segment : elf.segments) {
        if (segment.executable) sections.push_back({"(none: a segment)", segment.address, segment.bytes});
      }
    }
    std::vector<CodeLine> lines;
    for (const image::CodeSection& section : sections) {
      std::vector<CodeLine> more = lines_of(section.bytes.data(), section.bytes.size(), section.address, tensix_);
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

  std::vector<std::string> what_;  // a file (ELF or raw words), or words in hexadecimal
  bool tensix_ = false;            // words are raw Tensix instructions, not a hart's code
  std::optional<uint32_t> base_;   // address of a raw file's first byte; an ELF file has its own
};

}  // namespace

std::unique_ptr<Command> make_disasm() { return std::make_unique<Disasm>(); }

}  // namespace kerr::cli
