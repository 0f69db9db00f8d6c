// What a snapshot holds of a hart.   docs/architecture.md "Snapshots"
#include <algorithm>

#include "emu/riscv/hart.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

namespace {

constexpr size_t kMostLines = 1024;  // far more than a watch notes
constexpr size_t kMostWords = arch::kLdmBytes[0] / 4;

}  // namespace

// A parked hart stays parked; it was brought to where spinning would have left it (Tile::serialize). How far a blocked
// hart has counted its waiting depends on how often it was tried.
void Hart::serialize(Archive& a) {
  uint8_t stands = state_.status == HartStatus::InReset ? 1 : state_.status == HartStatus::Paused ? 2 : 0;
  if (a.hashing()) a(stands);
  a(state_.pc, state_.x, state_.f, state_.instructions, state_.csrs, state_.floats_done, state_.in_handler,
    state_.return_pc);
  a.require(state_.x[0] == 0, "x0 of a hart is not 0");
  auto local_size = static_cast<uint32_t>(state_.local.size());
  a(local_size);
  a.require(local_size == 0 || local_size == local_bytes(), "a hart has local memory of the wrong size");
  if (a.loading() && local_size != 0) local_memory();
  a.raw_bytes(state_.local.data(), state_.local.size());
  a(code_.old);
  bool has_debug_unit = debug_ != nullptr;
  a.machinery(has_debug_unit);
  if (a.loading() && has_debug_unit) make_debug_unit();
  if (debug_) a(*debug_);
  if (a.hashing()) return;

  a.below(static_cast<uint64_t>(HartStatus::Paused) + 1, state_.status);
  a(state_.cycle, state_.waits_for, retries_, watch_, timer_);
  if (!a.loading()) return;
  a.require(state_.status == HartStatus::InReset || local_size != 0, "a hart runs without local memory");
  a.require(state_.status != HartStatus::Parked || watch_.can_restore(), "a hart is parked in an impossible loop");
  a.require(watch_.fits(local_bytes()), "a polling loop stores beyond local memory");
  for (const auto* lines : {&watch_.data_lines(), &watch_.code_lines()}) {
    for (const uint32_t line : *lines) {
      a.require(line < L1::kLines, "a watched line is not in L1");
      port_.l1.attributes()[line] |= L1::kWatched;
    }
  }
}

void PollWatch::serialize(Archive& a) {
  a(watching_, noting_, pc_, x_, followers_, begin_cycle_, begin_instructions_, jumps_, most_jumps_, waits_for_);
  a.list(data_lines_, kMostLines);
  a.list(data_bytes_, kMostLines);
  a.require(data_bytes_.size() == data_lines_.size(), "a polled line without its bytes");
  a.list(code_lines_, kMostLines);
  a.list(words_, kMostWords);
  bool timed = begin_timer_ != nullptr;
  a(timed);
  a.require(!timed || timer_, "a hart without timing is watched as one with");
  if (timed && !begin_timer_) begin_timer_ = std::make_unique<timing::HartTimer>(*timer_);
  if (timed) a(*begin_timer_);
  a(clock_, turn_cycles_, turn_instructions_, alarm_, until_, next_try_, pause_, recent_, look_from_);
}

bool PollWatch::can_restore() const {
  return turn_cycles_ != 0 && turn_cycles_ <= kLongestTurn && x_[0] == 0 && (followers_ & 1) == 0 &&
         (!timer_ || begin_timer_);
}

bool PollWatch::fits(uint32_t local_bytes) const {
  return std::all_of(words_.begin(), words_.end(),
                     [&](const LocalWord& word) { return word.offset % 4 == 0 && word.offset < local_bytes; });
}

}  // namespace kerr::emu
