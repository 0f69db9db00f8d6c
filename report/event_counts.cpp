#include "report/event_counts.hpp"

#include <fmt/format.h>

#include "arch/grid.hpp"

namespace kerr::report {

using emu::Agent;

namespace {

// What an agent sees where an address means different things to different ones.
uint8_t accessor(Agent agent) {
  switch (agent) {
    case Agent::Brisc: return arch::kByBrisc;
    case Agent::Ncrisc: return arch::kByNcrisc;
    case Agent::Trisc0:
    case Agent::Trisc1:
    case Agent::Trisc2: return arch::kByTrisc;
    case Agent::Thread0:
    case Agent::Thread1:
    case Agent::Thread2: return arch::kByNoc | arch::kByTrisc;  // the scalar unit also reaches TDMA
    default: return arch::kByNoc;
  }
}

// kRegions if it lies in none: that access was a fault, and is not told.
size_t region_of(Agent agent, uint32_t address) {
  for (size_t i = 0; i < Events::kRegions; ++i) {
    const arch::Region& region = arch::kTensixRegions[i];
    if ((region.accessors & accessor(agent)) && address - region.base < region.bytes) return i;
  }
  return Events::kRegions;
}

template <class Do>
void for_each_agent(Do body) {
  for (size_t i = 0; i < Events::kAgents; ++i) body(i, std::string(emu::name(static_cast<Agent>(i))));
}

}  // namespace

Events& Events::operator+=(const Events& other) {
  for (size_t i = 0; i < kAgents; ++i) {
    instructions[i] += other.instructions[i];
    for (size_t k = 0; k < kRegions; ++k) {
      accesses[i][k].loads += other.accesses[i][k].loads;
      accesses[i][k].stores += other.accesses[i][k].stores;
    }
  }
  for (size_t i = 0; i < packets.size(); ++i) {
    packets[i].left += other.packets[i].left;
    packets[i].arrived += other.packets[i].arrived;
    packets[i].bytes += other.packets[i].bytes;
    packets[i].multicasts += other.packets[i].multicasts;
  }
  return *this;
}

EventCounts::EventCounts() : nodes_(size_t{emu::kMostChips} * arch::kGridTiles) {}
EventCounts::~EventCounts() = default;

Events& EventCounts::of(emu::TileId tile) {
  std::unique_ptr<Events>& events = nodes_[size_t{tile.chip} * arch::kGridTiles + tile.node];
  if (!events) events = std::make_unique<Events>();
  return *events;
}

void EventCounts::retired(const emu::Actor& who, uint32_t, uint32_t) {
  ++of(who.tile).instructions[static_cast<size_t>(who.agent)];
}

void EventCounts::issued(const emu::Actor& who, uint32_t) {
  ++of(who.tile).instructions[static_cast<size_t>(who.agent)];
}

void EventCounts::accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t, uint32_t) {
  const size_t region = region_of(who.agent, address);
  if (region == Events::kRegions) return;
  Events::Accesses& accesses = of(who.tile).accesses[static_cast<size_t>(who.agent)][region];
  if (kind != emu::AccessKind::Store) ++accesses.loads;
  if (kind != emu::AccessKind::Load) ++accesses.stores;
}

void EventCounts::packet_left(const emu::Actor&, const emu::Message& message, int) {
  Events::Packets& packets = of(message.source).packets[static_cast<size_t>(message.kind)];
  ++packets.left;
  packets.bytes += message.payload.size();
  if (message.multicast && message.packet == message.sequence) ++packets.multicasts;
}

void EventCounts::packet_arrived(const emu::Message& message) {
  ++of(message.destination).packets[static_cast<size_t>(message.kind)].arrived;
}

Events EventCounts::total() const {
  Events sum;
  for (const auto& events : nodes_) {
    if (events) sum += *events;
  }
  return sum;
}

std::string text(const Events& events, const std::string& indent) {
  std::string out;
  for_each_agent([&](size_t agent, const std::string& who) {
    if (events.instructions[agent] != 0)
      out += fmt::format("{}{:<7} {:>14} instructions\n", indent, who, events.instructions[agent]);
  });
  for_each_agent([&](size_t agent, const std::string& who) {
    for (size_t i = 0; i < Events::kRegions; ++i) {
      const Events::Accesses& a = events.accesses[agent][i];
      if (a.loads + a.stores == 0) continue;
      out += fmt::format("{}{:<7} {:>14} loads {:>14} stores  {}\n", indent, who, a.loads, a.stores,
                         arch::kTensixRegions[i].name);
    }
  });
  for (size_t i = 0; i < events.packets.size(); ++i) {
    const Events::Packets& p = events.packets[i];
    if (p.left + p.arrived == 0) continue;
    out += fmt::format("{}NoC     {:>14} left {:>15} arrived {}{}{}\n", indent, p.left, p.arrived,
                       name(static_cast<emu::MessageKind>(i)), p.bytes != 0 ? fmt::format(", {} bytes", p.bytes) : "",
                       p.multicasts != 0 ? fmt::format(", {} multicasts", p.multicasts) : "");
  }
  return out;
}

Json json(const Events& events) {
  Json instructions = Json::object(), accesses = Json::array(), packets = Json::array();
  for_each_agent([&](size_t agent, const std::string& who) {
    if (events.instructions[agent] != 0) instructions[who] = events.instructions[agent];
    for (size_t i = 0; i < Events::kRegions; ++i) {
      const Events::Accesses& a = events.accesses[agent][i];
      if (a.loads + a.stores == 0) continue;
      accesses.push_back(
          {{"agent", who}, {"region", arch::kTensixRegions[i].name}, {"loads", a.loads}, {"stores", a.stores}});
    }
  });
  for (size_t i = 0; i < events.packets.size(); ++i) {
    const Events::Packets& p = events.packets[i];
    if (p.left + p.arrived == 0) continue;
    packets.push_back({{"kind", name(static_cast<emu::MessageKind>(i))},
                       {"left", p.left},
                       {"arrived", p.arrived},
                       {"bytes", p.bytes},
                       {"multicasts", p.multicasts}});
  }
  return {{"instructions", instructions}, {"accesses", accesses}, {"packets", packets}};
}

}  // namespace kerr::report
