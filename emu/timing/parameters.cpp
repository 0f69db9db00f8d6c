#include "emu/timing/parameters.hpp"

#include <array>

namespace kerr::emu::timing {

namespace {

constexpr ParameterRow kRows[] = {
#define X(name, unit, value, kind, source, meaning) {#name, unit, value, Evidence::kind, source, meaning},
#include "emu/timing/parameters.def"
};

}  // namespace

std::string_view name_of(Evidence evidence) {
  static constexpr std::array<std::string_view, 4> kNames{"measured", "documented", "inferred", "assumed"};
  return kNames[static_cast<std::size_t>(evidence)];
}

std::span<const ParameterRow> parameter_rows() { return kRows; }

}  // namespace kerr::emu::timing
