#include "jobs/run/cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "isa/text/whole_number.hpp"

namespace kerr::jobs {

namespace {

struct Interval {
  uint32_t first = 0, last = 0;
};

// "3" or "1-4", below `size`.
std::optional<Interval> interval(std::string_view text, uint32_t size) {
  const size_t dash = text.find('-');
  const auto first = isa::text::whole_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : isa::text::whole_number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= size) return std::nullopt;
  return Interval{static_cast<uint32_t>(*first), static_cast<uint32_t>(*last)};
}

}  // namespace

void Cores::add(std::string_view text) {
  if (text == "all") {
    all_ = true;
    return;
  }
  const size_t comma = text.find(',');
  const auto columns = interval(text.substr(0, comma), arch::kGridColumns);
  const auto rows = interval(comma == std::string_view::npos ? "" : text.substr(comma + 1), arch::kGridRows);
  if (!columns || !rows) {
    throw std::invalid_argument(fmt::format(
        "'{}' is no core: write COLUMN,ROW as 1,2, a rectangle as 1-4,2-3, or all; columns are 0 to {}, rows 0 to {}",
        text, arch::kGridColumns - 1, arch::kGridRows - 1));
  }
  const bool rectangle = columns->first != columns->last || rows->first != rows->last;
  for (uint32_t y = rows->first; y <= rows->last; ++y) {
    for (uint32_t x = columns->first; x <= columns->last; ++x) {
      if (rectangle && columns->first != columns->last && (x == 8 || x == 9)) continue;
      tiles_.push_back({static_cast<uint8_t>(x), static_cast<uint8_t>(y)});
    }
  }
  if (tiles_.empty())
    throw std::invalid_argument(fmt::format("'{}' holds no core: columns 8 and 9 have no Tensix tiles", text));
}

std::vector<arch::NocCoord> Cores::among(std::span<const arch::NocCoord> workers) const {
  std::vector<arch::NocCoord> out = tiles_;
  if (all_) out.insert(out.end(), workers.begin(), workers.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void check_cores(std::span<const arch::NocCoord> cores, std::span<const arch::NocCoord> tiles, std::string_view board) {
  for (const arch::NocCoord core : cores) {
    if (std::ranges::find(tiles, core) != tiles.end()) continue;
    const auto columns = std::ranges::minmax(tiles, {}, &arch::NocCoord::x);
    const auto rows = std::ranges::minmax(tiles, {}, &arch::NocCoord::y);
    throw std::invalid_argument(fmt::format(
        "({},{}) is no Tensix tile of this {}: they are in columns {} to {}, rows {} to {}; columns 8 and 9 have none",
        core.x, core.y, board, columns.min.x, columns.max.x, rows.min.y, rows.max.y));
  }
}

arch::NocCoord parse_core(std::string_view text) {
  const size_t comma = text.find(',');
  const auto x = comma == std::string_view::npos ? std::nullopt : isa::text::whole_number(text.substr(0, comma));
  const auto y = comma == std::string_view::npos ? std::nullopt : isa::text::whole_number(text.substr(comma + 1));
  if (!x || !y || *x >= arch::kGridColumns || *y >= arch::kGridRows) {
    throw std::invalid_argument(
        fmt::format("'{}' is no core: write COLUMN,ROW as 1,2; columns are 0 to {}, rows 0 to {}", text,
                    arch::kGridColumns - 1, arch::kGridRows - 1));
  }
  return {static_cast<uint8_t>(*x), static_cast<uint8_t>(*y)};
}

}  // namespace kerr::jobs
