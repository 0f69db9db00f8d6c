#include "emu/riscv/poll_watch.hpp"

#include <algorithm>

namespace kerr::emu {

namespace {

constexpr Cycle kLookCycles = 256;
constexpr Cycle kShortTry = 64;
constexpr Cycle kLongTry = 4 * PollWatch::kLongestTurn;
constexpr Cycle kLongestPause = 16384;
constexpr std::size_t kMostLines = 64;  // of code, and of data

Cycle longer(Cycle pause) { return std::min(2 * pause + kShortTry, kLongestPause); }

bool holds(const std::vector<std::uint32_t>& lines, std::uint32_t line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

void PollWatch::reset(Cycle now) {
  *this = {};
  next_look_ = next_try_ = now;
}

void PollWatch::look(std::uint32_t pc, const Registers& x, Cycle now) {
  next_look_ = now - now % kLookCycles + kLookCycles;
  const bool recurs = pc == sample_.pc && x == sample_.x;
  if (!recurs && ++looks_ >= most_looks_) {
    sample_ = {pc, x};
    looks_ = 0;
    most_looks_ = std::min<std::uint32_t>(2 * most_looks_, 1 << 10);
  }
  if (recurs && now >= next_recurrence_) {
    recurred_ = true;
    begin(now, kLongTry);
  } else if (now >= next_try_) {
    begin(now, kShortTry);
  }
}

void PollWatch::expect(Cycle now, Cycle turn) {
  pause_ = recurrence_pause_ = 0;
  next_recurrence_ = 0;
  begin(now, kShortTry + 2 * turn);
}

void PollWatch::begin(Cycle now, Cycle cycles) {
  watching_ = true;
  noting_ = false;
  jumps_ = 0;
  most_jumps_ = 1;
  until_ = now + cycles;
}

void PollWatch::give_up(Cycle now) {
  if (!watching_) return;
  watching_ = noting_ = false;
  pause_ = longer(pause_);
  next_try_ = now + pause_;
  next_look_ = now - now % kLookCycles + kLookCycles;
  if (recurred_) {
    recurred_ = false;
    recurrence_pause_ = longer(recurrence_pause_);
    next_recurrence_ = now + recurrence_pause_;
  }
}

PollWatch::Jump PollWatch::jump(std::uint32_t pc, const Registers& x, Cycle now, std::uint64_t instructions) {
  if (noting_) {
    if (pc == place_.pc && x == place_.x && now - begin_cycle_ <= kLongestTurn) {
      watching_ = noting_ = recurred_ = false;
      return Jump::Repeats;
    }
    if (++jumps_ < most_jumps_) return Jump::Nothing;
    most_jumps_ *= 2;
  }
  noting_ = true;
  place_ = {pc, x};
  begin_cycle_ = now;
  begin_instructions_ = instructions;
  jumps_ = 0;
  waits_for_ = 0;
  data_lines_.clear();
  code_lines_.clear();
  return Jump::Begins;
}

bool PollWatch::note_line(std::vector<std::uint32_t>& lines, std::uint32_t line, Cycle now) {
  if (holds(lines, line)) return false;
  if (lines.size() == kMostLines) {
    give_up(now);
    return false;
  }
  lines.push_back(line);
  return true;
}

bool PollWatch::reads_line(std::uint32_t line) const {
  return noting_ && (holds(data_lines_, line) || holds(code_lines_, line));
}

}  // namespace kerr::emu
