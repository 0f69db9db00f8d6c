// The configuration words of the coprocessor: two banks, global words, and 16-bit words of each thread.
// docs/hardware/tensix-datapath.md 6, 7; tile.md 4.6
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "arch/tensix_config.hpp"
#include "emu/agent.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

/// One bank of 224 words. Words from 180 on are global: both banks hold the same value.
struct ConfigBank {
  std::array<uint32_t, arch::kConfigWords> words{};

  /// `field` is one of arch::global_config.
  uint32_t get(arch::ConfigField field) const {
    assert(field.word < words.size());
    return field.get(words[field.word]);
  }
  bool flag(arch::ConfigField field) const { return get(field) != 0; }
  void serialize(Archive& a) { a(words); }
};

/// The 68 words of one thread. Only SETC16 writes them.
struct ThreadConfig {
  std::array<uint16_t, arch::kThreadConfigWords> words{};

  /// `field` is one of arch::thread_config.
  uint32_t get(arch::ConfigField field) const {
    assert(field.word < words.size());
    return field.get(words[field.word]);
  }
  bool flag(arch::ConfigField field) const { return get(field) != 0; }
  void serialize(Archive& a) { a(words); }
};

/// Reads are plain; every write goes through here, so that absent bits stay 0, global words stay one, STATE_RESET_EN
/// acts and those who wait for a change of configuration hear of it first.
class Config {
 public:
  explicit Config(WaitBoard& board) : board_(board) {}

  /// Soft-reset bit 9: words 64..179 of both banks.
  void reset();

  const ConfigBank& bank(unsigned index) const { return banks_[index]; }
  const ThreadConfig& thread(int thread) const { return threads_[static_cast<size_t>(thread)]; }
  /// CFG_STATE_ID of the thread: the bank that all its instructions see, for reads and writes.
  unsigned bank_of(int thread) const { return threads_[static_cast<size_t>(thread)].words[0] & 1; }
  /// config.seen_by(thread).get(arch::global_config::...)
  const ConfigBank& seen_by(int thread) const { return banks_[bank_of(thread)]; }

  /// Whole words; index < 224. A write to word 4 zeroes words 0..179 of that bank.
  void write(unsigned bank, unsigned index, uint32_t value);
  /// RMWCIB: replaces the bits of `mask`; word 4 does not act.
  void write_bits(unsigned bank, unsigned index, uint32_t value, uint32_t mask);
  /// SETC16; index < 68. Unpacker context counters are the caller's business.
  void write_thread(int thread, unsigned index, uint16_t value);

  /// Changes with every write: what a unit derived from configuration is still true while this is the same.
  uint64_t version() const { return version_; }
  /// Counts writes of PRNG_SEED: the vector unit reseeds when it has changed.
  uint32_t prng_seed_writes() const { return prng_seed_writes_; }
  void serialize(Archive& a) { a(banks_, threads_, version_, prng_seed_writes_); }

 private:
  void store(unsigned bank, unsigned index, uint32_t value);

  WaitBoard& board_;
  std::array<ConfigBank, arch::kConfigBanks> banks_{};
  std::array<ThreadConfig, kThreads> threads_{};
  uint64_t version_ = 0;
  uint32_t prng_seed_writes_ = 0;
};

}  // namespace kerr::emu::tensix
