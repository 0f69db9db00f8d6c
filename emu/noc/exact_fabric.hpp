// The links of one chip's two NoCs in exact timing.   docs/hardware/noc.md 10.1, timing.md 7, 13.5
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "arch/grid.hpp"
#include "emu/cycle.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/noc.hpp"

namespace kerr::emu {

/// Packets move hop by hop, cut-through, in the order of time: a head that comes to a link takes it as soon as it is
/// free and keeps it for as many cycles as the packet has flits; nine cycles later it is at the next router. Who comes
/// first goes first; of two that come in the same cycle, the one of the smaller (source, NoC, sequence). No link is
/// reserved ahead. The way from the last router into the destination's NIU counts as a link.
///
/// Each NoC has links of its own: NoC 0 to the east and south, NoC 1 to the west and north. A multicast is one packet
/// on the union of the routes to its receivers: every link of that tree carries it once.
///
/// Not modelled: virtual channels (two packets on a link do not interleave), bounded router buffers (a head that waits
/// holds up nothing behind it but what follows on the same link). The path reservation of a multicast is time that the
/// sending NIU takes before the first flit.
class ExactFabric {
 public:
  /// `parameters` must outlive the fabric; `observer`, told of links that are taken, too, and may be null.
  explicit ExactFabric(const timing::Parameters& parameters = timing::kBlackhole, Observer* observer = nullptr)
      : parameters_(parameters), observer_(observer) {}

  /// What a source has sent, in issue order; the messages of a multicast follow each other. A packet's first flit leaves
  /// `flits(message)` cycles before `message.sent`. Empties `sent`.
  void inject(std::vector<Message>& sent);

  /// Call when all tiles have reached `end` and everything that was sent before has been injected: moves what nothing
  /// sent later can still precede. Appends the messages whose `arrival` is now known. What stays arrives at `end` + 22
  /// or later (of the usual parameters: timing::shortest_way()).
  void advance(Cycle end, std::vector<Message>& delivered);

  /// The cycle that must have passed before advance() can do something, kNever if nothing is under way.
  Cycle next_event() const;
  bool empty() const { return links_.empty() && exits_.empty(); }
  void serialize(Archive& archive);

 private:
  /// A packet's tree: a trunk along one axis, from which branches run along the other. A unicast has one branch.
  struct Packet {
    std::vector<Message> receivers;  // not yet served, in the order in which they were sent
    std::bitset<arch::kGridTiles> stops;
    TileId source;
    std::uint8_t noc = 0;
    bool y_first = false;
    unsigned flits = 0;
    Cycle sent = 0;
    std::uint64_t order = 0;
    std::uint8_t trunk = 0;                                // hops to the last branch
    std::array<std::uint8_t, arch::kGridColumns> branch{};  // hops of the branch after so many hops of the trunk
    void serialize(Archive& archive);
  };
  /// A head stands in a router, `along_trunk` and `along_branch` hops from its source, and wants to go on.
  struct Event {
    Cycle time;
    std::uint64_t order;
    std::uint32_t packet;
    std::uint8_t along_trunk;
    std::uint8_t along_branch;
    bool branches;  // the next link belongs to a branch; without meaning at an exit
    void serialize(Archive& a) { a(time, order, packet, along_trunk, along_branch, branches); }
  };
  static bool later(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
  static void push(std::vector<Event>& heap, const Event& event);
  static Event pop(std::vector<Event>& heap);

  // A packet that is sent at `end` or later stands before its first link this much later, at the earliest ...
  Cycle to_first_link() const { return parameters_.noc_inject + parameters_.noc_niu_to_router; }
  // ... and before the exit of another router.
  Cycle to_first_exit() const { return to_first_link() + parameters_.noc_hop; }

  std::uint32_t open(const Message& message);
  void add_receiver(Packet& packet, Message&& message);
  std::uint8_t node(const Packet& packet, unsigned along_trunk, unsigned along_branch) const;
  void stand(std::uint32_t packet, unsigned along_trunk, unsigned along_branch, Cycle time);
  void cross(const Event& event);
  void leave(const Event& event, std::vector<Message>& delivered);

  const timing::Parameters& parameters_;
  std::vector<Packet> packets_;  // slots, used again
  std::vector<std::uint32_t> unused_;
  std::vector<Event> links_;  // heap: heads before a link
  std::vector<Event> exits_;  // heap: heads before their destination's NIU

  using Way = LinkUse::Way;
  Cycle take(const Event& event, TileId from, Way way, const Packet& packet);

  using Node = std::array<Cycle, 3>;  // when each way out of a router is free
  std::array<std::array<Node, arch::kGridTiles>, arch::kNocs> free_{};
  Observer* observer_;
};

}  // namespace kerr::emu
