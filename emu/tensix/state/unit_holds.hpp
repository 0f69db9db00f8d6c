// Which units a thread may not start an instruction in right now.
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/memory/l1.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"
#include "isa/tensix/resources.hpp"

namespace kerr::emu::tensix {

/// Two reasons: soft reset holds a unit for everybody, and an instruction that retries (ATCAS, ATINCGETPTR) holds the
/// scalar unit for the other threads. Announces wait::kUnitIdle when a unit may have become free.
class UnitHolds {
 public:
  explicit UnitHolds(WaitBoard& board) : board_(board) {}

  bool held(int thread, isa::tensix::Unit unit) const {
    return held_[static_cast<size_t>(thread)] >> static_cast<unsigned>(unit) & 1;
  }
  /// `unit`: its bit. False also for no unit.
  bool free(int thread, uint32_t unit) const { return (unit & ~held_[static_cast<size_t>(thread)]) != 0; }
  /// One bit a unit.
  void set_in_reset(uint32_t units) {
    if (units == in_reset_) return;
    in_reset_ = units;
    refresh();
  }
  bool in_reset(isa::tensix::Unit unit) const { return in_reset_ >> static_cast<unsigned>(unit) & 1; }

  /// `thread` retries in the scalar unit when `line` of L1 changes.
  void set_retrying(int thread, uint32_t line) {
    retried_line_ = line;
    set_retrying(thread);
  }
  /// It retries no longer.
  void set_free() { set_retrying(kNobody); }
  int retrying() const { return retrying_; }
  uint32_t retried_line() const { return retried_line_; }
  static constexpr int kNobody = -1;

  void serialize(Archive& a) {
    a(in_reset_, retrying_, retried_line_, held_);
    a.require(retrying_ >= kNobody && retrying_ < kThreads, "a thread that does not exist retries");
    a.require(retried_line_ < L1::kLines, "a thread retries on a line that is not in L1");
  }

 private:
  void set_retrying(int thread) {
    if (thread == retrying_) return;
    retrying_ = thread;
    refresh();
  }
  void refresh() {
    board_.about_to_change(wait::kUnitIdle);
    constexpr uint32_t kScalar = 1u << static_cast<unsigned>(isa::tensix::Unit::Scalar);
    for (int t = 0; t < kThreads; ++t) {
      const bool busy_for = retrying_ != kNobody && retrying_ != t;
      held_[static_cast<size_t>(t)] = in_reset_ | (busy_for ? kScalar : 0);
    }
  }

  WaitBoard& board_;
  uint32_t in_reset_ = 0;
  int retrying_ = kNobody;
  uint32_t retried_line_ = 0;
  std::array<uint32_t, kThreads> held_{};
};

}  // namespace kerr::emu::tensix
