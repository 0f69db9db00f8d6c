// Where a program's blocks, definitions and accesses are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::scalar {

inline constexpr uint32_t kNowhere = ~0u;

/// Lines of a body, ascending.
class Lines {
 public:
  void add(uint32_t at) { lines_.push_back(at); }
  bool any(uint32_t from, uint32_t to) const;  // from <= line < to
  bool all(uint32_t from, uint32_t to) const;  // every one is
  uint32_t last_before(uint32_t at) const;     // kNowhere: there is none

 private:
  std::vector<uint32_t> lines_;
};

/// An access to one whole element of a register that it names; others may be to any element.
bool is_plain(const Program& program, const Instruction& i);

class Places {
 public:
  /// `object`: parameters of the same number may have bytes in common. Both must outlive it.
  Places(const Program& program, std::span<const uint32_t> object);

  using Element = std::pair<uint32_t, uint64_t>;  // register, number
  struct Accesses {
    Lines stores, all;
  };

  const Program& program() const { return program_; }
  /// The line that begins the block round a line; kNowhere: none does.
  uint32_t block(uint32_t at) const { return block_[at]; }
  /// kNowhere: a variable of the program.
  uint32_t definition(uint32_t value) const { return definition_[value]; }
  /// Lines that store to parameters, and do loops.
  const Lines& effects() const { return effects_; }
  /// Whether a load could find something else because of a store from line `from` to before `to`.
  bool changes(const Instruction& load, uint32_t from, uint32_t to) const;
  /// Plain accesses to the element.
  const Accesses& of(Element element) const;
  /// All others to the register.
  const Accesses& others_of(uint32_t reg) const { return others_[reg]; }
  /// Every access to the register is from line `from` to before `to`.
  bool only_in(uint32_t reg, uint32_t from, uint32_t to) const { return every_[reg].all.all(from, to); }
  /// How often a loop of that extent has turns.
  struct Turns {
    uint64_t most = 0;  // 0: not known, or none
    bool known = false;
    bool surely = false;     // at least one
    bool condition = false;  // one or none
    bool never() const { return known && most == 0; }
  };
  Turns turns(const Operand& extent) const;
  /// What the plain load of the line `at` finds, if that is one store's value whenever it is executed.
  std::optional<Operand> stored_for(uint32_t at) const;

 private:
  const Program& program_;
  std::span<const uint32_t> object_;
  std::vector<uint32_t> block_, definition_;
  std::map<uint32_t, uint32_t> variables_;  // of a value
  Lines effects_;
  std::map<uint32_t, Lines> parameter_stores_;  // of an object
  std::map<Element, Accesses> plain_;
  std::vector<Accesses> others_, every_;  // of a register
};

}  // namespace kerr::loops::scalar
