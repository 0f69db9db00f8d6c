// The links of one chip's two NoCs in exact timing.   docs/hardware/noc.md 6.1, 10.1, timing.md 7, 13.5
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/grid.hpp"
#include "emu/cycle.hpp"
#include "emu/noc/message.hpp"
#include "emu/noc/virtual_channel.hpp"
#include "emu/observe/observer.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/noc.hpp"

namespace kerr::emu {

/// Flits move from router to router, cut-through: nine cycles a hop, one a cycle on a link. A link has 16 virtual
/// channels, each with a buffer of `noc_channel_flits` at its end; a flit is sent when there is room. A packet holds
/// its channel of a link from its first flit to its last one, also while it waits: packets for the same channel wait,
/// other channels continue, flit by flit in turns. The channel is the sender's if it is static, otherwise either
/// of its class that is free; behind the link that closes a ring its twin (dateline). From each input of a router one
/// flit a cycle moves on. What streams that share links lose follows from this; no parameter says it (timing.md 13.5).
///
/// Requests are granted a channel, and flits sent, in turns between those that ask. The way from the last router into
/// the destination's NIU is a link too, except that the NIU always takes what comes; the flit that it gets is chosen
/// before those that move on to another router.
///
/// A DRAM tile works on `dram_reads` reads of a NoC, each from when its request is in until its data have left. Further
/// ones wait in the NoC, and so do packets for the same channel behind them (timing.md 13.6).
///
/// Each NoC has links of its own: NoC 0 to the east and south, NoC 1 to the west and north. A multicast is one packet
/// on the union of the routes to its receivers: every link of that tree carries it once. It starts when the channels of
/// the whole tree are empty, and holds them from then on: that is what its path reservation is for. The multicasts of a
/// train of linked requests follow each other. How long the
/// reservation takes is the sending NIU's time, before the first flit.
///
/// Not known and chosen: where the datelines are (the links that close the rings); how many flits a buffer holds (as
/// many as on Wormhole: one and a share of at most 15, noc.md 10.2) and that credits come back within the 7 cycles in
/// which that does not slow down a lone stream. Not modelled: arbitration priorities, trains of linked unicasts, the
/// common pool of a port's buffers, what a NIU does when its packets have to wait (it takes up more of them).
class ExactFabric {
 public:
  /// `parameters` must outlive the fabric; `observer`, told of links that are taken, too, and may be null.
  explicit ExactFabric(const timing::Parameters& parameters = timing::kBlackhole, Observer* observer = nullptr);

  /// What a source has sent, in issue order; the messages of a multicast follow each other. A packet's first flit
  /// leaves `flits(message)` cycles before `message.sent`. Empties `sent`.
  void inject(std::vector<Message>& sent);

  /// Call when all tiles have reached `end` and everything that was sent before has been injected: moves what nothing
  /// sent later can still influence. Appends the messages whose `arrival` is now known. What stays arrives at `end` +
  /// 22 or later (of the usual parameters: timing::shortest_way()).
  void advance(Cycle end, std::vector<Message>& delivered);

  /// The cycle that must have passed before advance() can do something, kNever if nothing is under way.
  Cycle next_event() const;
  bool empty() const { return unused_.size() == packets_.size(); }
  void serialize(Archive& archive);
  /// Call after loading, with the machine's time: whatever the file says, nothing happens before.
  void resume(Cycle now);

 private:
  using Way = LinkUse::Way;
  static constexpr size_t kWays = 3;
  static constexpr size_t kNodes = arch::kNocs * size_t{arch::kGridTiles};  // of both NoCs
  static constexpr size_t kPorts = kNodes * kWays;  // a router's inputs: from X, from Y, from the own NIU
  static constexpr size_t kFromNiu = 2;

  /// A packet's tree: a trunk along one axis, from which branches run along the other. A unicast has one branch.
  struct Packet {
    std::vector<Message> receivers;  // not yet served, in the order in which they were sent
    std::bitset<arch::kGridTiles> stops;
    TileId source;
    uint8_t noc = 0;
    bool y_first = false;
    bool multicast = false;
    bool linked = false;
    Vc vc = 0;             // without the dateline bit
    bool buddies = false;  // or the other one of the class
    uint16_t flits = 0;
    Cycle start = 0;  // when its first flit is in the source's router
    uint64_t order = 0;
    uint8_t trunk = 0;                                 // hops to the last branch
    std::array<uint8_t, arch::kGridColumns> branch{};  // hops of the branch after so many hops of the trunk
    void serialize(Archive& archive);
  };
  /// A branch of the packet whose turn it is in its channel asks for the output.
  struct Want {
    uint32_t channel;
    uint32_t passage;
    uint8_t branch;
  };
  /// What a DRAM tile works on for one NoC.
  struct Reads {
    uint32_t begun = 0;
    std::vector<Cycle> over;  // of them: from then on there is room for others
    void serialize(Archive& a);
  };
  /// A way out of a router.
  struct Output {
    std::vector<Want> wants;                 // by channel
    Cycle next = kNever;                     // before, nothing happens here unless somebody wakes it
    uint32_t granted = 0, served = 0;        // channels that had their turn
    uint16_t held = 0;                       // Exit: channels into the NIU that packets hold
    uint32_t heads = 0;                      // of links: wants that have no channel yet
    Cycle since = 0, until = 0, waited = 0;  // what the observer has not been told: no part of the machine
    void serialize(Archive& a);
  };
  /// In which cycles an input's flit left the NoC. Exits are simulated at most a hop ahead of moves to other routers.
  struct Left {
    Cycle last = 0;
    uint64_t before = 0;  // bit k: k cycles before `last`
    bool at(Cycle now) const { return now <= last && last - now < 64 && before >> (last - now) & 1; }
    void add(Cycle now);
    void serialize(Archive& a) { a(last, before); }
  };

