// The numbers of the cost model.   docs/hardware/timing.md
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emu/cycle.hpp"

namespace kerr::emu::timing {

/// Of a Blackhole at 1350 MHz.
struct Parameters {
#define X(name, unit, value, kind, source, meaning) Cycle name = value;
#include "emu/timing/parameters.def"
};

/// The usual ones.
inline constexpr Parameters kBlackhole{};

enum class Evidence : std::uint8_t { Measured, Documented, Inferred, Assumed };
std::string_view name_of(Evidence evidence);

struct ParameterRow {
  std::string_view name, unit;
  Cycle value;
  Evidence evidence;
  std::string_view source;  // sections of docs/hardware/timing.md
  std::string_view meaning;
};
std::span<const ParameterRow> parameter_rows();

}  // namespace kerr::emu::timing
