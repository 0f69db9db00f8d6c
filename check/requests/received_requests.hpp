// Requests that have taken effect in a tile, as counters of its NIUs tell of them.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "arch/noc_registers.hpp"
#include "check/value_history.hpp"

namespace kerr::check {

/// SLV_WR_ACK_SENT or SLV_ATOMIC_RESP_SENT of one NIU. Few programs load them, so who has sent what is looked up when
/// one does. Other counters of what was received move before L1 has it, and order nothing. Edge: receiver-counter.
class ReceivedRequests {
 public:
  static std::optional<size_t> index_of(int counter) {
    if (counter == arch::niu::kSlvWrAckSent) return 0;
    if (counter == arch::niu::kSlvAtomicRespSent) return 1;
    return std::nullopt;
  }
  static constexpr size_t kCounters = 2;

  void arrived(Place from, uint64_t packet) {
    if (new_.size() == kMost) new_.pop_front();
    new_.push_back({from, packet});
  }
  /// All of them, for a load that has found `value`.
  const ValueHistory& history(Place own, const TransferDirectory& transfers, uint32_t value) {
    if (!history_) history_ = std::make_unique<ValueHistory>(own, value - static_cast<uint32_t>(new_.size()));
    for (const Packet& p : new_) {
      const Transfer* const t = transfers.find(p.from, p.packet);
      if (t == nullptr) continue;
      history_->note({history_->value() + 1, {p.from, t->channel, t->in_channel}, t->clock, true, {}});
    }
    new_.clear();
    history_->now_is(value);  // the host's writes count too
    return *history_;
  }

 private:
  struct Packet {
    Place from;
    uint64_t packet;
  };
  static constexpr size_t kMost = 256;

  std::deque<Packet> new_;  // since the last load
  std::unique_ptr<ValueHistory> history_;
};

}  // namespace kerr::check
