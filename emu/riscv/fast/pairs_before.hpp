// The places in the fast loop of the pairs of pairs_before.def.
#pragma once

#include <array>

#include "emu/riscv/fast/micro_op.hpp"

namespace kerr::emu {

struct PairBefore {
  FastOp first, second;
};
inline constexpr std::array kPairsBefore{
#define PAIR(first, second) PairBefore{FastOp::first, FastOp::second},
#include "emu/riscv/fast/pairs_before.def"
};

/// In the order of kPairsBefore.
using BeforeHandlers = std::array<const void*, kPairsBefore.size()>;
const BeforeHandlers& before_handlers(bool observed);

}  // namespace kerr::emu
