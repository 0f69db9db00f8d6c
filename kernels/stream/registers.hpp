// A hart's registers by name instead of by number: each value takes one for as long as it lives.
#pragma once

#include <string_view>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::kernels {

/// The registers that a kernel may keep values in between building blocks: a2..a7, and s0..s11, of which frame.hpp
/// saves what is written; a0, a1 and a3 too once what they hold on entry has been given away with release(). Building
/// blocks clobber t0 to t6, so no value is ever there.
class Registers {
 public:
  Registers();

  /// Throws std::length_error that names `value` and all that have registers if none is left.
  isa::Reg take(std::string_view value);
  /// The register may be taken again. Throws std::logic_error if nobody has it.
  void release(isa::Reg reg);

  /// A value that gives its register back at the end of its scope.
  class Scoped {
   public:
    Scoped(Registers& registers, std::string_view value) : registers_(registers), reg_(registers.take(value)) {}
    ~Scoped() { registers_.release(reg_); }
    Scoped(const Scoped&) = delete;
    Scoped& operator=(const Scoped&) = delete;
    operator isa::Reg() const { return reg_; }

   private:
    Registers& registers_;
    const isa::Reg reg_;
  };

 private:
  struct Value {
    isa::Reg reg;
    std::string_view name;
  };
  std::vector<isa::Reg> free_;  // the next one last
  std::vector<Value> taken_;
};

}  // namespace kerr::kernels
