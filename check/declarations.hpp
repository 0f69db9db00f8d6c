// What annotations say of L1, as addresses.   docs/reference/checker.md
#pragma once

#include <cstdint>
#include <vector>

#include "arch/host_notes.hpp"
#include "check/annotation.hpp"

namespace kerr::check {

/// The flags, monotonic words and private bytes of a list of annotations.
class Declarations {
 public:
  struct Range {
    Annotation::Kind kind = Annotation::Kind::Flag;
    uint64_t address = 0, bytes = 0;  // in L1
    bool holds(uint64_t at, uint64_t n) const { return at < address + bytes && address < at + n; }
    friend bool operator==(const Range&, const Range&) = default;
  };

  explicit Declarations(std::vector<Annotation> annotations);

  /// Those that have an address: of every tile.
  const std::vector<Range>& everywhere() const { return everywhere_; }
  /// Those of the code's symbols that lie in L1. Between windows.
  std::vector<Range> of(const arch::note::Code& code);
  bool has_symbols() const { return !symbols_.empty(); }
  /// Symbols that no code had so far.
  std::vector<Annotation> unknown() const;

 private:
  struct Symbol {
    Annotation annotation;
    bool known = false;
  };
  std::vector<Range> everywhere_;
  std::vector<Symbol> symbols_;
};

}  // namespace kerr::check
