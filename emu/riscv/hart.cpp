#include "emu/riscv/hart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emu/observe/hash.hpp"

namespace kerr::emu {

namespace {

constexpr std::uint32_t kCfg0Reset = 0x00020000;  // docs/hardware/tile.md 1.4
constexpr std::size_t kMostWatchedLines = 8;
constexpr Cycle kLongestPoll = 512;               // a longer loop is executed for real
constexpr std::uint32_t kMostPollBytes = 0x1000;  // of code between the loop's first and last instruction

}  // namespace

Hart::Hart(TileId tile, HartIndex index, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults)
    : tile_(tile),
      index_(index),
      local_bytes_(thread_of(index) < 0 ? 8192 : 4096),
      l1_(l1),
      code_(code),
      bus_(bus),
      faults_(faults) {
  csrs_[0] = kCfg0Reset;
}

void Hart::hold_reset() {
  state_ = State::InReset;
  waits_for_ = 0;
  watched_lines_.clear();
}

void Hart::release_reset(std::uint32_t pc, Cycle now, bool keep_local_memory) {
  state_ = State::Running;
  pc_ = pc;
  x_.fill(0);
  csrs_.fill(0);
  csrs_[0] = kCfg0Reset;
  cycle_ = now;
  waits_for_ = 0;
  watched_lines_.clear();
  poll_ = {};
  if (!keep_local_memory) local_.clear();
  local_.resize(local_bytes_);
}

std::uint8_t* Hart::local_memory() {
  local_.resize(local_bytes_);  // memory of a hart that never ran costs nothing
  return local_.data();
}

void Hart::run(Cycle start, Cycle end) {
  cycle_ = std::max(cycle_, start);
  execute_until(end);
}

void Hart::wake(Cycle resume) {
  if (state_ == State::Blocked) {
    state_ = State::Running;
    cycle_ = std::max(cycle_, resume);
  } else if (state_ == State::Parked) {
    state_ = State::Running;
    if (resume > cycle_) {
      const std::uint64_t turns = (resume - cycle_) / period_;
      cycle_ += turns * period_;
      instructions_ += turns * poll_.instructions;
      const bool parking = std::exchange(parking_, false);
      execute_until(resume);  // the rest of the last turn: pure loads and register instructions only
      parking_ = parking;
    }
  }
  waits_for_ = 0;
  watched_lines_.clear();
}

// A loop is a polling loop if one turn of it did nothing but pure loads and came back with the registers it began with. Only the
// second turn in a row is looked at closely, so that counting loops pay for a comparison now and then, not every time.
void Hart::backward_branch(std::uint32_t from, std::uint32_t target) {
  if (!parking_) return;
  if (poll_.target != target || !poll_.pure) {
    poll_.target = target;
    poll_.valid = false;
    poll_.pure = true;
    poll_.skip = 0;
    poll_.backoff = 0;
    return;
  }
  if (poll_.skip > 0) {
    --poll_.skip;
    return;
  }
  if (poll_.valid) {
    if (poll_.x == x_ && cycle_ - poll_.cycle <= kLongestPoll) return park(from);
    poll_.backoff = std::min<std::uint32_t>(2 * poll_.backoff + 1, 255);
    poll_.skip = poll_.backoff;
    poll_.valid = false;
    return;
  }
  poll_.valid = true;
  poll_.cycle = cycle_;
  poll_.instructions = instructions_;
  poll_.x = x_;
  poll_.waits_for = 0;
  poll_.lines.clear();
}

// `from`: the branch that closes the loop. Between it and its target every jump went forward, so the loop's code lies there.
void Hart::park(std::uint32_t from) {
  if (from - poll_.target > kMostPollBytes) return;
  state_ = State::Parked;
  period_ = cycle_ - poll_.cycle;
  poll_.instructions = instructions_ - poll_.instructions;
  poll_.valid = false;
  waits_for_ = poll_.waits_for != 0 ? poll_.waits_for : wait::kTime;  // a loop that reads nothing can still be caught up
  watched_lines_ = poll_.lines;
  for (std::uint32_t line = poll_.target / L1::kLineBytes; line <= from / L1::kLineBytes; ++line) watched_lines_.push_back(line);
  for (const std::uint32_t line : watched_lines_) l1_.attributes()[line] |= L1::kWatched;
}

void Hart::note_l1_load(std::uint32_t address) {
  if (!poll_.valid) return;
  const std::uint32_t line = address / L1::kLineBytes;
  if (std::find(poll_.lines.begin(), poll_.lines.end(), line) != poll_.lines.end()) return;
  if (poll_.lines.size() == kMostWatchedLines) {
    poll_.pure = false;
    return;
  }
  poll_.lines.push_back(line);
  poll_.waits_for |= wait::kL1;
  l1_.attributes()[line] |= L1::kWatched;
}

bool Hart::polls_line(std::uint32_t line) const {
  return poll_.valid && std::find(poll_.lines.begin(), poll_.lines.end(), line) != poll_.lines.end();
}

void Hart::note_bus_load(std::uint32_t address) {
  if (!poll_.pure) return;
  const WaitMask watch = bus_.watch_of(index_, address);
  if (watch == 0) poll_.pure = false;
  poll_.waits_for |= watch;
}

void Hart::stop(FaultCategory category, std::uint64_t address, std::string what, std::string advice) {
  state_ = State::Halted;
  faults_.report({.category = category,
                  .cycle = cycle_,
                  .tile = tile_,
                  .agent = agent_of(index_),
                  .pc = pc_,
                  .instruction = word_at_pc(),
                  .address = address,
                  .what = std::move(what),
                  .advice = std::move(advice)});
}

std::uint32_t Hart::word_at_pc() const {
  return pc_ % 4 == 0 && L1::contains(pc_, 4) ? l1_.load<std::uint32_t>(pc_) : 0;
}

std::string Hart::describe() const {
  switch (state_) {
    case State::InReset: return "in reset";
    case State::Running: return fmt::format("running, pc {:#x}", pc_);
    case State::Halted: return fmt::format("halted by a fault, pc {:#x}", pc_);
    case State::Blocked: return fmt::format("blocked at pc {:#x} on {}", pc_, names(waits_for_));
    case State::Parked: break;
  }
  std::string out = fmt::format("polling at pc {:#x}", pc_);
  if (const WaitMask rest = waits_for_ & ~wait::kL1) out += fmt::format(" on {}", names(rest));
  for (const std::uint32_t line : poll_.lines) out += fmt::format(" on L1 line {:#x}", line * L1::kLineBytes);
  return out;
}

std::uint64_t Hart::state_hash() const {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(state_ == State::InReset), pc_);
  for (const std::uint32_t value : x_) hash = mix(hash, value);
  for (const std::uint32_t value : csrs_) hash = mix(hash, value);
  return mix_bytes(hash, local_);
}

}  // namespace kerr::emu
