#include "report/timeline/timeline.hpp"

#include <algorithm>

#include "arch/memory_map.hpp"

namespace kerr::report {

using emu::Agent;
using emu::MessageKind;

namespace {

constexpr uint32_t kNiuBytes = 0x20000;  // of both NIUs

bool has_sender(MessageKind kind) {
  return kind == MessageKind::ReadRequest || kind == MessageKind::Write || kind == MessageKind::InlineWrite ||
         kind == MessageKind::Atomic;
}

uint32_t bytes_of(const emu::Message& m) {
  return m.kind == MessageKind::ReadRequest ? m.length : static_cast<uint32_t>(m.payload.size());
}

bool is_dram(emu::TileId tile) {
  return arch::tile_class({static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())}) == arch::TileClass::Dram;
}

// Work without a pause is one span.
template <class S>
S& extend(std::vector<S>& spans, Cycle begin, Cycle end) {
  if (!spans.empty() && begin <= spans.back().end) {
    spans.back().end = std::max(spans.back().end, end);
  } else {
    spans.push_back({});
    spans.back().begin = begin, spans.back().end = end;
  }
  return spans.back();
}

// What is known of an agent that is under way.
struct Now {
  bool stalled = false;
  Wait wait;          // if it is stalled: since when, and why
  bool dram = false;  // what released it last came from there
  // A hart's loop: it has been between these two instructions since `since`.
  bool loops = false;
  uint32_t loop_first = 0, loop_last = 0, pc = 0;
  Cycle since = 0;
  Credit loaded;         // by its last load of a stream register
  size_t unsettled = 0;  // the first of its waits of which it is not known what ended them, pages or room
};

}  // namespace

struct Timeline::Recording : Node {
  std::array<Now, emu::kAgents> now;
  size_t unclaimed = 0;  // of `departures`, the first whose hart is not known yet
  struct Counted {
    Credit counter;
    Cycle cycle = 0;
  };
  std::array<Counted, arch::kFwB.circular_buffers> counted;  // by buffer: the last of its counters that was stored

  void go_on(Agent who, Cycle cycle) {
    Now& n = now[static_cast<size_t>(who)];
    if (!n.stalled) return;
    n.stalled = false;
    n.wait.end = cycle;
    if (n.wait.reason == Reason::Noc && n.dram) n.wait.reason = Reason::Dram;
    agents[static_cast<size_t>(who)].waits.back() = n.wait;
    settle_credit(n, agents[static_cast<size_t>(who)].waits);
  }
  // A kernel may compare both counters of a buffer: the one that was stored ended the wait, and those before it that
  // ended for nothing.
  void settle_credit(Now& n, std::vector<Wait>& waits) const {
    const uint8_t buffer = n.wait.credit.buffer;
    if (buffer == Credit::kNoBuffer || counted[buffer].cycle <= n.wait.begin) return;
    for (; n.unsettled < waits.size(); ++n.unsettled) {
      Wait& wait = waits[n.unsettled];
      if (wait.credit.buffer == buffer) wait.credit = counted[buffer].counter;
    }
  }
  void stall(Agent who, Cycle since, Reason reason) {
    Now& n = now[static_cast<size_t>(who)];
    const Credit credit = reason == Reason::Stream ? n.loaded : Credit{};
    if (n.stalled && n.wait.reason == reason && n.wait.credit == credit) return;
    go_on(who, since);
    n.stalled = true;
    n.wait = {};
    n.dram = false;
    n.wait.begin = since, n.wait.end = emu::kNever, n.wait.reason = reason, n.wait.credit = credit;
    agents[static_cast<size_t>(who)].waits.push_back(n.wait);
  }
  void act(Agent who, Cycle cycle) {
    Node::Actions& agent = agents[static_cast<size_t>(who)];
    if (!agent.acted) agent.first = cycle;
    agent.acted = true;
    agent.last = cycle;
  }
};

Timeline::Timeline() : nodes_(size_t{emu::kMostChips} * arch::kGridTiles) {}
Timeline::~Timeline() = default;

