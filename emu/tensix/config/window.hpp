// The layout of the window at FFEF0000: where a word of it is kept.   docs/hardware/tile.md 4.6
#pragma once

#include <cstdint>

#include "arch/tensix_config.hpp"
#include "emu/agent.hpp"
#include "emu/tensix/state/config.hpp"

namespace kerr::emu::tensix::config_window {

inline constexpr uint32_t kBankWords = arch::kConfigWords;
inline constexpr uint32_t kDualWriteFirst = 2 * kBankWords;  // in words from the start of the window
inline constexpr uint32_t kThreadsFirst = 3 * kBankWords;
inline constexpr uint32_t kEnd = kThreadsFirst + kThreads * arch::kThreadConfigWords;

/// The dual-write array reads as bank 0. False: `word` lies behind the window.
inline bool read(const Config& config, uint32_t word, uint32_t& value) {
  if (word >= kEnd) return false;
  if (word < kDualWriteFirst) {
    value = config.bank(word / kBankWords).words[word % kBankWords];
  } else if (word < kThreadsFirst) {
    value = config.bank(0).words[word - kDualWriteFirst];
  } else {
    const uint32_t index = word - kThreadsFirst;
    const auto thread = static_cast<int>(index / arch::kThreadConfigWords);
    value = config.thread(thread).words[index % arch::kThreadConfigWords];
  }
  return true;
}

/// Thread configuration takes no stores: only SETC16 writes it. False: `word` lies behind the window.
inline bool write(Config& config, uint32_t word, uint32_t value) {
  if (word >= kEnd) return false;
  if (word < kDualWriteFirst) {
    config.write(word / kBankWords, word % kBankWords, value);
  } else if (word < kThreadsFirst) {
    config.write(0, word - kDualWriteFirst, value);
    config.write(1, word - kDualWriteFirst, value);
  }
  return true;
}

}  // namespace kerr::emu::tensix::config_window
