#include "jobs/run/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "arch/bytes.hpp"
#include "image/elf/reader.hpp"
#include "isa/text/assemble.hpp"
#include "isa/text/cursor.hpp"
#include "jobs/run/run.hpp"

namespace kerr::jobs {

namespace {

// Code always has bytes that no text has: the upper half of small immediates is zero.
bool is_text(std::string_view content) {
  return std::ranges::all_of(content, [](unsigned char c) {
    return c >= 0x20 ? c != 0x7F : c == '\n' || c == '\t' || c == '\r' || c == '\f';
  });
}

// Raw code that happens to hold none of those bytes: bytes beyond ASCII, or a name that text does not have.
bool may_be_raw(std::string_view content, const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  return extension == ".bin" || std::ranges::any_of(content, [](unsigned char c) { return c >= 0x80; });
}

std::string without_unprintable(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) >= 0x80 ? '?' : c;
  return out;
}

bool is_compilers(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  return extension == ".c" || extension == ".cc" || extension == ".cpp" || extension == ".cxx" || extension == ".h" ||
         extension == ".hpp";
}

}  // namespace

image::Image read_code(std::string_view content, const std::string& name, uint32_t base, ReadElf read_elf) {
  if (content.empty()) throw std::invalid_argument(fmt::format("'{}' is empty: there is nothing to run", name));
  const std::span<const uint8_t> bytes = arch::as_uint8(content);
  if (image::is_elf(bytes)) return read_elf(bytes, name);
  if (is_text(content)) {
    if (is_compilers(name))
      throw std::invalid_argument(
          fmt::format("'{}' is source of C or C++: compile and link it first, as docs/guide/c-kernels.md shows", name));
    image::Image image;
    try {
      image = image::Image::from(isa::assemble(content, {.file = name, .base = base}), name);
    } catch (const isa::AssemblerError& error) {
      if (!may_be_raw(content, name)) throw;
      throw std::invalid_argument(fmt::format(
          "{}\n'{}' was read as assembler text: raw code has bytes that no text has, as zeros, and this has none",
          without_unprintable(error.what()), name));
    }
    if (image.segments.empty() || image.segments[0].bytes.empty())
      throw std::invalid_argument(fmt::format("'{}' holds no instruction", name));
    return image;
  }
  if (content.size() > arch::kL1Bytes)
    throw std::invalid_argument(
        fmt::format("'{}' has {} bytes, and L1 holds {}", name, content.size(), arch::kL1Bytes));
  image::Image image{.name = name, .entry = base};
  image.segments.push_back({.address = base,
                            .load_address = base,
                            .bytes = {bytes.begin(), bytes.end()},
                            .memory_bytes = static_cast<uint32_t>(bytes.size()),
                            .executable = true});
  return image;
}

void remember_file(RunKernel& kernel, const std::string& content, const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) kernel.path = absolute.lexically_normal().string();
  if (image::is_elf(arch::as_uint8(content))) kernel.elf = std::make_shared<const std::string>(content);
}

arch::Hart parse_hart(std::string_view text) {
  isa::text::Suggestion near{std::string(text)};
  for (int i = 0; i < arch::kHarts; ++i) {
    const auto hart = static_cast<arch::Hart>(i);
    const std::string name = hart_name(hart);
    if (std::ranges::equal(text, name, {}, [](unsigned char c) { return static_cast<char>(std::tolower(c)); }))
      return hart;
    near.consider(name);
  }
  const std::string suggestion = near.text();
  throw std::invalid_argument(
      fmt::format("there is no hart '{}'{}", text,
                  suggestion.empty() ? "; there are brisc, ncrisc, trisc0, trisc1, trisc2" : suggestion));
}

std::string hart_name(arch::Hart hart) {
  std::string name = arch::kHartNames[static_cast<size_t>(hart)];
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace kerr::jobs
