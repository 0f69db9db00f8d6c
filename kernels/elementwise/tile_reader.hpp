// NCRISC of programs that take one operand, tile after tile in an order of their own.
#pragma once

#include <functional>

#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

/// For each tile of the output, traffic.passes tiles of the input. From the output's tile number in `output`, `first`
/// puts the number of the first input tile into `tile`; `next` advances it. Both may clobber t0 to t6.
struct TileOrder {
  std::function<void(Stream& a, isa::Reg output, isa::Reg tile)> first;
  std::function<void(Stream& a, isa::Reg tile)> next = [](Stream&, isa::Reg) {};
};
Kernel tile_reader(const std::string& name, const Traffic& traffic, const arch::FirmwareLayout& layout,
                   const TileOrder& order);

}  // namespace kerr::kernels::elementwise
