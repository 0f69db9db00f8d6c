#include <string>
#include <string_view>
#include <vector>

#include "isa/print.hpp"
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

}  // namespace

uint64_t fuzz_prints(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const uint32_t kind = in.byte(), cut = in.byte();
  uint64_t hash = 0;
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
