// A contraction's steps against what its program means.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "loops/tiles/bounds.hpp"
#include "loops/tiles/check.hpp"
#include "loops/tiles/contraction_plan.hpp"
#include "loops/tiles/epilogue.hpp"

namespace kerr::loops::tiles {
namespace {

std::vector<float> read(host::Chip& chip, const host::Buffer& buffer, const Layout& layout) {
  std::vector<float> out(layout.elements());
  chip.read(buffer, std::as_writable_bytes(std::span(out)));
  return out;
}

void require_gathered(const Program& bound, const char* which, const Layout& layout, const std::vector<float>& right,
                      const std::vector<float>& made) {
  for (size_t at = 0; at < layout.elements(); ++at) {
    const auto is = std::bit_cast<uint32_t>(made[at]), must = std::bit_cast<uint32_t>(right[at]);
    if (is == must) continue;
    throw std::logic_error(fmt::format(
        "'{}' differs from its definition: factor {}, place {} of its matrix, is {:#x}, and must be {:#x} (path tiles)",
        bound.name, which, at, is, must));
  }
}

}  // namespace

void compare_contraction(Check& check, const Program& bound, const Contraction& contraction, const Chunk& chunk,
                         const ContractionSteps& steps, host::Chip& chip, const host::Buffer& a, const host::Buffer& b,
                         const host::Buffer& c, std::span<const int64_t> first) {
  const ProductLayouts& layouts = steps.product->layouts();
  std::vector<float> right_a(layouts.a.elements()), right_b(layouts.b.elements()), right_c(layouts.c.elements());
  std::vector<uint32_t> flags(std::max(flags_of(steps.a), flags_of(steps.b)));
  const auto bytes = [](auto& numbers) { return std::as_writable_bytes(std::span(numbers)); };
  const std::span<std::byte> of_a[] = {bytes(right_a), bytes(flags)}, of_b[] = {bytes(right_b), bytes(flags)},
                             of_c[] = {bytes(right_c)};
  const auto gathered = [&](Gathered what, std::span<const std::span<std::byte>> scratch) {
    what.copy.reset();  // the program knows of neither
    what.tables.reset();
    run(gather(bound, what, chunk), check, scratch, first);
  };
  gathered(steps.a, of_a);
  gathered(steps.b, of_b);
  require_gathered(bound, "A", layouts.a, right_a, read(chip, a, layouts.a));
  require_gathered(bound, "B", layouts.b, right_b, read(chip, b, layouts.b));

  const Part sums(sums_alone(bound, contraction, layouts.c, chunk), chip.harvesting(), {});
  sums.run(check, of_c, first);
  std::vector<float> made = read(chip, c, layouts.c);
  const uint64_t batches = extent_of(bound, contraction.batch, chunk), m = extent_of(bound, contraction.m, chunk),
                 n = extent_of(bound, contraction.n, chunk), k = extent_of(bound, contraction.k, chunk);
  const Matrices all_a = matrices_of(right_a, layouts.a, batches, m, k),
                 all_b = matrices_of(right_b, layouts.b, batches, k, n, true);
  for (uint64_t batch = 0; batch < batches; ++batch) {
    for (uint64_t i = 0; i < m; ++i) {
      for (uint64_t j = 0; j < n; ++j) {
        const uint64_t at = place_of(layouts.c, batch, i, j);
        const std::span<const float> row = all_a.row(batch, i), column = all_b.row(batch, j);
        const Bound limit = bound_of_sum(steps.engine, row, column);
        double right = right_c[at];
        if (std::bit_cast<uint32_t>(right_c[at]) == kClosed) continue;
        if (const double rounding = rounding_of_products(contraction.products, row, column); std::isfinite(rounding))
          right -= rounding;
        else if (std::isfinite(limit.within))
          continue;  // only rounding leaves the range
        if (agree(made[at], right, limit)) continue;
        throw std::logic_error(fmt::format(
            "'{}' differs from its definition: the sum of line {} at {}, {}, {} (batch, row, column) is {:.9g}, and "
            "must be {:.9g} within {:.3g} (path tiles, {})",
            bound.name, bound.body[contraction.adds].line, batch, i, j, made[at], right, limit.within,
            name_of(steps.engine)));
      }
    }
  }
  const std::span<std::byte> of_made[] = {bytes(made)};
  steps.epilogue.run(check, of_made, first);
}

}  // namespace kerr::loops::tiles
