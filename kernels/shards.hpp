// Tensors in shards: pages one after the other in the L1 of one Tensix tile or in one DRAM bank, the next ones in
// another.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/grid.hpp"
#include "host/runtime/buffer.hpp"
#include "isa/assembler.hpp"

namespace kerr::kernels {

/// Page p is page p % pages of `tiles`[p / pages] (translated coordinates). `pages` 0: pages go round the DRAM banks.
struct Shards {
  uint32_t pages = 0;
  std::vector<arch::NocCoord> tiles{};
};

/// The shards of a buffer from Chip::allocate_sharded(), in L1 or in DRAM banks; none for an interleaved buffer.
Shards shards_of(const host::Buffer& buffer);

/// The same to a kernel: the tiles' coordinates lie behind its common arguments, whose address is in `arguments`.
struct ShardTable {
  uint32_t pages = 0;
  isa::Reg arguments = isa::reg::zero;
  int32_t offset = 0;
};

/// Appends the coordinates. Throws std::invalid_argument if that makes more arguments than a kernel reaches.
ShardTable append(std::vector<uint32_t>& common_arguments, const Shards& shards, isa::Reg arguments);
/// Throws std::invalid_argument if fewer than `tiles` tiles of `what` lie in shards.
void check_shards(const Shards& shards, uint64_t tiles, const char* what);

}  // namespace kerr::kernels
