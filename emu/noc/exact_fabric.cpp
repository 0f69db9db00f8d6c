// Packets: from a NIU into its router, out of the last router into a NIU, and the passing of time.
#include "emu/noc/exact_fabric.hpp"

#include <algorithm>
#include <utility>

namespace kerr::emu {

namespace {

unsigned distance(int from, int to, int size, bool backwards) {
  return static_cast<unsigned>(((backwards ? from - to : to - from) + size) % size);
}

}  // namespace

ExactFabric::ExactFabric(const timing::Parameters& parameters, Observer* observer)
    : parameters_(parameters),
      observer_(observer),
      channels_(kPorts * kVcs),
      outputs_(kPorts),
      went_on_(kPorts),
      left_(kPorts),
      reads_(kNodes) {}

// --- injection -----------------------------------------------------------------------------------------------------

void ExactFabric::inject(std::vector<Message>& sent) {
  for (size_t i = 0; i < sent.size();) {
    const uint32_t index = open(sent[i]);
    Packet& packet = packets_[index];
    const auto belongs = [source = sent[i].source, name = sent[i].packet](const Message& m) {
      return m.multicast && m.source == source && m.packet == name;
    };
    do {
      add_receiver(packet, std::move(sent[i++]));
    } while (i < sent.size() && belongs(sent[i]));
    pending_.push_back(index);
    std::push_heap(pending_.begin(), pending_.end(), [this](auto a, auto b) { return later(a, b); });
  }
  sent.clear();
}

// For heaps, whose first one is the earliest.
bool ExactFabric::later(uint32_t a, uint32_t b) const {
  return std::pair(packets_[a].start, packets_[a].order) > std::pair(packets_[b].start, packets_[b].order);
}

uint32_t ExactFabric::open(const Message& message) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const uint32_t index = unused_.back();
  unused_.pop_back();
  Packet& packet = packets_[index];
  packet.source = message.source;
  packet.noc = message.noc;
  packet.y_first = message.multicast ? message.y_major : message.noc == 1;
  packet.multicast = message.multicast;
  packet.linked = message.linked;
  packet.buddies = !message.multicast && (is_response(message.kind) || !message.static_vc);
  const Vc buddy = message.vc & 1;
  packet.vc = message.multicast           ? static_cast<Vc>(kMulticasts | buddy)
              : is_response(message.kind) ? kResponses
              : message.static_vc         ? static_cast<Vc>((message.vc & kClass) | buddy)
                                          : Vc{0};
  packet.flits = static_cast<uint16_t>(flits(message));
  packet.start = message.sent - packet.flits + to_first_link();
  packet.order = uint64_t{message.source.node} << 56 | uint64_t{message.noc} << 55 | message.sequence;
  packet.trunk = 0;
  packet.branch = {};
  return index;
}

void ExactFabric::add_receiver(Packet& packet, Message&& message) {
  const TileId from = packet.source;
  const TileId to = message.destination;
  const bool backwards = packet.noc == 1;
  const unsigned x = distance(from.x(), to.x(), arch::kGridColumns, backwards);
  const unsigned y = distance(from.y(), to.y(), arch::kGridRows, backwards);
  const unsigned along_trunk = packet.y_first ? y : x;
  const unsigned along_branch = packet.y_first ? x : y;
  packet.trunk = static_cast<uint8_t>(std::max<unsigned>(packet.trunk, along_trunk));
  uint8_t& branch = packet.branch[along_trunk];
  branch = static_cast<uint8_t>(std::max<unsigned>(branch, along_branch));
  packet.stops.set(to.node);
  packet.receivers.push_back(std::move(message));
}

// Their first flits are in the routers.
void ExactFabric::start_packets(Cycle now) {
  const auto by_time = [this](auto a, auto b) { return later(a, b); };
  while (!pending_.empty() && packets_[pending_.front()].start <= now) {
    std::pop_heap(pending_.begin(), pending_.end(), by_time);
    const uint32_t index = pending_.back();
    pending_.pop_back();
    const Packet& packet = packets_[index];
    const size_t port = (packet.noc * size_t{arch::kGridTiles} + packet.source.node) * kWays + kFromNiu;
    size_t to = port * kVcs + packet.vc;
    if (packet.buddies && channel(to ^ 1).packets() < channel(to).packets()) to ^= 1;
    Passage passage = passage_at(index, 0, 0);
    passage.arrived = passage.flits;
    passage.start = packet.start;
    enter(to, passage, now);
  }
}

