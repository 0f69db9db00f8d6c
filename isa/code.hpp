#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What assembling yields: bytes at an address, and what a reader of a hang report wants to know about them.

namespace kerr::isa {

struct Symbol {
  enum class Kind : uint8_t { Label, Function, Data };

  std::string name;
  uint32_t address = 0;
  uint32_t size_bytes = 0;  // 0: unknown
  Kind kind = Kind::Label;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// Code from `address` up to the next entry came from this source line.
struct LineEntry {
  uint32_t address = 0;
  std::string file;  // relative to the project where that is known
  uint32_t line = 0;
  std::string function;
  std::string inner_file{};  // of a building block that was called there and emitted it; empty: nobody did
  uint32_t inner_line = 0;
  friend bool operator==(const LineEntry&, const LineEntry&) = default;
};

/// A remark on the instruction at `address`.
struct Comment {
  uint32_t address = 0;
  std::string text;
  friend bool operator==(const Comment&, const Comment&) = default;
};

/// Position-dependent only where the source asked for absolute addresses (words that hold a label).
struct Code {
  uint32_t base = 0;              // address of bytes[0]
  std::vector<uint8_t> bytes;     // little endian
  std::vector<Symbol> symbols;    // by address
  std::vector<LineEntry> lines;   // by address
  std::vector<Comment> comments;  // by address

  uint32_t end() const { return base + static_cast<uint32_t>(bytes.size()); }
  /// The 32-bit word at an address inside the code. Precondition: base <= address and address + 4 <= end().
  uint32_t word_at(uint32_t address) const {
    const uint8_t* p = bytes.data() + (address - base);
    return p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
  }
  /// Address of a symbol; throws std::out_of_range naming it.
  uint32_t address_of(const std::string& symbol) const;
  /// One line a word: address, word, instruction, remark; labels on their own lines.
  std::string listing() const;
};

}  // namespace kerr::isa
