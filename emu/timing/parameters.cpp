#include "emu/timing/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kerr::emu::timing {

namespace {

constexpr ParameterRow kRows[] = {
#define X(name, unit, value, kind, source, meaning) {#name, unit, &Parameters::name, value, Evidence::kind, source, meaning},
#include "emu/timing/parameters.def"
};

constexpr Cycle kMost = 1'000'000;

}  // namespace

std::string_view name_of(Evidence evidence) {
  static constexpr std::array<std::string_view, 4> kNames{"measured", "documented", "inferred", "assumed"};
  return kNames[static_cast<std::size_t>(evidence)];
}

std::span<const ParameterRow> parameter_rows() { return kRows; }

const ParameterRow* find_parameter(std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const ParameterRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

void apply_json(Parameters& parameters, std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) throw std::invalid_argument("timing parameters must be a JSON object, such as {\"noc_hop\": 9}");
  Parameters changed = parameters;
  for (const auto& [name, value] : json.items()) {
    const ParameterRow* row = find_parameter(name);
    if (row == nullptr) throw std::invalid_argument(fmt::format("there is no timing parameter '{}'", name));
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
      throw std::invalid_argument(fmt::format("timing parameter '{}' must be an integer from 0 to {}", name, kMost));
    changed.*row->field = value.get<Cycle>();
  }
  parameters = changed;
}

}  // namespace kerr::emu::timing
