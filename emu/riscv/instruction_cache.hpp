// What a hart has fetched and not forgotten, for the runs that model it.   docs/hardware/tile.md 1.6
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "emu/memory/l1.hpp"
#include "emu/snapshot/archive.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// Blocks of 16 bytes, as harts fetch them. Nothing is ever evicted: the sizes are documented for Wormhole only and the
/// placement for neither, so this is the cache that finds every missing invalidation. Blocks that only a prefetcher
/// would have fetched are not in it.
class InstructionCache {
 public:
  static constexpr uint32_t kBlockBytes = 16;

  struct Block {
    std::array<uint32_t, kBlockBytes / 4> words;
    std::array<isa::riscv::Instruction, kBlockBytes / 4> instructions;
  };

  /// The block that holds `pc` (in L1), fetched now if it is not there. Valid until clear().
  const Block& block(uint32_t pc, const L1& l1) {
    const uint32_t index = pc / kBlockBytes;
    if (last_ == nullptr || index != last_index_) {
      last_index_ = index;
      last_ = &find(index, l1);
    }
    return *last_;
  }
  void clear() {
    blocks_.clear();
    last_ = nullptr;
  }
  void serialize(Archive& archive);

 private:
  const Block& find(uint32_t index, const L1& l1);

  std::unordered_map<uint32_t, Block> blocks_;
  uint32_t last_index_ = 0;
  const Block* last_ = nullptr;
};

}  // namespace kerr::emu
