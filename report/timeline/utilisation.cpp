#include "report/timeline/utilisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "isa/tensix/resources.hpp"

namespace kerr::report {

using emu::Agent;
using emu::LinkUse;
using isa::tensix::Unit;

namespace {

constexpr double kWorthALine = 0.005;

template <class Spans>
Cycle inside(const Spans& spans, Cycle begin, Cycle end) {
  Cycle sum = 0;
  for (const auto& span : spans) sum += span.inside(begin, end);
  return sum;
}

size_t index(Agent agent) { return static_cast<size_t>(agent); }

Utilisation::Core core_of(const Node& node, uint8_t number, Cycle begin, Cycle end) {
  const double all = static_cast<double>(end - begin);
  Utilisation::Core core;
  core.node = number;
  for (size_t unit = 0; unit < core.units.size(); ++unit)
    core.units[unit] = static_cast<double>(inside(node.units[unit], begin, end)) / all;
  for (const Agent agent : kActing) {
    const Node::Actions& of = node.of(agent);
    auto& waiting = core.waiting[index(agent)];
    double rest = of.acted ? 1 : 0;
    for (const Wait& wait : of.waits) {
      const double share = static_cast<double>(wait.inside(begin, end)) / all;
      waiting[static_cast<size_t>(wait.reason)] += share;
      if (share > 0 && wait.credit.buffer != Credit::kNoBuffer) core.credits[index(agent)][wait.credit] += share;
      rest -= share;
    }
    core.busy[index(agent)] = std::max(rest, 0.0);
  }
  return core;
}

bool computed(const Node& node, Cycle begin, Cycle end) {
  return std::any_of(node.units.begin(), node.units.end(), [&](const auto& u) { return inside(u, begin, end) != 0; });
}

// The cores with an agent that was busier than on most cores: firmware that waits for work does a little, too.
std::vector<Utilisation::Core> busier_than_most(const std::vector<Utilisation::Core>& all) {
  constexpr double kMore = 0.01;
  std::array<double, Utilisation::kAgents> usual{};
  for (size_t agent = 0; agent < usual.size() && !all.empty(); ++agent) {
    std::vector<double> shares;
    for (const Utilisation::Core& core : all) shares.push_back(core.busy[agent]);
    std::nth_element(shares.begin(), shares.begin() + static_cast<ptrdiff_t>(shares.size() / 2), shares.end());
    usual[agent] = shares[shares.size() / 2];
  }
  std::vector<Utilisation::Core> out;
  for (const Utilisation::Core& core : all) {
    for (size_t agent = 0; agent < usual.size(); ++agent) {
      if (core.busy[agent] <= usual[agent] + kMore) continue;
      out.push_back(core);
      break;
    }
  }
  return out.empty() ? all : out;  // all do the same
}

Share share_of(const std::vector<Utilisation::Core>& cores,
               const std::function<double(const Utilisation::Core&)>& value) {
  Share share;
  if (cores.empty()) return share;
  share.least = 1;
  for (const Utilisation::Core& core : cores) {
    const double v = value(core);
    share.mean += v / static_cast<double>(cores.size());
    share.least = std::min(share.least, v);
    share.most = std::max(share.most, v);
  }
  return share;
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

// What an agent of all cores waits for, the longest first; circular buffers one by one.
std::vector<std::pair<double, std::string>> reasons(const Utilisation& u, Agent agent) {
  std::map<Credit, double> credits;
  double all_credits = 0;
  for (const Utilisation::Core& core : u.cores) {
    for (const auto& [credit, share] : core.credits[index(agent)]) {
      credits[credit] += share / static_cast<double>(u.cores.size());
      all_credits += share / static_cast<double>(u.cores.size());
    }
  }
  std::vector<std::pair<double, std::string>> out;
  for (size_t r = 0; r < kReasons; ++r) {
    const auto reason = static_cast<Reason>(r);
    double mean = share_of(u.cores, [&](const auto& core) { return core.waiting[index(agent)][r]; }).mean;
    if (reason == Reason::Stream) mean -= all_credits;
    if (mean > 0) out.emplace_back(mean, name(reason));
  }
  for (const auto& [credit, share] : credits) out.emplace_back(share, name(Reason::Stream, credit));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

}  // namespace

std::string_view unit_name(size_t unit) {
  if (unit == emu::kUnpacker1) return "unpacker 1";
  switch (static_cast<Unit>(unit)) {
    case Unit::Fpu: return "FPU";
    case Unit::Sfpu: return "SFPU";
    case Unit::Unpack: return "unpacker 0";
    case Unit::Pack: return "packer";
    case Unit::Scalar: return "scalar unit";
    case Unit::Config: return "config unit";
    case Unit::Mover: return "mover";
    default: return "";
  }
}

std::string link_name(const Utilisation::Link& link) {
  constexpr std::string_view ways[2][Node::kWays] = {{"east", "south", "into the tile"},
                                                     {"west", "north", "into the tile"}};
  const emu::TileId from{0, link.from};
  return fmt::format("NoC {} ({},{}) {}", link.noc, from.x(), from.y(), ways[link.noc][static_cast<size_t>(link.way)]);
}

Share Utilisation::of_unit(size_t unit) const {
  return share_of(cores, [unit](const Core& core) { return core.units[unit]; });
}
Share Utilisation::of_agent(Agent agent) const {
  return share_of(cores, [agent](const Core& core) { return core.busy[index(agent)]; });
}

Utilisation utilisation(const Timeline& timeline, Cycle begin, Cycle end, const emu::timing::Parameters& parameters) {
  Utilisation out;
  out.begin = begin;
  out.end = end;
  const double all = static_cast<double>(end - begin);
  timeline.for_each_node([&](const Node& node, uint8_t number) {
    if (computed(node, begin, end)) out.cores.push_back(core_of(node, number, begin, end));
    for (size_t noc = 0; noc < arch::kNocs; ++noc) {
      for (size_t way = 0; way < Node::kWays; ++way) {
        const auto& spans = node.links[noc][way];
        const Cycle busy = inside(spans, begin, end);
        if (busy == 0) continue;
        Cycle waited = 0;
        for (const LinkBusy& span : spans) waited += span.inside(begin, end) != 0 ? span.waited : 0;
        out.links.push_back({static_cast<uint8_t>(noc), number, static_cast<LinkUse::Way>(way),
                             static_cast<double>(busy) / all, static_cast<double>(waited) / all});
      }
    }
  });
  if (out.cores.empty()) {
    std::vector<Utilisation::Core> acted;
    timeline.for_each_node([&](const Node& node, uint8_t number) {
      const bool any = std::any_of(kActing.begin(), kActing.end(), [&](Agent agent) { return node.of(agent).acted; });
      if (any) acted.push_back(core_of(node, number, begin, end));
    });
    out.cores = busier_than_most(acted);
  }
  std::stable_sort(out.links.begin(), out.links.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });

  for (int bank = 0; bank < arch::kDramBanks; ++bank) {
    uint64_t bytes = 0;
    for (int port = 0; port < arch::kDramPorts; ++port) {
      const arch::NocCoord at = arch::dram_tile(bank, port);
      const Node* node = timeline.node(emu::TileId::at(0, at.x, at.y).node);
      if (!node) continue;
      for (const Arrival& a : node->arrivals) bytes += a.arrival >= begin && a.arrival < end ? a.bytes : 0;
    }
    const double rate = parameters.dram_tenth_bytes_per_cycle / 10.0;
    if (bytes != 0) out.banks.push_back({bank, bytes, static_cast<double>(bytes) / rate / all});
  }
  return out;
}

std::string text(const Utilisation& u, const std::string& indent) {
  const bool any_computed = std::any_of(u.cores.begin(), u.cores.end(), [](const Utilisation::Core& core) {
    return std::any_of(core.units.begin(), core.units.end(), [](double share) { return share > 0; });
  });
  std::string out =
      fmt::format("{}{} core{} {}, {} cycles in all\n", indent, u.cores.size(), u.cores.size() == 1 ? "" : "s",
                  any_computed ? "that computed" : "whose harts worked", u.end - u.begin);
  out += fmt::format("{}{:<12} {:>8} {:>8} {:>8}\n", indent, "busy", "mean", "least", "most");
  const auto line = [&](std::string_view who, const Share& share) {
    out += fmt::format("{}{:<12} {:>8} {:>8} {:>8}", indent, who, percent(share.mean), percent(share.least),
                       percent(share.most));
  };
  for (const size_t unit : {static_cast<size_t>(Unit::Fpu), static_cast<size_t>(Unit::Sfpu),
                            static_cast<size_t>(Unit::Unpack), emu::kUnpacker1, static_cast<size_t>(Unit::Pack)}) {
    line(unit_name(unit), u.of_unit(unit));
    out += '\n';
  }
  for (const Agent agent : kActing) {
    line(name(agent), u.of_agent(agent));
    std::string waits;
    for (const auto& [share, reason] : reasons(u, agent)) {
      if (share >= kWorthALine)
        waits += fmt::format("{} {} {}", waits.empty() ? "  waits:" : ",", reason, percent(share));
    }
    out += waits + '\n';
  }
  for (size_t i = 0; i < std::min<size_t>(u.links.size(), 5); ++i) {
    out += fmt::format("{}{:<26} {:>8} busy, {:.2f} packets before it\n", indent, link_name(u.links[i]),
                       percent(u.links[i].busy), u.links[i].queue);
  }
  for (const Utilisation::Bank& bank : u.banks)
    out += fmt::format("{}DRAM bank {:<16} {:>8} busy, {} bytes\n", indent, bank.bank, percent(bank.busy), bank.bytes);
  return out;
}

Json json(const Utilisation& u) {
  Json out = {{"begin_cycles", u.begin},
              {"end_cycles", u.end},
              {"cores", Json::array()},
              {"links", Json::array()},
              {"dram_banks", Json::array()}};
  for (const Utilisation::Core& core : u.cores) {
    const emu::TileId tile{0, core.node};
    Json units = Json::object(), agents = Json::object();
    for (size_t unit = 0; unit < core.units.size(); ++unit) {
      if (core.units[unit] > 0 && !unit_name(unit).empty()) units[std::string(unit_name(unit))] = core.units[unit];
    }
    for (const Agent agent : kActing) {
      Json waits = Json::object();
      for (size_t r = 0; r < kReasons; ++r) {
        const double share = core.waiting[index(agent)][r];
        if (share > 0) waits[std::string(name(static_cast<Reason>(r)))] = share;
      }
      Json buffers = Json::object();
      for (const auto& [credit, share] : core.credits[index(agent)]) buffers[name(Reason::Stream, credit)] = share;
      agents[std::string(name(agent))] = {{"busy", core.busy[index(agent)]}, {"waits", waits}, {"buffers", buffers}};
    }
    out["cores"].push_back({{"x", tile.x()}, {"y", tile.y()}, {"units", units}, {"agents", agents}});
  }
  for (const Utilisation::Link& link : u.links) {
    const emu::TileId from{0, link.from};
    out["links"].push_back({{"link", link_name(link)},
                            {"noc", link.noc},
                            {"x", from.x()},
                            {"y", from.y()},
                            {"busy", link.busy},
                            {"queue", link.queue}});
  }
  for (const Utilisation::Bank& bank : u.banks)
    out["dram_banks"].push_back({{"bank", bank.bank}, {"bytes", bank.bytes}, {"busy", bank.busy}});
  return out;
}

}  // namespace kerr::report
