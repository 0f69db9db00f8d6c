#include "emu/timing/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kerr::emu::timing {

namespace {

constexpr ParameterRow kRows[] = {
#define X(name, unit, value, kind, source, meaning) \
  {#name, unit, value, Evidence::kind, source, meaning, &Parameters::name},
#include "emu/timing/parameters.def"
};

constexpr Cycle kMost = 1'000'000;

// Nothing that silicon does not need has to take time; what moves data, or takes it from tile to tile, has to.
bool may_be_zero(const ParameterRow& row) {
  static constexpr std::array<std::string_view, 14> kMay{
      "hart_retire_release",          "hart_mispredict",  "hart_window_server", "wait_release",
      "sfpu_load_store_turn",         "source_hand_over", "noc_read_responder", "noc_write_ack",
      "noc_atomic_responder",         "noc_reserve_base", "noc_reserve_hop",    "noc_reserve_few_base",
      "noc_reserve_few_hop_quarters", "dram_access"};
  return std::find(kMay.begin(), kMay.end(), row.name) != kMay.end() || row.name == "dram_write_ack";
}

}  // namespace

const ParameterRow* find_parameter(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const ParameterRow& row) { return row.name == name; });
  return found == std::end(kRows) ? nullptr : found;
}

std::optional<std::string> problem_with(const ParameterRow& row, Cycle value) {
  const Cycle least = may_be_zero(row) ? 0 : 1;
  const Cycle most = row.unit == "flits" ? kMostChannelFlits : row.name == "noc_hop" ? kMostHop : kMost;
  if (value >= least && value <= most) return std::nullopt;
  return fmt::format("must be from {} to {}, not {}", least, most, value);
}

Parameters at_clock(const Parameters& usual, Cycle mhz) {
  Parameters p = usual;
  p.clock_mhz = mhz;
  const auto rounded = [](Cycle value, Cycle up, Cycle down) {
    return std::max<Cycle>(1, (value * up + down / 2) / down);
  };
  for (Cycle Parameters::*latency : {&Parameters::dram_access, &Parameters::pcie_read, &Parameters::pcie_write_ack})
    p.*latency = rounded(usual.*latency, mhz, usual.clock_mhz);
  for (Cycle Parameters::*rate : {&Parameters::dram_tenth_bytes_per_cycle, &Parameters::pcie_read_tenth_bytes_per_cycle,
                                  &Parameters::pcie_write_tenth_bytes_per_cycle})
    p.*rate = rounded(usual.*rate, usual.clock_mhz, mhz);
  return p;
}

std::string_view name_of(Evidence evidence) {
  static constexpr std::array<std::string_view, 4> kNames{"measured", "documented", "inferred", "assumed"};
  return kNames[static_cast<size_t>(evidence)];
}

std::span<const ParameterRow> parameter_rows() { return kRows; }

}  // namespace kerr::emu::timing
