#include "loops/tiles/strides.hpp"

#include <algorithm>
#include <optional>
#include <random>

#include "loops/tiles/contraction.hpp"
#include "loops/tiles/iteration.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint32_t kIterations = 48;

// In bytes, modulo 2^64. Nothing: it is not known, or nothing is loaded.
std::optional<uint64_t> address(const Iteration& iteration, const Instruction& load) {
  const std::optional<int64_t> element = iteration.element(load);
  if (!element) return std::nullopt;
  return static_cast<uint64_t>(*element) * info(load.address.unit).bytes;
}

}  // namespace

uint64_t bytes_of_step(const Program& bound, const std::vector<Operand>& values, const Axes& axes, size_t axis,
                       uint64_t step) {
  const std::vector<uint32_t> lines = lines_behind(bound, lines_of_values(bound), values);
  std::vector<std::vector<uint64_t>> apart(lines.size());
  std::mt19937_64 random(1);
  for (uint32_t turn = 0; turn < kIterations; ++turn) {
    std::array<uint64_t, 3> numbers{};
    for (size_t k = 0; k < 3; ++k) numbers[k] = random() % std::max<uint64_t>(extent_of(bound, axes[k]), 1);
    const uint64_t extent = extent_of(bound, axes[axis]);
    if (extent <= step) return 0;
    numbers[axis] %= extent - step;
    std::vector<Iteration> both;
    for (const uint64_t more : {uint64_t{0}, step}) {
      Iteration iteration(bound, lines);
      for (size_t k = 0; k < 3; ++k) {
        uint64_t left = numbers[k] + (k == axis ? more : 0);
        for (size_t l = axes[k].size(); l-- > 0;) {
          const uint64_t own = extent_of(bound, axes[k][l]);
          iteration.set(axes[k][l], left % own);
          left /= own;
        }
      }
      iteration.compute();
      both.push_back(std::move(iteration));
    }
    for (size_t k = 0; k < lines.size(); ++k) {
      const Instruction& load = bound.body[lines[k]];
      if (load.verb != Verb::Load || load.address.space != Address::Space::Parameter) continue;
      const auto here = address(both[0], load), there = address(both[1], load);
      if (here && there) apart[k].push_back(std::min(*there - *here, *here - *there));
    }
  }
  uint64_t most = 0;
  for (std::vector<uint64_t>& of_load : apart) {
    if (of_load.empty()) continue;
    const auto middle = of_load.begin() + static_cast<ptrdiff_t>(of_load.size() / 2);
    std::nth_element(of_load.begin(), middle, of_load.end());
    most = std::max(most, *middle);
  }
  return most;
}

}  // namespace kerr::loops::tiles
