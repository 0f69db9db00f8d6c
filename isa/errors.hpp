#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kerr::isa {

/// An operand that does not fit its field. what() names mnemonic, field, value and what is allowed.
class RangeError : public std::out_of_range {
 public:
  RangeError(std::string mnemonic_, std::string field_, int64_t value_, int64_t lowest_, int64_t highest_);

  std::string mnemonic, field;
  int64_t value, lowest, highest;  // allowed: lowest..highest
};

/// Throws RangeError; out of line so that inline encoders stay small.
[[noreturn]] void throw_range(const char* mnemonic, const char* field, int64_t value, int64_t lowest, int64_t highest);

}  // namespace kerr::isa
