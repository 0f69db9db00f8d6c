// The smallest thing that can show what the coprocessor does: one coprocessor, its L1, and a tile made of cardboard.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/windows.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tensix/field_values.hpp"

namespace kerr::emu {

class CardboardTile : public WaitBoard, public CoprocessorBus, public Reporter, public L1::Listener {
 public:
  explicit CardboardTile(const Options& options = kUsualOptions)
      : coprocessor(TileId::at(0, 1, 2), l1, *this, *this, faults, options) {
    armed_ = ~WaitMask{0};
    l1.listen(this);
  }

  L1 l1;
  FaultLog faults;
  std::map<uint32_t, uint32_t> registers;  // what LOADREG and STOREREG reach
  Access answer = Access::Done;            // of every register access
  WaitMask announced = 0;                  // since somebody set it to 0
  std::vector<uint32_t> written_lines;     // of L1 that have L1::kChecked
  Coprocessor coprocessor;
  tensix::Windows windows{coprocessor, *this};

 private:
  void report(FaultCategory category, uint64_t address, std::string what, std::string advice) override {
    faults.report({.category = category, .address = address, .what = std::move(what), .advice = std::move(advice)});
  }
  Access load(uint32_t address, BusReply& reply) override {
    if (answer == Access::Done) reply.value = registers.contains(address) ? registers.at(address) : 0;
    reply.wait = wait::kNiu;
    return answer;
  }
  Access store(uint32_t address, uint32_t value, BusReply& reply) override {
    if (answer == Access::Done) registers[address] = value;
    reply.wait = wait::kNiu;
    return answer;
  }
  void wake(WaitMask what) override {
    announced |= what;
    for (int t = 0; t < kThreads; ++t) {
      if (coprocessor.threads[t].waits_for & what) coprocessor.threads[t].wake();
    }
  }
  void wake_line(uint32_t line) override {
    l1.attributes()[line] &= static_cast<uint8_t>(~L1::kWatched);
    wake(wait::kL1);
  }
  void before_write(uint32_t line, uint8_t attributes, L1::LineBytes) override {
    if (attributes & L1::kWatched) wake_line(line);
    if (attributes & L1::kChecked) written_lines.push_back(line);
  }
};

class Tensix : public ::testing::Test {
 protected:
  explicit Tensix(const Options& options = kUsualOptions) : tile(options) {}

  static constexpr int T0 = 0, T1 = 1, T2 = 2;

  Coprocessor& cop() { return tile.coprocessor; }

  /// Pushes instructions (structs of isa/tensix, or words) as the thread's TRISC does, without running anything.
  template <class... Is>
  void push(int thread, const Is&... instructions) {
    (push_word(thread, word_of(instructions)), ...);
  }
  /// As BRISC does, behind the MOP expander.
  template <class... Is>
  void push_from_brisc(int thread, const Is&... instructions) {
    const bool all = (cop().threads[thread].front.push_after_mop(word_of(instructions)) && ...);
    ASSERT_TRUE(all) << "the FIFO is full";
  }

  /// Lets all threads go on, one cycle each in turn, until none can.
  void settle() {
    for (int idle_rounds = 0; idle_rounds < 2; ++cycle) {
      ++idle_rounds;
      for (int t = 0; t < kThreads; ++t) {
        if (cop().threads[t].waits_for != 0) continue;
        cop().run(t, cycle, cycle + 1);
        if (cop().threads[t].waits_for == 0) idle_rounds = 0;
      }
      ASSERT_LT(cycle, 10'000'000u) << "does not come to rest";
    }
  }

  /// push(), then settle().
  template <class... Is>
  void run(int thread, const Is&... instructions) {
    push(thread, instructions...);
    settle();
  }

  /// For programs that must not fault.
  void expect_no_fault() {
    for (const Fault& f : tile.faults.take()) ADD_FAILURE() << f.text();
  }
  /// Exactly one fault; returns it.
  Fault the_fault() {
    std::vector<Fault> faults = tile.faults.take();
    EXPECT_EQ(faults.size(), 1u);
    return faults.empty() ? Fault{} : faults.front();
  }

  uint32_t gpr(int thread, unsigned index) { return cop().state.gpr.read(thread, index); }
  uint32_t config(unsigned word, int bank = 0) { return config_at(4 * (224 * static_cast<unsigned>(bank) + word)); }
  void set_config(unsigned word, uint32_t value, int bank = 0) {
    EXPECT_EQ(tile.windows.store_config(4 * (224 * static_cast<unsigned>(bank) + word), value), Access::Done);
  }
  /// Fields of bank 0.
  void set_config(const std::vector<FieldValue>& fields) {
    for (const auto& [field, value] : fields) set_config(field.word, field.set(config(field.word), value));
  }
  uint32_t thread_config(int thread, unsigned word) {
    return config_at(0xA80 + 0x110 * static_cast<unsigned>(thread) + 4 * word);
  }

  CardboardTile tile;
  Cycle cycle = 0;

 private:
  template <class I>
  static uint32_t word_of(const I& i) {
    if constexpr (std::is_integral_v<I>) {
      return static_cast<uint32_t>(i);
    } else {
      return i.encode();
    }
  }
  void push_word(int thread, uint32_t word) {
    for (int tries = 0; !cop().threads[thread].front.push_before_mop(word); ++tries) {
      ASSERT_LT(tries, 1000) << "the FIFO stays full";
      cop().threads[thread].wake();
      cop().run(thread, cycle, cycle + 1);
      ++cycle;
    }
  }
  uint32_t config_at(uint32_t offset) {
    uint32_t value = 0;
    EXPECT_EQ(tile.windows.load_config(offset, value), Access::Done);
    return value;
  }
};

// A register number as an instruction that leaves a trace: SETDMAREG of the low half.
inline isa::tensix::SETDMAREG set_gpr(unsigned reg, uint16_t value) {
  return {.reg_index_16b = reg * 2, .payload_sig_sel = value & 0x3FFFu, .payload_sig_sel_size = value >> 14 & 3u};
}

}  // namespace kerr::emu