// --- multicasts ----------------------------------------------------------------------------------------------------

// One that waits keeps its tree from those that came later.
void ExactFabric::start_multicasts(Cycle now) {
  next_reservation_ = kNever;
  std::bitset<kPorts * kVcs> claimed;
  std::erase_if(reserving_, [&](uint32_t niu) { return start_multicast(niu, now, claimed); });
}

bool ExactFabric::start_multicast(uint32_t niu, Cycle now, std::bitset<kPorts * kVcs>& claimed) {
  VirtualChannel& from = channel(niu);
  Passage& root = from.passage(from.turn(false));
  const Packet& packet = packets_[root.packet];
  std::vector<std::pair<size_t, Passage>>& tree = tree_;
  tree.clear();
  const auto reserve = [&](Passage& passage) {
    for (unsigned i = 0; i < passage.branches; ++i) {
      Branch& b = passage.branch[i];
      if (b.leaves()) continue;
      const bool branches = (b.way == Way::X) == packet.y_first;
      b.vc = vc_on(packet, passage.along_trunk, passage.along_branch, branches, packet.vc);
      tree.emplace_back(behind(output_of(packet, passage, b.way)) * kVcs + b.vc,
                        passage_at(root.packet, passage.along_trunk + !branches, passage.along_branch + branches));
    }
  };
  Passage reserved = root;
  reserve(reserved);
  for (size_t i = 0; i < tree.size(); ++i) {
    Passage passage = tree[i].second;
    reserve(passage);
    tree[i].second = passage;
  }
  Cycle free = now;  // from when on all of it is
  for (const auto& [index, passage] : tree) {
    const VirtualChannel& to = channel(index);
    free = std::max(free, claimed.test(index) ? kNever : to.held_by(passage.train) ? now : to.idle_since());
    claimed.set(index);
  }
  if (free > now) {
    next_reservation_ = std::min(next_reservation_, free);
    return false;
  }
  root = reserved;
  for (const auto& [index, passage] : tree) enter(index, passage, kNever);
  ask(niu, false, now);
  return true;
}

void ExactFabric::deliver(uint32_t index, uint8_t at, Cycle arrival, std::vector<Message>& delivered) {
  Packet& packet = packets_[index];
  const auto receiver = std::find_if(packet.receivers.begin(), packet.receivers.end(),
                                     [at](const Message& m) { return m.destination.node == at; });
  if (receiver == packet.receivers.end()) return;  // only what a file made up leaves twice
  receiver->arrival = arrival;
  delivered.push_back(std::move(*receiver));
  packet.receivers.erase(receiver);
  packet.stops.reset(at);
  if (packet.receivers.empty()) unused_.push_back(index);
}

// --- time ----------------------------------------------------------------------------------------------------------

// In a cycle, flits that leave the NoC are chosen before those that move on to another router, and the choice does not
// depend on moves less than one hop earlier. So exits can be simulated one hop further than links.
void ExactFabric::advance(Cycle end, std::vector<Message>& delivered) {
  const Cycle links_until = end + to_first_link(), exits_until = end + to_first_exit();
  for (;;) {
    const Cycle link = next_link();
    if (link < links_until && link < next_exit_) {
      serve_links(link);
    } else if (next_exit_ < exits_until) {
      serve_exits(next_exit_, delivered);
    } else {
      return;
    }
  }
}

Cycle ExactFabric::next_link() const {
  Cycle next = std::min(next_link_, next_reservation_);
  if (!pending_.empty()) next = std::min(next, packets_[pending_.front()].start);
  return next;
}

void ExactFabric::resume(Cycle now) {
  const Cycle link = now + to_first_link(), exit = now + to_first_exit();
  next_link_ = next_exit_ = kNever;
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (!outputs_[i].wants.empty()) wake(i, i % kWays == static_cast<size_t>(Way::Exit) ? exit : link);
  next_reservation_ = reserving_.empty() ? kNever : link;
  for (const uint32_t index : pending_) packets_[index].start = std::max(packets_[index].start, link);
}

Cycle ExactFabric::next_event() const {
  const Cycle link = next_link();
  Cycle next = link == kNever ? kNever : link - to_first_link();
  if (next_exit_ != kNever) next = std::min(next, next_exit_ - to_first_exit());
  return next;
}

}  // namespace kerr::emu