Timeline::Recording& Timeline::at(emu::TileId tile) {
  std::unique_ptr<Recording>& node = nodes_[size_t{tile.chip} * arch::kGridTiles + tile.node];
  if (!node) node = std::make_unique<Recording>();
  return *node;
}

const Node* Timeline::node(uint8_t node, int chip) const {
  return nodes_[static_cast<size_t>(chip) * arch::kGridTiles + node].get();
}

// A hart that polls is recognised late: it has waited since it came into the loop. Waking up for nothing does not end
// that.
void Timeline::retired(const emu::Actor& who, uint32_t pc, uint32_t) {
  Recording& node = at(who.tile);
  Now& n = node.now[static_cast<size_t>(who.agent)];
  node.act(who.agent, who.cycle);
  const bool inside = n.loops && pc >= n.loop_first && pc <= n.loop_last;
  if (!inside) {
    node.go_on(who.agent, who.cycle);
    n.loops = false;
  }
  if (pc < n.pc && !(inside && pc == n.loop_first && n.pc == n.loop_last)) {
    node.go_on(who.agent, who.cycle);
    n.loops = true;
    n.loop_first = pc, n.loop_last = n.pc;
    n.since = who.cycle;
  }
  n.pc = pc;
}

void Timeline::issued(const emu::Actor& who, uint32_t) { at(who.tile).act(who.agent, who.cycle); }

void Timeline::stalled(const emu::Actor& who, const emu::Stall& stall) {
  Recording& node = at(who.tile);
  Now& n = node.now[static_cast<size_t>(who.agent)];
  if (!stall.polls) n.loops = false;
  node.stall(who.agent, stall.polls && n.loops ? n.since : who.cycle, reason_of(stall.what, who.agent));
}

void Timeline::released(const emu::Actor& who, Agent by) {
  Recording& node = at(who.tile);
  Now& n = node.now[static_cast<size_t>(who.agent)];
  n.wait.by = by;
  n.wait.released = who.cycle;
  n.dram = by == Agent::Inbox && !node.arrivals.empty() && is_dram(node.arrivals.back().source);
}

void Timeline::worked(const emu::Actor& who, const emu::UnitWork& work) {
  Recording& node = at(who.tile);
  node.go_on(who.agent, work.came);
  if (work.start > work.came) {
    node.stall(who.agent, work.came, reason_of(work.lacked));
    node.go_on(who.agent, work.start);
  }
  if (work.until > work.start) extend(node.units[work.unit], work.start, work.until);
}

void Timeline::link_taken(const emu::LinkUse& use) {
  Recording& node = at(use.from);
  extend(node.links[use.noc][static_cast<size_t>(use.way)], use.begin, use.end).waited += use.waited;
}

// The store that starts a packet is told right after the packet. What a hart polls it loaded last.
void Timeline::accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t, uint32_t) {
  const bool store = kind == emu::AccessKind::Store;
  if (address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride) {
    Recording& node = at(who.tile);
    const Credit counter = credit_of(address);
    if (!store) {
      node.now[static_cast<size_t>(who.agent)].loaded = counter;
    } else if (counter.buffer != Credit::kNoBuffer) {
      node.counted[counter.buffer] = {counter, who.cycle};
    }
  } else if (store && address - arch::kNiuBase < kNiuBytes) {
    Recording& node = at(who.tile);
    for (; node.unclaimed < node.departures.size(); ++node.unclaimed) node.departures[node.unclaimed].by = who.agent;
  }
}

void Timeline::packet_left(const emu::Actor&, const emu::Message& message, int) {
  if (!has_sender(message.kind)) return;
  if (message.multicast && message.packet != message.sequence) return;
  at(message.source).departures.push_back({message.sent, Agent::Host});
}

void Timeline::packet_arrived(const emu::Message& message) {
  at(message.destination)
      .arrivals.push_back({message.arrival, message.sent, message.source, message.kind, bytes_of(message)});
}

}  // namespace kerr::report
