#include "emu/riscv/instruction_cache.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kerr::emu {

namespace {

InstructionCache::Block decoded(const std::array<uint32_t, 4>& words) {
  InstructionCache::Block block{words, {}};
  std::transform(words.begin(), words.end(), block.instructions.begin(), isa::riscv::decode);
  return block;
}

struct SavedBlock {
  uint32_t index = 0;
  std::array<uint32_t, 4> words{};
  void serialize(Archive& a) { a(index, words); }
};

}  // namespace

const InstructionCache::Block& InstructionCache::find(uint32_t index, const L1& l1) {
  const auto known = blocks_.find(index);
  if (known != blocks_.end()) return known->second;
  std::array<uint32_t, 4> words;
  std::memcpy(words.data(), l1.data() + index * kBlockBytes, kBlockBytes);
  return blocks_.emplace(index, decoded(words)).first->second;
}

void InstructionCache::serialize(Archive& a) {
  std::vector<SavedBlock> saved;
  for (const auto& [index, block] : blocks_) saved.push_back({index, block.words});
  std::sort(saved.begin(), saved.end(), [](const auto& x, const auto& y) { return x.index < y.index; });
  a.list(saved, L1::kBytes / kBlockBytes);
  if (!a.loading()) return;
  clear();
  for (const SavedBlock& block : saved) {
    a.require(block.index < L1::kBytes / kBlockBytes, "a hart has cached code that is not in L1");
    blocks_.emplace(block.index, decoded(block.words));
  }
}

}  // namespace kerr::emu
