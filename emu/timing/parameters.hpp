// The numbers of the cost model.   docs/hardware/timing.md
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "emu/cycle.hpp"

namespace kerr::emu::timing {

/// Of a Blackhole at 1350 MHz unless somebody has set others. A plain value: copy it, change it, give it to a machine.
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
  Cycle Parameters::*field;
  Cycle value;  // the usual one
  Evidence evidence;
  std::string_view source;  // sections of docs/hardware/timing.md
  std::string_view meaning;
};
std::span<const ParameterRow> parameter_rows();
/// nullptr if there is none.
const ParameterRow* find_parameter(std::string_view name);

/// Applies the members of a JSON object, {"noc_hop": 9, ...}, to `parameters`. Throws std::invalid_argument, and changes
/// nothing, for text that is no such object, an unknown name, or a value that is no integer from 0 to 1,000,000.
void apply_json(Parameters& parameters, std::string_view json);

}  // namespace kerr::emu::timing
