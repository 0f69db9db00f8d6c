#include "emu/noc/exact_fabric.hpp"

#include <algorithm>
#include <utility>

namespace kerr::emu {

using namespace timing;

namespace {

unsigned distance(int from, int to, int size, bool backwards) {
  return static_cast<unsigned>(((backwards ? from - to : to - from) + size) % size);
}

}  // namespace

void ExactFabric::push(std::vector<Event>& heap, const Event& event) {
  heap.push_back(event);
  std::push_heap(heap.begin(), heap.end(), later);
}

ExactFabric::Event ExactFabric::pop(std::vector<Event>& heap) {
  std::pop_heap(heap.begin(), heap.end(), later);
  const Event event = heap.back();
  heap.pop_back();
  return event;
}

// --- injection -----------------------------------------------------------------------------------------------------

void ExactFabric::inject(std::vector<Message>& sent) {
  for (std::size_t i = 0; i < sent.size();) {
    const std::uint32_t index = open(sent[i]);
    Packet& packet = packets_[index];
    const auto belongs = [source = sent[i].source, name = sent[i].packet](const Message& m) {
      return m.multicast && m.source == source && m.packet == name;
    };
    do {
      add_receiver(packet, std::move(sent[i++]));
    } while (i < sent.size() && belongs(sent[i]));
    stand(index, 0, 0, packet.sent - packet.flits + to_first_link());
  }
  sent.clear();
}

std::uint32_t ExactFabric::open(const Message& message) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t index = unused_.back();
  unused_.pop_back();
  Packet& packet = packets_[index];
  packet.source = message.source;
  packet.noc = message.noc;
  packet.y_first = message.multicast ? message.y_major : message.noc == 1;
  packet.flits = flits(message);
  packet.sent = message.sent;
  packet.order = std::uint64_t{message.source.node} << 56 | std::uint64_t{message.noc} << 55 | message.sequence;
  packet.trunk = 0;
  packet.branch = {};
  return index;
}

void ExactFabric::add_receiver(Packet& packet, Message&& message) {
  const TileId from = packet.source;
  const TileId to = message.destination;
  const bool backwards = packet.noc == 1;
  const unsigned x = distance(from.x(), to.x(), TileId::kColumns, backwards);
  const unsigned y = distance(from.y(), to.y(), TileId::kRows, backwards);
  const unsigned along_trunk = packet.y_first ? y : x;
  const unsigned along_branch = packet.y_first ? x : y;
  packet.trunk = static_cast<std::uint8_t>(std::max<unsigned>(packet.trunk, along_trunk));
  std::uint8_t& branch = packet.branch[along_trunk];
  branch = static_cast<std::uint8_t>(std::max<unsigned>(branch, along_branch));
  packet.stops.set(to.node);
  packet.receivers.push_back(std::move(message));
}

// --- movement ------------------------------------------------------------------------------------------------------

std::uint8_t ExactFabric::node(const Packet& packet, unsigned along_trunk, unsigned along_branch) const {
  const unsigned x = packet.y_first ? along_branch : along_trunk;
  const unsigned y = packet.y_first ? along_trunk : along_branch;
  const auto from_x = static_cast<unsigned>(packet.source.x());
  const auto from_y = static_cast<unsigned>(packet.source.y());
  const bool backwards = packet.noc == 1;
  const unsigned to_x = (backwards ? from_x + TileId::kColumns - x : from_x + x) % TileId::kColumns;
  const unsigned to_y = (backwards ? from_y + TileId::kRows - y : from_y + y) % TileId::kRows;
  return static_cast<std::uint8_t>(to_y * TileId::kColumns + to_x);
}

// The head is in a router: it asks for every way out that its tree takes.
void ExactFabric::stand(std::uint32_t index, unsigned along_trunk, unsigned along_branch, Cycle time) {
  const Packet& packet = packets_[index];
  Event event{time, packet.order, index, static_cast<std::uint8_t>(along_trunk),
              static_cast<std::uint8_t>(along_branch), false};
  if (packet.stops.test(node(packet, along_trunk, along_branch))) push(exits_, event);
  if (along_branch == 0 && along_trunk < packet.trunk) push(links_, event);
  event.branches = true;
  if (along_branch < packet.branch[along_trunk]) push(links_, event);
}

// Returns when the head enters the link.
Cycle ExactFabric::take(const Event& event, TileId from, Way way, const Packet& packet) {
  Cycle& free = free_[packet.noc][from.node][static_cast<std::size_t>(way)];
  const Cycle enters = std::max(event.time, free);
  free = enters + link_cycles(parameters_, packet.flits);
  if (observer_) observer_->link_taken({packet.noc, from, way, enters, free, enters - event.time});
  return enters;
}

void ExactFabric::cross(const Event& event) {
  const Packet& packet = packets_[event.packet];
  const TileId from{packet.source.chip, node(packet, event.along_trunk, event.along_branch)};
  const Cycle enters = take(event, from, event.branches == packet.y_first ? Way::X : Way::Y, packet);
  stand(event.packet, event.along_trunk + !event.branches, event.along_branch + event.branches,
        enters + parameters_.noc_hop);
}

void ExactFabric::leave(const Event& event, std::vector<Message>& delivered) {
  Packet& packet = packets_[event.packet];
  const std::uint8_t at = node(packet, event.along_trunk, event.along_branch);
  const Cycle enters = take(event, {packet.source.chip, at}, Way::Exit, packet);
  const auto receiver = std::find_if(packet.receivers.begin(), packet.receivers.end(),
                                     [at](const Message& m) { return m.destination.node == at; });
  receiver->arrival = enters + parameters_.noc_router_to_niu + packet.flits - 1;
  delivered.push_back(std::move(*receiver));
  packet.receivers.erase(receiver);
  packet.stops.reset(at);
  if (packet.receivers.empty()) unused_.push_back(event.packet);
}

void ExactFabric::advance(Cycle end, std::vector<Message>& delivered) {
  while (!links_.empty() && links_.front().time < end + to_first_link()) cross(pop(links_));
  while (!exits_.empty() && exits_.front().time < end + to_first_exit()) leave(pop(exits_), delivered);
}

Cycle ExactFabric::next_event() const {
  Cycle next = kNever;
  if (!links_.empty()) next = links_.front().time - to_first_link();
  if (!exits_.empty()) next = std::min(next, exits_.front().time - to_first_exit());
  return next;
}

}  // namespace kerr::emu
