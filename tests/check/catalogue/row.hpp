// A row of the catalogue, and a run of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/options.hpp"
#include "tests/check/catalogue/shared.hpp"

namespace kerr::catalogue {

/// How a run with the mistake ends.
enum class End : uint8_t { Ends, Hangs, Faults };

/// The emulator may give anything.
inline constexpr uint32_t kAny = 0xFFFF'FFFF;

/// A row of rows.def.
struct Row {
  uint32_t number;
  std::string_view file;  // of kernels/, as rows.def names it
  std::string_view name;  // of the template there
  uint32_t harts;
  uint32_t launches;
  End end;
  std::string_view rule;
  uint32_t mended, wrong;
  std::string_view sentence;
};

std::span<const Row> rows();

/// A line of a source of the catalogue.
struct Line {
  std::string file;  // "transfers.hpp"
  uint32_t line = 0;
  friend auto operator<=>(const Line&, const Line&) = default;
};
/// Where a row's mistake is: the lines that say "// 2: first" and "// 2: then". Some rows have no first one.
struct Sites {
  std::optional<Line> first, then;
};
/// By number. Throws std::runtime_error for a comment that stands twice, or names no row.
std::map<uint32_t, Sites> read_sites();

/// What a run leaves.
struct Result {
  End end = End::Ends;
  uint32_t sum = 0;    // of what the tiles have stored as their results
  std::string report;  // of a hang or fault
};

/// Runs the row's program, or its mended twin, on a device of its own. `options`: with an observer, perhaps.
Result run(const Row& row, bool bug, const emu::Options& options = {});

}  // namespace kerr::catalogue