  // A packet that is sent at `end` or later is at its first link this much later, at the earliest ...
  Cycle to_first_link() const { return parameters_.noc_inject + parameters_.noc_niu_to_router; }
  // ... and before the exit of another router.
  Cycle to_first_exit() const { return to_first_link() + parameters_.noc_hop; }

  // Packets, exact_fabric.cpp.
  uint32_t open(const Message& message);
  void add_receiver(Packet& packet, Message&& message);
  void start_packets(Cycle now);
  void start_multicasts(Cycle now);
  bool start_multicast(uint32_t channel, Cycle now, std::bitset<kPorts * kVcs>& claimed);
  void deliver(uint32_t packet, uint8_t node, Cycle arrival, std::vector<Message>& delivered);
  bool later(uint32_t a, uint32_t b) const;
  Cycle next_link() const;

  // Files, serialize.cpp.
  void check_and_ask(Archive& a);
  void check(Archive& a, size_t channel, const Passage& passage);

  // Where a packet goes, exact_route.cpp.
  uint8_t node(const Packet& packet, unsigned along_trunk, unsigned along_branch) const;
  Vc vc_on(const Packet& packet, unsigned along_trunk, unsigned along_branch, bool branches, Vc wish) const;
  Passage passage_at(uint32_t packet, unsigned along_trunk, unsigned along_branch) const;
  size_t output_of(const Packet& packet, const Passage& passage, Way way) const;

  // Links, exact_links.cpp.
  VirtualChannel& channel(size_t index);
  void enter(size_t channel, const Passage& passage, Cycle when);
  static std::array<uint16_t, kPorts> neighbours(bool behind);
  size_t behind(size_t output) const { return behind_[output]; }  // the port at the end of a link
  size_t before(size_t port) const { return before_[port]; }      // the output that leads there
  void wake(size_t output, Cycle when);
  void ask(size_t channel, bool leaving, Cycle when);
  void serve_links(Cycle now);
  void serve_link(size_t output, Cycle now);
  void serve_exits(Cycle now, std::vector<Message>& delivered);
  void serve_exit(size_t output, Cycle now, std::vector<Message>& delivered);
  Cycle room_for_read(size_t node, Cycle now);
  void read_is_over(size_t node, Cycle now);
  void grant(size_t output, Cycle now);
  Cycle can_send(size_t output, const Want& want, Cycle now);
  void send(size_t output, size_t want, Cycle now);
  void took(size_t output, const Want& want, Cycle now);
  void finish(size_t output, size_t want, bool leaving, Cycle now);
  void note(size_t output, const Want& want, Cycle now);
  template <class Visit>
  void in_turns(const std::vector<Want>& wants, uint32_t after, Visit visit);
  /// What asks: a branch of a packet in a channel.
  struct Asking {
    VirtualChannel& from;
    Passage& passage;
    Branch& branch;
  };
  Asking asking(const Want& want) {
    VirtualChannel& from = channel(want.channel);
    Passage& passage = from.passage(want.passage);
    return {from, passage, passage.branch[want.branch]};
  }

  const timing::Parameters& parameters_;
  Observer* observer_;
  const std::array<uint16_t, kPorts> behind_ = neighbours(true), before_ = neighbours(false);

  std::vector<Packet> packets_;  // slots, used again
  std::vector<uint32_t> unused_;
  std::vector<uint32_t> pending_;    // heap: packets whose first flit is still on its way to the router
  std::vector<uint32_t> reserving_;  // channels whose multicast waits for its tree, in the order in which they came
  Cycle next_reservation_ = kNever;
  std::vector<std::unique_ptr<VirtualChannel>> channels_;  // by port and number; null: never used
  std::vector<Output> outputs_;                            // by node and way
  std::array<std::bitset<kNodes>, kWays> asked_;           // outputs that somebody wants
  std::vector<Cycle> went_on_;  // by port: the cycle after the last one in which a flit went on
  std::vector<Left> left_;      // by port
  std::vector<Reads> reads_;    // by node, of DRAM tiles
  Cycle next_link_ = kNever, next_exit_ = kNever;
  // The multicast that is being started: its channels, and the packet in each.
  std::vector<std::pair<size_t, Passage>> tree_;
};

}  // namespace kerr::emu
