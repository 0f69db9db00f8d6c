// The numbers of the cost model.   docs/hardware/timing.md
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arch/boards.hpp"
#include "emu/cycle.hpp"

namespace kerr::emu::timing {

/// The usual ones are those of a Blackhole that is busy.
struct Parameters {
#define X(name, unit, value, kind, source, meaning) Cycle name = value;
#include "emu/timing/parameters.def"
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// The usual ones.
inline constexpr Parameters kBlackhole{};

/// The most that noc_channel_flits can be, and noc_hop: the fabric keeps bits of so many slots and cycles.
inline constexpr Cycle kMostChannelFlits = 32, kMostHop = 63;

enum class Evidence : uint8_t { Measured, Documented, Inferred, Assumed };
std::string_view name_of(Evidence evidence);

struct ParameterRow {
  std::string_view name, unit;
  Cycle value;  // the usual one
  Evidence evidence;
  std::string_view source;  // sections of docs/hardware/timing.md
  std::string_view meaning;
  Cycle Parameters::*member;
};
std::span<const ParameterRow> parameter_rows();
/// nullptr: there is none of that name.
const ParameterRow* find_parameter(std::string_view name);

/// What is wrong with a value, as the end of a sentence that begins with the parameter's name: "must be from 1 to 64,
/// not 0".
std::optional<std::string> problem_with(const ParameterRow& row, Cycle value);

/// The same silicon at another clock: DRAM and PCIe keep their own, so their latencies and rates in cycles change.
/// timing.md 1
Parameters at_clock(const Parameters& parameters, Cycle mhz);

}  // namespace kerr::emu::timing
