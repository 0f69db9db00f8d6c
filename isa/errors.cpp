#include "isa/errors.hpp"

#include <fmt/format.h>

#include <utility>

namespace kerr::isa {

RangeError::RangeError(std::string mnemonic_, std::string field_, int64_t value_, int64_t lowest_, int64_t highest_)
    : std::out_of_range(
          fmt::format("{}: {}={} is out of range; allowed: {} to {}", mnemonic_, field_, value_, lowest_, highest_)),
      mnemonic(std::move(mnemonic_)),
      field(std::move(field_)),
      value(value_),
      lowest(lowest_),
      highest(highest_) {}

void throw_range(const char* mnemonic, const char* field, int64_t value, int64_t lowest, int64_t highest) {
  throw RangeError(mnemonic, field, value, lowest, highest);
}

}  // namespace kerr::isa
