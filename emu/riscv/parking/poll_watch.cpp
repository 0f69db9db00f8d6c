#include "emu/riscv/parking/poll_watch.hpp"

#include <algorithm>
#include <cstring>

namespace kerr::emu {

namespace {

constexpr Cycle kShortTry = 64;
constexpr Cycle kLongTry = 4 * PollWatch::kLongestTurn;
constexpr Cycle kLongestPause = 128 * kLongTry;
constexpr Cycle kFirstLook = 32;   // a hart that leaves its loop sooner costs less than watching it
constexpr Cycle kFreePause = 256;  // until it is watched for a loop that is not known
constexpr Cycle kLeastTurns = 2;   // a loop that ends after fewer turns is not worth skipping
constexpr size_t kMostLines = 64;  // of code, and of data
constexpr size_t kMostWords = 64;

bool holds(const std::vector<uint32_t>& lines, uint32_t line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

// --- when to watch -------------------------------------------------------------------------------------------------

void PollWatch::reset() {
  *this = PollWatch(*hart_, timer_);
  next_try_ = hart_->cycle;
}

void PollWatch::try_again() { watch(std::clamp(pause_ / 8, kShortTry + 2 * turn_cycles_, kLongTry)); }

void PollWatch::set_free() {
  pause_ = kFreePause;
  next_try_ = hart_->cycle + pause_;
  look_from_ = hart_->cycle + kFirstLook;
}

void PollWatch::watch_recent_loop() {
  for (RecentLoop& loop : recent_) {
    if (hart_->pc - loop.begin < loop.bytes) loop = {};
  }
  watch(kShortTry + 2 * turn_cycles_);
}

void PollWatch::watch(Cycle cycles) {
  watching_ = true;
  noting_ = false;
  most_jumps_ = 1;
  until_ = hart_->cycle + cycles;
}

void PollWatch::give_up() {
  if (!watching_) return;
  watching_ = noting_ = false;
  pause_ = std::min(2 * pause_ + kShortTry, kLongestPause);
  next_try_ = hart_->cycle + pause_;
}

// --- while watching ------------------------------------------------------------------------------------------------

PollWatch::Jump PollWatch::jump(uint32_t from) {
  const uint32_t pc = hart_->pc;
  if (noting_) {
    const Cycle turn = hart_->cycle - begin_cycle_;
    if (pc == pc_ && turn <= kLongestTurn && clock_.holds() / turn >= kLeastTurns && recurs(turn)) {
      turn_cycles_ = turn;
      turn_instructions_ = hart_->instructions - begin_instructions_;
      const Cycle turns = clock_.holds() / turn + 1;
      alarm_ = reads_clock() && turns < (kNever - begin_cycle_) / turn ? begin_cycle_ + turns * turn : kNever;
      watching_ = noting_ = false;
      if (recent_[0].begin != pc) std::copy_backward(recent_.begin(), recent_.end() - 1, recent_.end());
      recent_[0] = {pc, from - pc + 4};
      return Jump::Repeats;
    }
    if (++jumps_ < most_jumps_) return Jump::Nothing;
    most_jumps_ *= 2;
  } else {
    clock_.clear();
    words_.clear();
  }
  begin_turn();
  return Jump::Begins;
}

// What follows the clock when the turn begins should do so when it ends: followers are carried over.
void PollWatch::begin_turn() {
  noting_ = true;
  pc_ = hart_->pc;
  x_ = hart_->x;
  followers_ = clock_.all();
  if (timer_) {
    if (!begin_timer_) begin_timer_ = std::make_unique<timing::HartTimer>(*timer_);
    *begin_timer_ = *timer_;
  }
  begin_cycle_ = hart_->cycle;
  begin_instructions_ = hart_->instructions;
  jumps_ = 0;
  waits_for_ = 0;
  data_lines_.clear();
  data_bytes_.clear();
  code_lines_.clear();
  clock_.begin_turn();
  std::erase_if(words_, [](const LocalWord& word) { return !word.follows; });
  for (LocalWord& word : words_) {
    word.value = local_word(word.offset);
    word.followed = true;
  }
}

bool PollWatch::recurs(Cycle turn) const {
  const auto later = [&](bool follows) { return follows ? static_cast<uint32_t>(turn) : 0; };
  if (clock_.all() != followers_) return false;
  for (unsigned i = 0; i < x_.size(); ++i) {
    if (hart_->x[i] != x_[i] + later(clock_.follows(i))) return false;
  }
  for (const LocalWord& word : words_) {
    if (word.follows != word.followed || local_word(word.offset) != word.value + later(word.follows)) return false;
  }
  return !timer_ || timer_->repeats(hart_->cycle, *begin_timer_, begin_cycle_);
}

bool PollWatch::note_line(std::vector<uint32_t>& lines, uint32_t line) {
  if (holds(lines, line)) return false;
  if (lines.size() == kMostLines) {
    give_up();
    return false;
  }
  lines.push_back(line);
  return true;
}

bool PollWatch::note_data(uint32_t line, uint64_t bytes) {
  const auto known = std::find(data_lines_.begin(), data_lines_.end(), line);
  if (known != data_lines_.end()) {
    data_bytes_[static_cast<size_t>(known - data_lines_.begin())] |= bytes;
    return false;
  }
  if (!note_line(data_lines_, line)) return false;
  data_bytes_.push_back(bytes);
  return true;
}

uint32_t PollWatch::local_word(uint32_t offset) const {
  uint32_t value;
  std::memcpy(&value, hart_->local.data() + offset, 4);
  return value;
}

PollWatch::LocalWord* PollWatch::find(uint32_t offset) {
  const auto found =
      std::find_if(words_.begin(), words_.end(), [&](const LocalWord& word) { return word.offset == offset; });
  return found == words_.end() ? nullptr : &*found;
}

void PollWatch::note_local_load(uint32_t offset, unsigned bytes) {
  const LocalWord* word = find(offset & ~3u);
  if (word && word->follows) bytes == 4 ? clock_.load() : clock_.lose();
}

void PollWatch::note_local_store(uint32_t offset, unsigned bytes, bool follows) {
  LocalWord* word = find(offset & ~3u);
  if (!word) {
    if (words_.size() == kMostWords) return give_up();
    words_.push_back({.offset = offset & ~3u, .value = local_word(offset & ~3u)});
    word = &words_.back();
  }
  if (bytes != 4 && (follows || word->follows)) return clock_.lose();
  word->follows = follows;
}

uint64_t PollWatch::reads(uint32_t line) const {
  if (holds(code_lines_, line)) return ~uint64_t{0};
  for (size_t i = 0; i < data_lines_.size(); ++i) {
    if (data_lines_[i] == line) return data_bytes_[i];
  }
  return 0;
}

// --- the turn that repeats -----------------------------------------------------------------------------------------

void PollWatch::restore_turn(Cycle now) {
  uint64_t turns = (now - begin_cycle_) / turn_cycles_;
  if (turns > 0 && reads_clock()) --turns;
  const Cycle later = turns * turn_cycles_;
  const auto at_start = [low = static_cast<uint32_t>(later)](uint32_t value, bool follows) {
    return follows ? value + low : value;
  };
  for (unsigned i = 0; i < x_.size(); ++i) hart_->x[i] = at_start(x_[i], followers_ >> i & 1);
  for (const LocalWord& word : words_) {
    const uint32_t value = at_start(word.value, word.followed);
    std::memcpy(hart_->local.data() + word.offset, &value, 4);
  }
  if (timer_) {
    *timer_ = *begin_timer_;
    timer_->shift(later);
  }
  hart_->pc = pc_;
  hart_->cycle = begin_cycle_ + later;
  hart_->instructions = begin_instructions_ + turns * turn_instructions_;
}

}  // namespace kerr::emu
