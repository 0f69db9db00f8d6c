#include "loops/tiles/vector_code.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace kerr::loops::tiles {

namespace {

using kernels::vector::Code;
using kernels::vector::Step;

constexpr size_t kKept = 16;

struct Made {
  Code code;
  size_t operands;
  uint32_t tiles;
  kernels::vector::Phases phases;
};

bool same(const Code& a, const Code& b) {
  const auto all_of = [](const Code& code, const Step& step) {
    return std::tuple(step.operation, step.negate_a, step.negate_c, step.test, step.result, step.sources,
                      step.immediate, step.mode, step.row, code.remark_of(step));
  };
  return a.uses_place() == b.uses_place() &&
         std::ranges::equal(a.steps(), b.steps(),
                            [&](const Step& x, const Step& y) { return all_of(a, x) == all_of(b, y); });
}

}  // namespace

kernels::vector::Phases vector_code(const Code& code, const kernels::FlatShape& shape, uint32_t tiles) {
  static auto* const mutex = new std::mutex;  // other threads may use it while the process ends
  static auto* const kept = new std::vector<Made>;
  const auto is_it = [&](const Made& made) {
    return made.operands == shape.operands.size() && made.tiles == tiles && same(made.code, code);
  };
  // Without waiting: in a child of fork() the lock may be taken for good.
  if (const std::unique_lock lock(*mutex, std::try_to_lock); lock) {
    const auto found = std::ranges::find_if(*kept, is_it);
    if (found != kept->end()) {
      std::rotate(found, found + 1, kept->end());
      return kept->back().phases;
    }
  }
  kernels::vector::Phases phases = kernels::flat_code(code, shape, tiles);
  const std::unique_lock lock(*mutex, std::try_to_lock);
  if (!lock) return phases;
  if (kept->size() == kKept) kept->erase(kept->begin());
  kept->push_back({code, shape.operands.size(), tiles, phases});
  return phases;
}

}  // namespace kerr::loops::tiles
