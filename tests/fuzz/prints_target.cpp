#include <string>
#include <string_view>
#include <vector>

#include "image/error.hpp"
#include "isa/print.hpp"
#include "prints/device_print.hpp"
#include "prints/elf_file.hpp"
#include "prints/format.hpp"
#include "prints/stock.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

namespace {

uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = hash * 31 + static_cast<uint8_t>(c);
  return hash;
}

// tt-metal's DEVICE_PRINT: a file, a format with its values, or a buffer as it is written.
uint64_t device_prints(Input& in, uint32_t kind) {
  const auto bytes_of = [](std::string_view text) {
    return std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const auto string_at = [](uint32_t address) { return std::to_string(address); };
  if (kind % 4 == 0) {
    try {
      const prints::ElfFile file = prints::ElfFile::of(bytes_of(in.text()), "file");
      return file.image->comments.size() + (file.device.at(0) ? 1 : 0);
    } catch (const image::Error&) {
      return 1;
    }
  }
  if (kind % 4 == 1) {
    std::vector<uint8_t> values(in.below(64));
    for (uint8_t& value : values) value = static_cast<uint8_t>(in.byte());
    return hash_of(prints::text_of_device_print(in.text(), values, string_at));
  }
  prints::DeviceFiles files;
  prints::DeviceRecords records;
  std::vector<uint8_t> data(prints::device_print::kDataBytes);
  uint64_t hash = 0;
  const auto written = [&](uint32_t wpos) {
    records.written(
        wpos, data, data, files, [](size_t, uint32_t) { return ""; },
        [&](const prints::DeviceRecords::Said& said) {
          require(said.hart < arch::kHarts, "a hart that there is");
          hash = hash * 31 + hash_of(said.text);
        });
  };
  written(prints::stock::kStarting);
  while (!in.empty()) {
    for (uint8_t& byte : std::span(data).first(32)) byte = static_cast<uint8_t>(in.byte());
    written(in.word() % 1100);
  }
  return hash;
}

}  // namespace

uint64_t fuzz_prints(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const uint32_t kind = in.byte(), cut = in.byte();
  uint64_t hash = 0;
  if (kind >= 0xF0) return device_prints(in, kind);
  if (kind % 2 == 0) {
    const std::string_view text = in.text();
    const std::span items(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    prints::StockItems stock;
    for (const auto part : {items.first(cut % (items.size() + 1)), items.subspan(cut % (items.size() + 1))}) {
      for (const std::string& line : stock.take(part)) {
        require(line.find('\n') == line.npos, "a line is one");
        hash = hash * 31 + hash_of(line);
      }
    }
    return hash + hash_of(stock.rest());
  }
  std::vector<uint32_t> words(cut % 9);
  for (uint32_t& word : words) word = in.word();
  isa::Print print;
  for (uint32_t n = in.below(9); n > 0; --n) print.types += static_cast<char>(isa::kPrintTypes[in.below(9)]);
  print.format = in.text();
  hash = hash_of(prints::text_of(print, words, [](uint32_t address) { return std::to_string(address); }));
  if (print.words() <= 8 && print.format.find('\\') == std::string::npos)
    require(isa::print_in(isa::remark_of(print)) == print, "a print comes back from its remark");
  if (const auto other = isa::print_in(in.text())) hash += hash_of(other->format);
  return hash;
}

}  // namespace kerr::fuzz
