#include "report/timeline/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace kerr::report {

using emu::Agent;
using emu::MessageKind;
using emu::TileId;

namespace {

constexpr size_t kMostSegments = 1'000'000;
constexpr size_t kShown = 8;

bool is_answer(MessageKind kind) {
  return kind == MessageKind::ReadResponse || kind == MessageKind::WriteAck || kind == MessageKind::AtomicResponse;
}

// The last element that begins (arrives, leaves) at `at` or before.
template <class T, class Time>
const T* last_until(const std::vector<T>& list, Cycle at, Time time) {
  const auto next = std::upper_bound(list.begin(), list.end(), at, [&](Cycle c, const T& t) { return c < time(t); });
  return next == list.begin() ? nullptr : &*std::prev(next);
}

struct Place {
  TileId tile;
  Agent agent{};
  Cycle time = 0;
};

// The hart that went to sleep last before `end`: until then it was busy with the program.
std::optional<Place> last_busy(const Timeline& timeline, Cycle begin, Cycle end, int chip) {
  std::optional<Place> last;
  timeline.for_each_node(
      [&](const Node& node, uint8_t number) {
        if (node.of(Agent::Thread0).acted + node.of(Agent::Thread1).acted + node.of(Agent::Thread2).acted == 0) return;
        const Node::Actions& brisc = node.of(Agent::Brisc);
        const Wait* wait = last_until(brisc.waits, end, [](const Wait& w) { return w.begin; });
        if (!wait || wait->begin < begin) return;
        const Cycle busy_until = wait->end < end ? std::min(end, brisc.last) : wait->begin;
        const TileId tile{static_cast<uint8_t>(chip), number};
        if (!last || busy_until > last->time) last = Place{tile, Agent::Brisc, busy_until};
      },
      chip);
  return last;
}

class Walk {
 public:
  Walk(const Timeline& timeline, Cycle begin) : timeline_(timeline), begin_(begin) {}

  std::vector<PathSegment> from(Place place) {
    while (place.time > begin_ && path_.size() < kMostSegments) place = step(place);
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  Place step(const Place& at) {
    const Node::Actions& agent = timeline_.node(at.tile.node, at.tile.chip)->of(at.agent);
    const Wait* wait = last_until(agent.waits, at.time - 1, [](const Wait& w) { return w.begin; });
    if (!wait || wait->end <= begin_) {
      add({{begin_, at.time}, PathSegment::Kind::Work, at.tile, at.tile, at.agent});
      return {at.tile, at.agent, begin_};
    }
    const Cycle ended = std::min(wait->end, at.time);
    add({{ended, at.time}, PathSegment::Kind::Work, at.tile, at.tile, at.agent});
    const bool known = wait->by != Agent::Host && wait->released > wait->begin && wait->released <= ended;
    if (!known) return waited(at, *wait, ended);
    if (wait->by == Agent::Inbox) return along_packet(at, *wait, ended);
    add({{wait->released, ended}, PathSegment::Kind::Work, at.tile, at.tile, at.agent});
    return {at.tile, wait->by, wait->released};
  }

  Place waited(const Place& at, const Wait& wait, Cycle until) {
    const Cycle since = std::max(wait.begin, begin_);
    add({{since, until}, PathSegment::Kind::Wait, at.tile, at.tile, at.agent, wait.reason, wait.credit});
    return {at.tile, at.agent, since};
  }

  Place along_packet(const Place& at, const Wait& wait, Cycle ended) {
    const Arrival* packet = last_until(timeline_.node(at.tile.node, at.tile.chip)->arrivals, wait.released,
                                       [](const Arrival& a) { return a.arrival; });
    if (!packet || is_answer(packet->kind) || packet->source == at.tile) return waited(at, wait, ended);
    const Node* source = timeline_.node(packet->source.node, packet->source.chip);
    const Departure* sent =
        source ? last_until(source->departures, packet->sent, [](const Departure& d) { return d.sent; }) : nullptr;
    if (!sent || sent->by == Agent::Host) return waited(at, wait, ended);
    const Cycle left = std::max(packet->sent, begin_);
    add({{left, ended}, PathSegment::Kind::Packet, at.tile, packet->source, at.agent});
    return {packet->source, sent->by, left};
  }

  void add(PathSegment segment) {
    segment.begin = std::max(segment.begin, begin_);
    if (segment.end > segment.begin) path_.push_back(segment);
  }

  const Timeline& timeline_;
  const Cycle begin_;
  std::vector<PathSegment> path_;  // backwards
};

std::string place(TileId tile) { return fmt::format("({},{})", tile.x(), tile.y()); }

std::string what(const PathSegment& s) {
  switch (s.kind) {
    case PathSegment::Kind::Work: return fmt::format("{} works", name(s.agent));
    case PathSegment::Kind::Wait: return fmt::format("{} waits: {}", name(s.agent), name(s.reason, s.credit));
    case PathSegment::Kind::Packet: return "packet to another tile";
  }
  return "";
}

std::vector<std::pair<Cycle, std::string>> sums(const std::vector<PathSegment>& path) {
  std::map<std::string, Cycle> by_kind;
  for (const PathSegment& s : path) by_kind[what(s)] += s.end - s.begin;
  std::vector<std::pair<Cycle, std::string>> out;
  for (const auto& [kind, cycles] : by_kind) out.emplace_back(cycles, kind);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

}  // namespace

std::vector<PathSegment> critical_path(const Timeline& timeline, Cycle begin, Cycle end, int chip) {
  const std::optional<Place> last = last_busy(timeline, begin, end, chip);
  return last ? Walk(timeline, begin).from(*last) : std::vector<PathSegment>{};
}

std::string text(const std::vector<PathSegment>& path, const std::string& indent) {
  if (path.empty()) return indent + "critical path: no core did anything\n";
  const Cycle begin = path.front().begin;
  const double all = static_cast<double>(path.back().end - begin);
  std::string out =
      fmt::format("{}critical path: {} cycles, {} segments\n", indent, path.back().end - begin, path.size());
  for (const auto& [cycles, kind] : sums(path))
    out += fmt::format("{}  {:>5.1f} %  {:>9}  {}\n", indent, 100 * static_cast<double>(cycles) / all, cycles, kind);
  std::vector<PathSegment> longest = path;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto& a, const auto& b) { return a.end - a.begin > b.end - b.begin; });
  longest.resize(std::min(longest.size(), kShown));
  std::sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  out += fmt::format("{}its longest segments, from cycle to cycle:\n", indent);
  for (const PathSegment& s : longest) {
    const std::string where =
        s.kind == PathSegment::Kind::Packet ? place(s.source) + " to " + place(s.tile) : place(s.tile);
    out += fmt::format("{}  {:>9} {:>9}  {:<17} {}\n", indent, s.begin - begin, s.end - begin, where, what(s));
  }
  return out;
}

Json json(const std::vector<PathSegment>& path) {
  Json out = {{"cycles", path.empty() ? 0 : path.back().end - path.front().begin},
              {"sums", Json::object()},
              {"segments", Json::array()}};
  for (const auto& [cycles, kind] : sums(path)) out["sums"][kind] = cycles;
  for (const PathSegment& s : path) {
    Json segment = {
        {"begin_cycles", s.begin}, {"end_cycles", s.end}, {"x", s.tile.x()}, {"y", s.tile.y()}, {"what", what(s)}};
    if (s.kind == PathSegment::Kind::Packet) segment["from"] = {s.source.x(), s.source.y()};
    out["segments"].push_back(segment);
  }
  return out;
}

}  // namespace kerr::report
