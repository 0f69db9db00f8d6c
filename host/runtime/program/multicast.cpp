#include "host/runtime/program/multicast.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {
namespace {

struct Corners {
  arch::NocCoord least, most;
};

Corners corners_of(std::span<const arch::NocCoord> cores) {
  Corners r{cores[0], cores[0]};
  for (const arch::NocCoord core : cores) {
    r.least = {std::min(r.least.x, core.x), std::min(r.least.y, core.y)};
    r.most = {std::max(r.most.x, core.x), std::max(r.most.y, core.y)};
  }
  return r;
}

// A multicast goes to every Tensix tile of its rectangle, so each of them must be one of the receivers.
void check(const Corners& r, std::span<const arch::NocCoord> cores) {
  const auto others = cores.subspan(1);
  for (uint8_t y = r.least.y; y <= r.most.y; ++y) {
    for (uint8_t x = r.least.x; x <= r.most.x; ++x) {
      const arch::NocCoord at{x, y};
      if (!arch::is_tensix_column(x)) continue;
      if (at == cores[0])
        host_error(fmt::format("core ({},{}) multicasts to a rectangle in which it lies itself", x, y));
      if (std::ranges::find(others, at) == others.end())
        host_error(
            fmt::format("a multicast from ({},{}) to ({},{}) goes to ({},{}) too, which is none of its receivers",
                        r.least.x, r.least.y, r.most.x, r.most.y, x, y));
    }
  }
}

}  // namespace

std::vector<uint32_t> multicast_args(std::span<const arch::NocCoord> cores, size_t index, uint8_t noc,
                                     const std::vector<uint32_t>& then) {
  if (index >= cores.size())
    host_error(fmt::format("multicast_args(): there are {} cores, and none of number {}", cores.size(), index));
  std::vector<uint32_t> out(6);
  if (index != 0) {
    out = {0, cores[0].x, cores[0].y, 0, 0, 0};
  } else if (cores.size() == 1) {
    out[0] = 1;
  } else {
    Corners r = corners_of(cores.subspan(1));
    check(r, cores);
    if (noc == 1) std::swap(r.least, r.most);
    out = {1, r.least.x, r.least.y, r.most.x, r.most.y, static_cast<uint32_t>(cores.size() - 1)};
  }
  out.insert(out.end(), then.begin(), then.end());
  return out;
}

}  // namespace kerr::host
