// The MOP expander: unrolls one MOP word into a loop nest of instructions.   docs/hardware/tensix-datapath.md 3
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "emu/tensix/frontend/fetch.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// Expands lazily, one word for each next(). MOP and MOP_CFG never leave it. The nine words are sampled when an
/// expansion starts.
class MopExpander {
 public:
  static constexpr unsigned kConfigWords = 9;

  void write_config(unsigned word, uint32_t value) { config_[word % kConfigWords] = value; }

  /// Between the start of a MOP and its last word.
  bool expanding() const { return expanding_; }
  void abandon() { expanding_ = false; }

  /// Takes in a word; only while not expanding(). What is no MOP or MOP_CFG passes through.
  Fetch accept(uint32_t word);
  /// Template 1, within its inner loop: next_of_loop() gives the next word, which is not the last one.
  bool in_loop() const {
    return expanding_ && nested_ && pass_started_ && ready_count_ == ready_first_ + 1 && inner_done_ + 1 < inner_count_;
  }
  /// What next_of_loop() will give. Only while in_loop(), like that.
  uint32_t word_of_loop() const { return ready_[ready_first_]; }
  uint32_t next_of_loop() {
    ++inner_done_;
    current_ ^= flip_;
    return std::exchange(ready_[ready_first_], current_ ^ flip_);
  }
  /// The next word of the expansion; only while expanding(). Consumed: the expansion gave nothing (more) and is over.
  Fetch next();
  void serialize(Archive& archive);

 private:
  static bool is_nop(uint32_t word) { return isa::tensix::opcode_of(word) == isa::tensix::Opcode::NOP; }

  Fetch start_masked(const isa::tensix::MOP& mop);
  Fetch start_nested(const isa::tensix::MOP& mop, uint32_t word);
  void refill();
  void refill_masked();
  void refill_nested();
  void emit(uint32_t word) { ready_[ready_count_++] = word; }

  std::array<uint32_t, kConfigWords> config_{};
  uint16_t zmask_high_ = 0;

  // The expansion under way. `sampled_` are the nine words at its start.
  bool expanding_ = false;
  bool nested_ = false;  // template 1
  std::array<uint32_t, kConfigWords> sampled_{};
  std::array<uint32_t, 5> ready_{};  // words decided but not given out yet
  unsigned ready_first_ = 0, ready_count_ = 0;
  unsigned iterations_left_ = 0;  // template 0
  uint32_t mask_ = 0;
  unsigned outer_left_ = 0;  // template 1
  unsigned inner_count_ = 0, inner_done_ = 0;
  bool pass_started_ = false;
  uint32_t current_ = 0, flip_ = 0;
};

}  // namespace kerr::emu::tensix
