// The buffer at the end of one virtual channel of a link, and the packets in it.   docs/hardware/noc.md 6.1, 10.2
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "emu/cycle.hpp"
#include "emu/observe/observer.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu {

/// {dateline, class, class, buddy}. Classes 0 and 1 are unicast requests, 2 multicasts, 3 responses.
using Vc = uint8_t;
inline constexpr Vc kVcs = 16;
inline constexpr Vc kNoVc = 0xFF;
inline constexpr Vc kDateline = 8, kClass = 6, kMulticasts = 4, kResponses = 6;

/// A way on that a packet takes at a router: one of a unicast, up to three of a multicast.
struct Branch {
  LinkUse::Way way = LinkUse::Way::X;
  Vc vc = kNoVc;      // of the link, once granted
  uint16_t sent = 0;  // flits
  bool leaves() const { return way == LinkUse::Way::Exit; }
  void serialize(Archive& a);
};

/// A packet in the router at the end of a channel.
struct Passage {
  uint32_t packet = 0;
  uint16_t train = 0;       // of linked multicasts: of which source, 0: none
  uint8_t along_trunk = 0;  // hops from its source
  uint8_t along_branch = 0;
  uint16_t flits = 0;
  uint16_t arrived = 0;  // of them: have been sent here
  uint8_t branches = 0;
  std::array<Branch, 3> branch{};
  Cycle start = 0;  // of a packet that comes from the own NIU: when its first flit is here
  std::array<uint8_t, timing::kMostChannelFlits> slot{};  // of its flits, by number modulo the size

  bool waits(bool leaving) const {
    return std::any_of(branch.begin(), branch.begin() + branches,
                       [&](const Branch& b) { return b.leaves() == leaving && b.sent < flits; });
  }
  void serialize(Archive& a);
};

/// A flit lies in a slot until every branch has taken it. The packets go on one after the other; those that leave the
/// NoC here do not wait for those that go on, nor the other way round.
class VirtualChannel {
 public:
  static constexpr size_t kMostFlits = timing::kMostChannelFlits;
  static constexpr uint32_t kNobody = ~uint32_t{0};

  /// For so many flits. `from_niu`: of what the own NIU sends, which has room for all of it.
  VirtualChannel(Cycle flits, bool from_niu) : from_niu_(from_niu), free_(~uint32_t{0} >> (kMostFlits - flits)) {}

  /// From the grant until its last flit has been sent into the channel a packet holds it.
  bool taken() const { return arriving_ < passages_.size(); }
  /// Since when no packet holds it or is in it: what leaves the NoC may have done so ahead of time. kNever: one does.
  Cycle idle_since() const { return taken() || !empty() ? kNever : empty_since_; }
  /// The last packet is of this train: the next one may follow it.
  bool held_by(uint16_t train) const { return train != 0 && !empty() && passages_.back().train == train; }
  bool empty() const { return gone_ == passages_.size(); }
  size_t packets() const { return passages_.size() - gone_; }

  /// Packets are numbered in the order in which they come.
  uint32_t grant(const Passage& passage);
  Passage& passage(uint32_t number) { return passages_[number - base_]; }
  template <class Visit>
  void for_each_packet(Visit visit) const {
    for (size_t i = gone_; i < passages_.size(); ++i) visit(passages_[i]);
  }
  uint32_t last() const { return base_ + static_cast<uint32_t>(passages_.size()) - 1; }
  /// Whose turn it is to go on, or to leave; kNobody.
  uint32_t turn(bool leaving);
  /// A branch has sent its last flit. If nobody is in the channel any more: since when, else kNever.
  Cycle leave(Cycle now);

  /// From when on the next flit finds room, `now` or later; kNever: not before one has gone.
  Cycle room(Cycle now) const {
    Cycle soonest = kNever;
    for (uint32_t free = free_; free != 0 && soonest > now; free &= free - 1)
      soonest = std::min(soonest, when_[static_cast<size_t>(std::countr_zero(free))]);
    return soonest;
  }
  /// A flit comes in, of the packet that holds the channel, for which there is room `now`; it can go on from `when`.
  Passage& put(Cycle now, Cycle when);
  /// From when on flit `number` of the passage can go on; kNever if it has not been sent here yet.
  Cycle ready(const Passage& passage, unsigned number) const {
    if (number >= passage.arrived) return kNever;
    return from_niu_ ? passage.start + number : when_[passage.slot[number % kMostFlits]];
  }
  /// A branch has taken flit `number`. If no other needs it: from when on the sender knows that its slot is free, else
  /// kNever.
  Cycle took(const Passage& passage, unsigned number, Cycle now, Cycle credit);

  void serialize(Archive& a);

 private:
  bool from_niu_;
  std::vector<Passage> passages_;  // the first gone_ of them are
  uint32_t base_ = 0;              // number of passages_[0]
  uint32_t gone_ = 0;
  uint32_t arriving_ = 0;           // in passages_: those before have come wholly
  std::array<uint32_t, 2> turn_{};  // in passages_: nobody before it waits to go on; to leave
  Cycle empty_since_ = 0;
  uint32_t free_;                               // slots, one a bit
  std::array<Cycle, kMostFlits> when_{};        // the flit can go on; of a free slot: the sender knows of it
  std::array<Cycle, kMostFlits> last_taken_{};  // of a flit for several branches
};

}  // namespace kerr::emu
