#include "isa/code.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "isa/disassembler.hpp"

namespace kerr::isa {

uint32_t Code::address_of(const std::string& symbol) const {
  for (const Symbol& s : symbols) {
    if (s.name == symbol) return s.address;
  }
  throw std::out_of_range(fmt::format("the code has no symbol '{}'", symbol));
}

std::string Code::listing() const {
  std::string text;
  auto symbol = symbols.begin();
  auto comment = comments.begin();
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    const uint32_t at = base + static_cast<uint32_t>(i);
    for (; symbol != symbols.end() && symbol->address <= at; ++symbol) text += symbol->name + ":\n";
    std::string line = fmt::format("  {:08x}  {:08x}  {}", at, word_at(at), disassemble(word_at(at), at));
    for (; comment != comments.end() && comment->address <= at; ++comment) {
      line = fmt::format("{:<60}  # {}", line, comment->text);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace kerr::isa
