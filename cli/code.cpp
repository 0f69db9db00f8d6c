#include "cli/code.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "cli/messages.hpp"
#include "image/elf/reader.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::cli {

namespace {

constexpr std::uintmax_t kLargestFile = 64u << 20;

std::string read_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw std::invalid_argument(fmt::format("cannot read '{}': {}", path, error.message()));
  if (bytes > kLargestFile)
    throw std::invalid_argument(fmt::format("'{}' has {} bytes; at most {} are read", path, bytes, kLargestFile));
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Line {
  std::uint32_t address, word;
  std::string text;
};

void print_lines(const std::vector<Line>& lines, bool json) {
  if (!json) {
    for (const Line& line : lines) fmt::print("{:8x}:  {:08x}  {}\n", line.address, line.word, line.text);
    return;
  }
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Line& line : lines) array.push_back({{"address", line.address}, {"word", line.word}, {"text", line.text}});
  fmt::print("{}\n", array.dump(2));
}

std::string disassembled(std::uint32_t word, std::uint32_t address, bool tensix) {
  return tensix ? isa::disassemble_tensix(word) : isa::disassemble(word, address);
}

std::vector<Line> lines_of(const std::uint8_t* bytes, std::size_t count, std::uint32_t address, bool tensix) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at + 4 <= count; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    const auto here = static_cast<std::uint32_t>(address + at);
    lines.push_back({here, word, disassembled(word, here, tensix)});
  }
  if (const std::size_t rest = count % 4; rest != 0) {  // no whole word, and yet part of the file
    Line line{static_cast<std::uint32_t>(address + count - rest), 0, ".byte"};
    std::memcpy(&line.word, bytes + count - rest, rest);
    for (std::size_t i = 0; i < rest; ++i)
      line.text += fmt::format("{} {:#04x}", i == 0 ? "" : ",", bytes[count - rest + i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Line> lines_of_file(const DisasmRequest& request, const std::string& path) {
  const std::string content = read_file(path);
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  if (!image::is_elf(bytes)) return lines_of(bytes.data(), bytes.size(), request.base, request.tensix);
  std::vector<Line> lines;
  for (const image::Segment& segment : image::read_elf(bytes, path).segments) {
    if (!segment.executable) continue;
    const std::vector<Line> more =
        lines_of(segment.bytes.data(), segment.bytes.size(), segment.address, request.tensix);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

std::uint32_t word_from(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.starts_with("0x") || text.starts_with("0X")) begin += 2;
  std::uint32_t word = 0;
  const auto [stopped, error] = std::from_chars(begin, end, word, 16);
  if (error == std::errc() && stopped == end && begin != end) return word;
  throw std::invalid_argument(
      fmt::format("'{}' is neither a file nor a 32-bit word in hexadecimal.  Try 'kerr disasm 0x00a58593'.", text));
}

}  // namespace

int asm_command(const AsmRequest& request) {
  const isa::Code code = isa::assemble(read_file(request.file), {.file = request.file, .base = request.base});
  if (!request.output.empty()) {
    std::ofstream out(request.output, std::ios::binary);
    out.write(reinterpret_cast<const char*>(code.bytes.data()), static_cast<std::streamsize>(code.bytes.size()));
    if (!out.flush()) throw std::invalid_argument(fmt::format("cannot write '{}'", request.output));
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
  std::uint32_t address = request.base;
  for (const std::string& what : request.what) {
    if (std::filesystem::is_regular_file(what)) {
      const std::vector<Line> more = lines_of_file(request, what);
      lines.insert(lines.end(), more.begin(), more.end());
      continue;
    }
    const std::uint32_t word = word_from(what);
    lines.push_back({address, word, disassembled(word, address, request.tensix)});
    address += 4;
  }
  print_lines(lines, request.json);
  return 0;
}

}  // namespace kerr::cli
