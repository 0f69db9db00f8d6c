#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/relocation.hpp"
#include "image/use_kind.hpp"
#include "isa/code.hpp"

// A program for one hart: what the assembler emits and ELF files hold, the loader loads, and the hang report reads.

namespace kerr::image {

using isa::Comment;
using isa::LineEntry;
using isa::Symbol;

/// Bytes that belong at an address, followed by zeros up to memory_bytes.
struct Segment {
  uint32_t address = 0;  // as the code sees it
  uint32_t load_address =
      0;  // where a loader puts it (ELF p_paddr); differs for what start-up code copies to local memory
  std::vector<uint8_t> bytes;
  uint32_t memory_bytes = 0;  // >= bytes.size()
  bool executable = false;
  bool writable = false;

  bool contains(uint32_t at) const { return at - address < memory_bytes; }
};

/// What a compiled kernel says of itself, for checks before it runs. Numbers that its compiler did not know are not
/// there.
struct Use {
  using Kind = UseKind;
  Kind kind = Kind::StartUp;
  uint32_t value = 0;
  friend auto operator<=>(const Use&, const Use&) = default;
};

struct Image {
  std::string name;  // of the file or the kernel: for messages
  uint32_t entry = 0;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;          // by address
  std::vector<LineEntry> lines;         // by address; line 0 means no source from here on
  std::vector<Comment> comments;        // by address
  std::vector<Relocation> relocations;  // in the order of the file
  std::vector<Use> uses;                // sorted, each once

  /// The assembler's output, entry at its first byte.
  static Image from(const isa::Code& code, std::string name);

  /// The symbol of that name; nullptr if there is none.
  const Symbol* symbol(std::string_view symbol_name) const;

  /// What `address` lies in: the nearest function that covers it, else the nearest symbol at or below it in the same
  /// executable segment; nullptr if there is none.
  const Symbol* symbol_at(uint32_t address) const;

  /// The source line of the instruction at `address`; nullptr if unknown.
  const LineEntry* line_at(uint32_t address) const;

  /// The remark on the instruction at `address`; empty if there is none.
  std::string_view comment_at(uint32_t address) const;

  /// The little-endian word at `address`, zeros behind a segment's bytes included; nothing outside all segments.
  std::optional<uint32_t> word_at(uint32_t address) const;

  /// "noc_write_tile()+0x1c  reader.cpp:57 (dram_tiles.cpp:80)", as much of it as is known, or "" : for reports. In
  /// brackets: the line of the building block that reader.cpp called.
  std::string describe(uint32_t address) const;

  /// The executable segments as text, one line a word, with symbols and remarks. Starts each segment at its first
  /// symbol: linkers put headers before it.
  std::string listing() const;

  /// The same image with every address moved, and words that lead to it rewritten (kernel_code() has left no others):
  /// position-independent kernels run wherever the launch message puts them.
  Image moved_by(uint32_t delta) const;
};

}  // namespace kerr::image
