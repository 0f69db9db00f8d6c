// A contraction's steps against what its program means.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "loops/tiles/bounds.hpp"
#include "loops/tiles/check.hpp"
#include "loops/tiles/contraction_plan.hpp"
#include "loops/tiles/epilogue.hpp"

namespace kerr::loops::tiles {
namespace {

// As f32.
std::vector<float> widened(const std::vector<std::byte>& bytes, Type type) {
  std::vector<float> out(bytes.size() / info(type).bytes);
  for (size_t at = 0; at < out.size(); ++at) {
    uint32_t bits = 0;
    std::memcpy(&bits, &bytes[at * info(type).bytes], info(type).bytes);
    out[at] = std::bit_cast<float>(type == Type::Bf16 ? bits << 16 : bits);
  }
  return out;
}

// What the step stores by its definition. Throws if the device has something else.
std::vector<float> require_gathered(Check& check, const Program& bound, const char* which, const Gathered& what,
                                    const Chunk& chunk, host::Chip& chip, const host::Buffer& buffer,
                                    std::span<const int64_t> first) {
  std::vector<std::byte> right_bytes(what.layout.elements() * info(what.type).bytes), made_bytes(right_bytes.size());
  std::vector<uint32_t> flags(flags_of(what));
  const std::span<std::byte> buffers[] = {right_bytes, std::as_writable_bytes(std::span(flags))};
  Gathered plain = what;
  plain.copy.reset();  // the program knows of neither
  plain.tables.reset();
  run(gather(bound, plain, chunk), check, buffers, first);
  chip.read(buffer, made_bytes);
  std::vector<float> right = widened(right_bytes, what.type);
  const std::vector<float> made = widened(made_bytes, what.type);
  for (size_t at = 0; at < right.size(); ++at) {
    const auto is = std::bit_cast<uint32_t>(made[at]), must = std::bit_cast<uint32_t>(right[at]);
    if (is == must) continue;
    throw std::logic_error(fmt::format(
        "'{}' differs from its definition: factor {}, place {} of its matrix, is {:#x}, and must be {:#x} (path tiles)",
        bound.name, which, at, is, must));
  }
  return right;
}

}  // namespace

void compare_contraction(Check& check, const Program& bound, const Contraction& contraction, const Chunk& chunk,
                         const ContractionSteps& steps, host::Chip& chip, const host::Buffer& a, const host::Buffer& b,
                         const host::Buffer& c, std::span<const int64_t> first) {
  const ProductLayouts& layouts = steps.product->layouts();
  const auto bytes = [](auto& numbers) { return std::as_writable_bytes(std::span(numbers)); };
  const std::vector<float> right_a = require_gathered(check, bound, "A", steps.a, chunk, chip, a, first),
                           right_b = require_gathered(check, bound, "B", steps.b, chunk, chip, b, first);
  std::vector<float> right_c(layouts.c.elements());
  const std::span<std::byte> of_c[] = {bytes(right_c)};
  const Part sums(sums_alone(bound, contraction, layouts.c, chunk), chip.harvesting(), {});
  sums.run(check, of_c, first);
  std::vector<std::byte> made_bytes(layouts.c.elements() * info(steps.sums).bytes);
  chip.read(c, made_bytes);
  const std::vector<float> made = widened(made_bytes, steps.sums);
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
        if (steps.sums == Type::Bf16 ? agree_rounded(made[at], right, limit) : agree(made[at], right, limit)) continue;
        throw std::logic_error(fmt::format(
            "'{}' differs from its definition: the sum of line {} at {}, {}, {} (batch, row, column) is {:.9g}, and "
            "must be {:.9g} within {:.3g} (path tiles, {})",
            bound.name, bound.body[contraction.adds].line, batch, i, j, made[at], right, limit.within,
            name_of(steps.engine)));
      }
    }
  }
  const std::span<std::byte> of_made[] = {made_bytes};
  steps.epilogue.run(check, of_made, first);
}

}  // namespace kerr::loops::tiles
