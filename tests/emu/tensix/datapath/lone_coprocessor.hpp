// A coprocessor and its L1, and nothing else of a tile: words go in, memory comes out.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "emu/tensix/config/window.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "tests/emu/quiet_board.hpp"
#include "tests/emu/tensix/field_values.hpp"

namespace kerr::emu {

class LoneCoprocessor {
 public:
  /// Appends to what `thread` shall execute; nothing runs before run().
  void push(int thread, std::initializer_list<uint32_t> words) {
    auto& queue = queues_[static_cast<size_t>(thread)];
    queue.insert(queue.end(), words);
  }
  void push(int thread, unsigned times, uint32_t word) {
    auto& queue = queues_[static_cast<size_t>(thread)];
    queue.insert(queue.end(), times, word);
  }

  /// Lets all threads run until none can go on. Returns the first fault's sentence, or "".
  std::string run() {
    std::array<size_t, kThreads> next{};
    std::string sentence;
    for (bool progress = true; progress && sentence.empty(); sentence = fault()) {
      progress = false;
      for (int t = 0; t < kThreads; ++t) {
        auto& queue = queues_[static_cast<size_t>(t)];
        size_t& n = next[static_cast<size_t>(t)];
        for (; n < queue.size() && coprocessor_.threads[t].front.push_before_mop(queue[n]); ++n) progress = true;
      }
      progress |= run_once();
    }
    for (auto& queue : queues_) queue.clear();
    return sentence;
  }
  /// Gives each thread a quantum. False if none could do anything.
  bool run_once() {
    bool progress = false;
    for (int t = 0; t < kThreads; ++t) {
      const uint64_t before = coprocessor_.threads[t].instructions;
      coprocessor_.threads[t].wake();
      coprocessor_.run(t, cycle_, cycle_ + 64);
      progress |= coprocessor_.threads[t].instructions != before || coprocessor_.threads[t].waits_for == 0;
    }
    cycle_ += 64;
    return progress;
  }
  /// The sentence of the first fault since the last call, or "".
  std::string fault() {
    const std::vector<Fault> faults = faults_.take();
    return faults.empty() ? "" : faults.front().what;
  }
  /// What `thread` is stuck on, or "".
  std::string stuck(int thread) const { return coprocessor_.stuck(thread) ? coprocessor_.describe(thread) : ""; }

  /// Word of bank 0.
  void config(unsigned word, uint32_t value) {
    ASSERT_TRUE(tensix::config_window::write(coprocessor_.state.config, word, value)) << "w" << word;
  }
  void config(const std::vector<std::array<uint32_t, 2>>& words) {
    for (const auto& [word, value] : words) config(word, value);
  }
  /// Fields of bank 0.
  void set(const std::vector<FieldValue>& fields) {
    for (const auto& [field, value] : fields) {
      uint32_t word = 0;
      ASSERT_TRUE(tensix::config_window::read(coprocessor_.state.config, field.word, word)) << "w" << field.word;
      config(field.word, field.set(word, value));
    }
  }
  static constexpr uint32_t setc16(unsigned index, unsigned value) { return 0xB2000000u | index << 16 | value; }

  L1& l1() { return l1_; }
  std::vector<uint8_t> read(uint32_t address, size_t bytes) const {
    return {l1_.data() + address, l1_.data() + address + bytes};
  }
  void write16(uint32_t address, std::span<const uint16_t> values) {
    for (const uint16_t v : values) l1_.store(address, v), address += 2;
  }
  void write32(uint32_t address, std::span<const uint32_t> values) {
    for (const uint32_t v : values) l1_.store(address, v), address += 4;
  }
  Coprocessor& coprocessor() { return coprocessor_; }

 private:
  struct Bus final : CoprocessorBus {
    Access load(uint32_t, BusReply&) override { return Access::Done; }
    Access store(uint32_t, uint32_t, BusReply&) override { return Access::Done; }
  };

  L1 l1_;
  Bus bus_;
  QuietBoard board_;  // run() wakes everybody anyway
  FaultLog faults_;
  Coprocessor coprocessor_{TileId::at(0, 1, 2), l1_, bus_, board_, faults_};
  std::array<std::vector<uint32_t>, kThreads> queues_;
  Cycle cycle_ = 0;
};

/// CRC-32 as in zlib, for the checksums of docs/hardware.
inline uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

}  // namespace kerr::emu
