// The replay expander: records up to 32 words and plays them back.   docs/hardware/tensix-datapath.md 4
#pragma once

#include <array>
#include <cstdint>

#include "emu/tensix/frontend/fetch.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// While it plays it accepts no words. While it records, every word is stored, REPLAY words too; recording continues
/// across pushes until all words have come. Only a chip reset clears it.
class ReplayExpander {
 public:
  static constexpr unsigned kSlots = 32;

  bool playing() const { return playing_ != 0; }
  bool recording() const { return recording_ != 0; }

  /// Whether accept() would give just this word back and keep nothing.
  bool passes_through(uint32_t word) const {
    return recording_ == 0 && isa::tensix::opcode_of(word) != isa::tensix::Opcode::REPLAY;
  }
  /// Takes in a word; only while not playing(). Word: to be executed; Consumed: recorded, or a REPLAY.
  Fetch accept(uint32_t word) {
    if (recording_ != 0) {
      slots_[slot_++ % kSlots] = word;
      --recording_;
      return execute_ ? Fetch::of(word) : Fetch::consumed();
    }
    if (isa::tensix::opcode_of(word) != isa::tensix::Opcode::REPLAY) return Fetch::of(word);
    return start(word);
  }
  /// The next recorded word; only while playing().
  uint32_t next() {
    --playing_;
    return slots_[slot_++ % kSlots];
  }
  void serialize(Archive& a) {
    a(slots_, slot_, execute_);
    a.below(kSlots + 1, playing_);
    a.below(kSlots + 1, recording_);
  }

 private:
  Fetch start(uint32_t word) {
    const isa::tensix::REPLAY i = isa::tensix::REPLAY::decode(word);
    if (i.len > kSlots) return Fetch::fault(word, "REPLAY of more than 32 words");
    const unsigned length = i.len == 0 ? kSlots : i.len;
    slot_ = i.start_idx % kSlots;
    const uint32_t odd_word = isa::tensix::unnamed_bits(word) != 0 ? word : 0;
    if (i.load_mode == 0) {
      playing_ = length;
      return Fetch::consumed(odd_word);
    }
    recording_ = length;
    execute_ = i.execute_while_loading != 0;
    return Fetch::consumed(odd_word);
  }

  std::array<uint32_t, kSlots> slots_{};
  unsigned slot_ = 0;
  unsigned playing_ = 0;    // words still to come
  unsigned recording_ = 0;  // words still to be recorded
  bool execute_ = false;
};

}  // namespace kerr::emu::tensix
