#include "report/timeline/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "report/timeline/utilisation.hpp"

namespace kerr::report {

using emu::Agent;
using emu::TileId;

namespace {

constexpr int kFirstNocProcess = 1000;  // beside the processes of nodes, which have the node's number
constexpr int kFirstUnitTrack = 100;    // beside the tracks of agents

class Writer {
 public:
  Writer(const std::function<void(std::string_view)>& write, Cycle begin, Cycle end, double per_us)
      : write_(write), begin_(begin), end_(end), per_us_(per_us) {}
  void process(int pid, const std::string& name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})", pid, name));
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", pid, pid));
  }
  void track(int pid, int tid, std::string_view name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", pid, tid, name));
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", pid,
                      tid, tid));
  }
  void slice(int pid, int tid, const Span& span, std::string_view name) {
    if (span.inside(begin_, end_) == 0) return;
    const Cycle first = std::max(span.begin, begin_), last = std::min(span.end, end_);
    // Slices of a track must nest: where one ends the next may begin, so both ends are rounded, not a length.
    const uint64_t ts = ticks(first), dur = ticks(last) - ts;
    event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{}.{:04},"dur":{}.{:04},"name":"{}"}})", pid, tid,
                      ts / kTicks, ts % kTicks, dur / kTicks, dur % kTicks, name));
  }
  void finish() { write_(text_ + "\n]}\n"); }

  Cycle begin() const { return begin_; }
  Cycle end() const { return end_; }

 private:
  static constexpr size_t kPartBytes = 1 << 16;
  static constexpr uint64_t kTicks = 10'000;  // of a microsecond: a cycle is seven or eight

  uint64_t ticks(Cycle cycle) const {
    return static_cast<uint64_t>(std::llround(static_cast<double>(cycle - begin_) * kTicks / per_us_));
  }
  void event(const std::string& text) {
    if (!first_) text_ += ",\n";
    first_ = false;
    text_ += text;
    if (text_.size() < kPartBytes) return;
    write_(text_);
    text_.clear();
  }

  const std::function<void(std::string_view)>& write_;
  std::string text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";  // that is not written yet
  const Cycle begin_, end_;
  const double per_us_;
  bool first_ = true;
};

// Between its waits it works.
void write_agent(Writer& w, int pid, int tid, const Node::Actions& agent) {
  Cycle from = agent.first;
  for (const Wait& wait : agent.waits) {
    w.slice(pid, tid, {from, wait.begin}, "works");
    w.slice(pid, tid, wait, "waits: " + name(wait.reason, wait.credit));
    from = wait.end;
  }
  if (from <= agent.last) w.slice(pid, tid, {from, agent.last + 1}, "works");
}

void write_tile(Writer& w, const Node& node, TileId tile) {
  const int pid = tile.node;
  w.process(pid, fmt::format("tile ({},{})", tile.x(), tile.y()));
  for (const Agent agent : kActing) {
    const Node::Actions& of = node.of(agent);
    if (!of.acted) continue;
    const int tid = static_cast<int>(agent);
    w.track(pid, tid, name(agent));
    write_agent(w, pid, tid, of);
  }
  for (size_t unit = 0; unit < node.units.size(); ++unit) {
    if (node.units[unit].empty() || unit_name(unit).empty()) continue;
    const int tid = kFirstUnitTrack + static_cast<int>(unit);
    w.track(pid, tid, unit_name(unit));
    for (const Span& span : node.units[unit]) w.slice(pid, tid, span, "busy");
  }
}

bool acted(const Node& node) { return std::ranges::any_of(node.agents, &Node::Actions::acted); }

}  // namespace

uint64_t estimated_trace_bytes(const Timeline& timeline, Cycle begin, Cycle end) {
  constexpr uint64_t kSliceBytes = 86;  // of typical runs
  const auto inside = [&](const auto& spans) {
    return static_cast<uint64_t>(
        std::ranges::count_if(spans, [&](const Span& s) { return s.inside(begin, end) != 0; }));
  };
  uint64_t slices = 0;
  timeline.for_each_node([&](const Node& node, uint8_t) {
    if (acted(node)) {
      for (const Node::Actions& agent : node.agents) slices += 2 * inside(agent.waits);
      for (const auto& unit : node.units) slices += inside(unit);
    }
    for (const auto& noc : node.links) {
      for (const auto& link : noc) slices += inside(link);
    }
  });
  return slices * kSliceBytes;
}

void write_trace(const std::function<void(std::string_view)>& write, const Timeline& timeline, Cycle begin, Cycle end,
                 double cycles_per_microsecond) {
  Writer w(write, begin, end, cycles_per_microsecond);
  timeline.for_each_node([&](const Node& node, uint8_t number) {
    if (acted(node)) write_tile(w, node, {0, number});
  });
  const Utilisation used = utilisation(timeline, begin, end);
  for (int noc = 0; noc < arch::kNocs; ++noc) w.process(kFirstNocProcess + noc, fmt::format("NoC {}", noc));
  for (const Utilisation::Link& link : used.links) {
    const int pid = kFirstNocProcess + link.noc;
    const int tid = link.from * static_cast<int>(Node::kWays) + static_cast<int>(link.way);
    w.track(pid, tid, link_name(link));
    for (const LinkBusy& span : timeline.node(link.from)->links[link.noc][static_cast<size_t>(link.way)])
      w.slice(pid, tid, span, "packets");
  }
  w.finish();
}

}  // namespace kerr::report
