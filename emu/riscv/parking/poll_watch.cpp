#include "emu/riscv/parking/poll_watch.hpp"

#include <algorithm>
#include <cstring>

namespace kerr::emu {

namespace {

constexpr Cycle kShortTry = 64;
constexpr Cycle kLongTry = 4 * PollWatch::kLongestTurn;
constexpr Cycle kLongestPause = 128 * kLongTry;
constexpr Cycle kFirstLook = 32;        // a hart that leaves its loop sooner costs less than watching it
constexpr Cycle kFreePause = 256;       // until it is watched for a loop that is not known
constexpr Cycle kLeastTurns = 2;        // a loop that ends after fewer turns is not worth skipping
constexpr size_t kMostLines = 64;  // of code, and of data
constexpr size_t kMostWords = 64;

bool holds(const std::vector<uint32_t>& lines, uint32_t line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

uint32_t word_at(const uint8_t* local, uint32_t offset) {
  uint32_t value;
  std::memcpy(&value, local + offset, 4);
  return value;
}

}  // namespace

// --- when to watch -------------------------------------------------------------------------------------------------

void PollWatch::reset(Cycle now) {
  *this = {};
  next_try_ = now;
}

void PollWatch::try_again(Cycle now) {
  watch(now, std::clamp(pause_ / 8, kShortTry + 2 * turn_cycles_, kLongTry));
}

void PollWatch::set_free(Cycle now) {
  pause_ = kFreePause;
  next_try_ = now + pause_;
  look_from_ = now + kFirstLook;
}

void PollWatch::watch_recent_loop(uint32_t pc, Cycle now) {
  for (RecentLoop& loop : recent_) {
    if (pc - loop.begin < loop.bytes) loop = {};
  }
  watch(now, kShortTry + 2 * turn_cycles_);
}

void PollWatch::watch(Cycle now, Cycle cycles) {
  watching_ = true;
  noting_ = false;
  most_jumps_ = 1;
  until_ = now + cycles;
}

void PollWatch::give_up(Cycle now) {
  if (!watching_) return;
  watching_ = noting_ = false;
  pause_ = std::min(2 * pause_ + kShortTry, kLongestPause);
  next_try_ = now + pause_;
}

// --- while watching ------------------------------------------------------------------------------------------------

PollWatch::Jump PollWatch::jump(uint32_t from, uint32_t pc, const Registers& x, const uint8_t* local,
                                Cycle now, uint64_t instructions, const timing::HartTimer* timer) {
  if (noting_) {
    const Cycle turn = now - begin_cycle_;
    if (pc == pc_ && turn <= kLongestTurn && forms_.holds() / turn >= kLeastTurns && recurs(x, local, turn) &&
        (timer == nullptr || timer->repeats(now, *timer_, begin_cycle_))) {
      turn_cycles_ = turn;
      turn_instructions_ = instructions - begin_instructions_;
      const Cycle turns = forms_.holds() / turn + 1;
      alarm_ = reads_clock() && turns < (kNever - begin_cycle_) / turn ? begin_cycle_ + turns * turn : kNever;
      watching_ = noting_ = false;
      if (recent_[0].begin != pc) std::copy_backward(recent_.begin(), recent_.end() - 1, recent_.end());
      recent_[0] = {pc, from - pc + 4};
      return Jump::Repeats;
    }
    if (++jumps_ < most_jumps_) return Jump::Nothing;
    most_jumps_ *= 2;
  } else {
    forms_.clear();
    words_.clear();
  }
  begin_turn(pc, x, local, now, instructions, timer);
  return Jump::Begins;
}

// What is linear in time when the turn begins should be so when it ends: slopes are carried over.
void PollWatch::begin_turn(uint32_t pc, const Registers& x, const uint8_t* local, Cycle now,
                           uint64_t instructions, const timing::HartTimer* timer) {
  noting_ = true;
  pc_ = pc;
  x_ = x;
  slopes_ = forms_.slopes();
  if (timer != nullptr) {
    if (!timer_) timer_ = std::make_unique<timing::HartTimer>(*timer);
    *timer_ = *timer;
  }
  begin_cycle_ = now;
  begin_instructions_ = instructions;
  jumps_ = 0;
  waits_for_ = 0;
  data_lines_.clear();
  data_bytes_.clear();
  code_lines_.clear();
  forms_.begin_turn();
  std::erase_if(words_, [](const LocalWord& word) { return word.current_slope == 0; });
  for (LocalWord& word : words_) {
    word.value = word_at(local, word.offset);
    word.slope = word.current_slope;
  }
}

bool PollWatch::recurs(const Registers& x, const uint8_t* local, Cycle turn) const {
  const auto later = static_cast<uint32_t>(turn);
  for (unsigned i = 0; i < x.size(); ++i) {
    if (forms_.slope(i) != slopes_[i] || x[i] != x_[i] + slopes_[i] * later) return false;
  }
  return std::all_of(words_.begin(), words_.end(), [&](const LocalWord& word) {
    return word.current_slope == word.slope && word_at(local, word.offset) == word.value + word.slope * later;
  });
}

bool PollWatch::note_line(std::vector<uint32_t>& lines, uint32_t line, Cycle now) {
  if (holds(lines, line)) return false;
  if (lines.size() == kMostLines) {
    give_up(now);
    return false;
  }
  lines.push_back(line);
  return true;
}

bool PollWatch::note_data(uint32_t line, uint64_t bytes, Cycle now) {
  const auto known = std::find(data_lines_.begin(), data_lines_.end(), line);
  if (known != data_lines_.end()) {
    data_bytes_[static_cast<size_t>(known - data_lines_.begin())] |= bytes;
    return false;
  }
  if (!note_line(data_lines_, line, now)) return false;
  data_bytes_.push_back(bytes);
  return true;
}

PollWatch::LocalWord* PollWatch::find(uint32_t offset) {
  const auto found = std::find_if(words_.begin(), words_.end(), [&](const LocalWord& word) { return word.offset == offset; });
  return found == words_.end() ? nullptr : &*found;
}

void PollWatch::note_local_load(uint32_t offset, unsigned bytes) {
  const LocalWord* word = find(offset & ~3u);
  if (!word || word->current_slope == 0) return;
  if (bytes != 4) return forms_.lose();
  forms_.load(word->current_slope);
}

void PollWatch::note_local_store(uint32_t offset, unsigned bytes, const uint8_t* local, ClockForms::Slope slope,
                                 Cycle now) {
  LocalWord* word = find(offset & ~3u);
  if (!word) {
    if (words_.size() == kMostWords) return give_up(now);
    words_.push_back({offset & ~3u, word_at(local, offset & ~3u), 0, 0});
    word = &words_.back();
  }
  if (bytes != 4 && (slope | word->current_slope) != 0) return forms_.lose();
  word->current_slope = slope;
}

uint64_t PollWatch::reads(uint32_t line) const {
  if (holds(code_lines_, line)) return ~uint64_t{0};
  for (size_t i = 0; i < data_lines_.size(); ++i) {
    if (data_lines_[i] == line) return data_bytes_[i];
  }
  return 0;
}

// --- the turn that repeats -----------------------------------------------------------------------------------------

PollWatch::TurnStart PollWatch::restore_turn(Cycle now, Registers& x, uint8_t* local,
                                             timing::HartTimer* timer) const {
  uint64_t turns = (now - begin_cycle_) / turn_cycles_;
  if (turns > 0 && reads_clock()) --turns;
  const Cycle later = turns * turn_cycles_;
  const auto low = static_cast<uint32_t>(later);
  for (unsigned i = 0; i < x.size(); ++i) x[i] = x_[i] + slopes_[i] * low;
  for (const LocalWord& word : words_) {
    const uint32_t value = word.value + word.slope * low;
    std::memcpy(local + word.offset, &value, 4);
  }
  if (timer != nullptr) {
    *timer = *timer_;
    timer->shift(later);
  }
  return {pc_, begin_cycle_ + later, begin_instructions_ + turns * turn_instructions_};
}

}  // namespace kerr::emu
