// Prints of kernels: what they look like in code, and what is kept of them beside it.   docs/guide/prints.md
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/assembler.hpp"
#include "isa/print_format.hpp"

namespace kerr::isa {

/// A print of a kernel. It is kept as the remark on the first of its instructions, so it moves with the code and stands
/// in listings.
struct Print {
  std::string format;
  std::string types;   // a PrintType for each value
  std::string file{};  // where it stands; empty: where the line table says
  uint32_t line = 0;

  /// How many instructions it has, at least one.
  uint32_t words() const;
  friend bool operator==(const Print&, const Print&) = default;
};

/// `print "block {} of {}" uu reader.cpp:70`.
std::string remark_of(const Print& print);
/// The print that a remark is of, perhaps among other remarks; nothing: it is of something else.
std::optional<Print> print_in(std::string_view remark);

/// Why a format cannot print so many values, as "has ..."; empty: it can.
std::string print_mistake(std::string_view format, size_t values);

/// Emits a print of registers: one instruction for each, or one if there is none. What a register holds, its place
/// says: {:d} is signed, {:f}, {:e} and {:g} fp32, {:c} a character, {:s} the address of a string, {:p} an address, all
/// others unsigned. Nothing is changed, and where nobody listens nothing happens. Throws AssemblerError for a format
/// that is none or takes another number of values, and for more than 8.
void print(Assembler& code, std::string_view format, std::span<const Reg> values,
           SourceLocation where = SourceLocation::current());
inline void print(Assembler& code, std::string_view format, std::initializer_list<Reg> values = {},
                  SourceLocation where = SourceLocation::current()) {
  print(code, format, std::span(values.begin(), values.size()), where);
}

}  // namespace kerr::isa
