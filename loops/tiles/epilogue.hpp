// The use that a contraction makes of its sums: the program itself, with loads of a matrix in place of the loops that
// sum up.
#pragma once

#include "loops/tiles/contraction.hpp"
#include "loops/tiles/gather.hpp"
#include "loops/tiles/layout.hpp"

namespace kerr::loops::tiles {

/// The type of the matrix of sums: f32, or the register's own integers.
Type type_of_sums(const Program& bound, const Contraction& contraction);
/// Whether the program does nothing with the sums but rounding them to bf16.
bool only_rounds_to_bf16(const Program& bound, const Contraction& contraction);

/// `sums`: where the matrix (kMatrix) has the sum of each iteration: rows are those of `m`, columns of `n`. `type`: of
/// its elements; none: type_of_sums(); Bf16: of sums that the program only rounds to it, and that are rounded.
Made epilogue(const Program& bound, const Contraction& contraction, const Layout& sums, const Chunk& chunk,
              std::optional<Type> type = {});

/// Stands for a sum that the program makes 0 by a gate of the whole sum: no arithmetic gives these bits.
inline constexpr uint32_t kClosed = 0x7FC0DEAD;

/// The same loops, which store each sum to where `sums` has it, or kClosed, and do nothing else: the sums as the
/// program defines them.
Made sums_alone(const Program& bound, const Contraction& contraction, const Layout& sums, const Chunk& chunk);

}  // namespace kerr::loops::tiles
