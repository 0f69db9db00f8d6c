#include "emu/tensix/state/config.hpp"

#include <algorithm>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"

namespace kerr::emu::tensix {

namespace field = arch::global_config;
namespace {

constexpr unsigned kInvalidateCode = (arch::kIcInvalidateAll - arch::kConfigBase) / 4;

// Bits of a word that exist. A tile descriptor has 128 (tensix-datapath.md 11.2), also where no field names them.
constexpr uint32_t kept_bits(unsigned index) {
  for (const arch::ConfigField descriptor :
       {field::THCON_SEC0_REG0_TileDescriptor, field::THCON_SEC1_REG0_TileDescriptor}) {
    if (index >= descriptor.word && index < descriptor.word + 4u) return ~0u;
  }
  return arch::kConfigWordMask[index];
}

}  // namespace

void Config::store(unsigned bank, unsigned index, uint32_t value) {
  const uint32_t stored = value & kept_bits(index);
  banks_[bank].words[index] = stored;
  if (index >= arch::kConfigGlobalFirst) banks_[bank ^ 1].words[index] = stored;
  if (index == field::PRNG_SEED_Seed_Val.word) ++prng_seed_writes_;
  if (index == kInvalidateCode) board_.invalidate_code(value);
  ++version_;
}

void Config::write(unsigned bank, unsigned index, uint32_t value) {
  assert(bank < banks_.size() && index < arch::kConfigWords);
  board_.about_to_change(wait::kConfig);
  if (index == field::STATE_RESET_EN.word) {
    std::fill_n(banks_[bank].words.begin(), arch::kConfigGlobalFirst, 0);
    ++version_;
    return;
  }
  store(bank, index, value);
}

void Config::write_bits(unsigned bank, unsigned index, uint32_t value, uint32_t mask) {
  assert(bank < banks_.size() && index < arch::kConfigWords);
  board_.about_to_change(wait::kConfig);
  store(bank, index, (banks_[bank].words[index] & ~mask) | (value & mask));
}

void Config::write_thread(int thread, unsigned index, uint16_t value) {
  assert(index < arch::kThreadConfigWords);
  board_.about_to_change(wait::kConfig);
  threads_[static_cast<size_t>(thread)].words[index] = value & arch::kThreadConfigWordMask[index];
  ++version_;
}

void Config::reset() {
  board_.about_to_change(wait::kConfig);
  for (ConfigBank& bank : banks_) {
    std::fill(bank.words.begin() + arch::kConfigThconFirst, bank.words.begin() + arch::kConfigGlobalFirst, 0);
  }
  ++version_;
}

}  // namespace kerr::emu::tensix
