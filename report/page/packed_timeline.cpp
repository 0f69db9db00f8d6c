#include "report/page/packed_timeline.hpp"

#include <algorithm>

#include "report/page/packed.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::report {

using emu::Agent;

namespace {

enum Kind : uint8_t { kAgent, kUnit, kLink };

// Elements of a track that lie in [begin, end), cut to it, as columns.
class Columns {
 public:
  Columns(Cycle begin, Cycle end) : begin_(begin), end_(end), last_(begin) {}

  template <class... More>
  void add(const Span& span, More... more) {
    if (span.inside(begin_, end_) == 0) return;
    // Two waits may share a cycle: the first one has it.
    const Cycle first = std::max({span.begin, begin_, last_}), last = std::min(span.end, end_);
    if (last <= first) return;
    const uint64_t numbers[] = {first - last_, last - first, static_cast<uint64_t>(more)...};
    for (size_t i = 0; i < std::size(numbers); ++i) put_number(columns_[i], numbers[i]);
    last_ = last;
    ++count_;
  }
  uint64_t count() const { return count_; }
  std::string bytes() const { return columns_[0] + columns_[1] + columns_[2]; }

 private:
  const Cycle begin_, end_;
  Cycle last_;
  uint64_t count_ = 0;
  std::string columns_[3];
};

class Tracks {
 public:
  Tracks(Cycle begin, Cycle end, ReasonTable& reasons) : begin_(begin), end_(end), reasons_(reasons) {}

  void add(const Node& node, uint8_t number) {
    for (const Agent agent : kActing) {
      const Node::Actions& of = node.of(agent);
      if (!of.acted || of.first >= end_) continue;
      Columns columns(begin_, end_);
      for (const Wait& wait : of.waits) columns.add(wait, reasons_.index(wait.reason, wait.credit));
      std::string acted;
      put_number(acted, cut(of.first));
      put_number(acted, cut(of.last + 1));
      add(kAgent, number, static_cast<uint64_t>(agent), columns.count(), acted + columns.bytes());
    }
    for (size_t unit = 0; unit < node.units.size(); ++unit) {
      if (!unit_name(unit).empty()) spans(kUnit, number, unit, node.units[unit]);
    }
    for (size_t noc = 0; noc < arch::kNocs; ++noc) {
      for (size_t way = 0; way < Node::kWays; ++way) {
        Columns columns(begin_, end_);
        for (const LinkBusy& span : node.links[noc][way]) columns.add(span, span.waited);
        if (columns.count() != 0) add(kLink, number, noc * Node::kWays + way, columns.count(), columns.bytes());
      }
    }
  }
  void append_to(std::string& bytes) const {
    put_number(bytes, count_);
    bytes += bytes_;
  }

 private:
  Cycle cut(Cycle cycle) const { return std::clamp(cycle, begin_, end_) - begin_; }
  void add(Kind kind, uint8_t node, uint64_t id, uint64_t count, const std::string& bytes) {
    ++count_;
    for (const uint64_t number : {uint64_t{kind}, uint64_t{node}, id, count, uint64_t{bytes.size()}})
      put_number(bytes_, number);
    bytes_ += bytes;
  }
  void spans(Kind kind, uint8_t node, uint64_t id, const std::vector<Span>& all) {
    Columns columns(begin_, end_);
    for (const Span& span : all) columns.add(span);
    if (columns.count() != 0) add(kind, node, id, columns.count(), columns.bytes());
  }

  const Cycle begin_, end_;
  ReasonTable& reasons_;
  uint64_t count_ = 0;
  std::string bytes_;
};

// One list for each node that has any.
class Lists {
 public:
  template <class List, class Numbers>
  void add(uint8_t node, const List& list, Numbers&& numbers) {
    std::string columns[5];
    uint64_t count = 0;
    for (const auto& element : list) {
      size_t column = 0;
      for (const uint64_t number : numbers(element)) put_number(columns[column++], number);
      count += column != 0;
    }
    if (count == 0) return;
    ++nodes_;
    put_number(bytes_, node);
    put_number(bytes_, count);
    std::string all;
    for (const std::string& column : columns) all += column;
    put_number(bytes_, all.size());
    bytes_ += all;
  }
  void append_to(std::string& bytes) const {
    put_number(bytes, nodes_);
    bytes += bytes_;
  }

 private:
  uint64_t nodes_ = 0;
  std::string bytes_;
};

}  // namespace

size_t ReasonTable::index(Reason reason, Credit credit) {
  if (reason != Reason::Stream) credit = {};
  const auto [at, is_new] = known_.try_emplace({reason, credit}, names_.size());
  if (is_new) names_.push_back(name(reason, credit));
  return at->second;
}

void pack_tracks(std::string& bytes, const Timeline& timeline, int chip, Cycle begin, Cycle end, ReasonTable& reasons) {
  Tracks tracks(begin, end, reasons);
  timeline.for_each_node([&](const Node& node, uint8_t number) { tracks.add(node, number); }, chip);
  tracks.append_to(bytes);
}

void pack_packets(std::string& bytes, const Timeline& timeline, int chip, Cycle begin, Cycle end) {
  Lists lists;
  timeline.for_each_node(
      [&](const Node& node, uint8_t number) {
        // Packets are told when they arrive; those of one window need not be in the order of their arrival.
        std::vector<Arrival> arrivals;
        for (const Arrival& a : node.arrivals)
          if (a.arrival >= begin && a.arrival < end && a.source.chip == chip) arrivals.push_back(a);
        std::ranges::stable_sort(arrivals, {}, &Arrival::arrival);
        Cycle last = begin;
        lists.add(number, arrivals, [&](const Arrival& a) {
          const uint64_t since = a.arrival - last;
          last = a.arrival;
          return std::vector<uint64_t>{since, a.arrival - std::min(a.sent, a.arrival), a.source.node,
                                       static_cast<uint64_t>(a.kind), a.bytes};
        });
      },
      chip);
  lists.append_to(bytes);
}

void pack_path(std::string& bytes, const std::vector<PathSegment>& path, ReasonTable& reasons) {
  put_number(bytes, path.size());
  std::string columns[6];
  for (const PathSegment& s : path) {
    const uint64_t numbers[] = {s.end - s.begin, static_cast<uint64_t>(s.kind),  s.tile.node,
                                s.source.node,   static_cast<uint64_t>(s.agent), reasons.index(s.reason, s.credit)};
    for (size_t i = 0; i < std::size(numbers); ++i) put_number(columns[i], numbers[i]);
  }
  for (const std::string& column : columns) bytes += column;
}

void pack_credits(std::string& bytes, const Profile& profile, int chip, Cycle begin, Cycle end) {
  Lists lists;
  for (int node = 0; node < arch::kGridTiles; ++node) {
    Cycle last = begin;
    lists.add(static_cast<uint8_t>(node), profile.credits(static_cast<uint8_t>(node), chip),
              [&](const CreditStored& c) {
                // Counters begin with what was stored before. The cycles of two harts may overlap a little.
                if (c.cycle >= end) return std::vector<uint64_t>{};
                const uint64_t since = std::max(c.cycle, last) - last;
                last = std::max(c.cycle, last);
                return std::vector<uint64_t>{since, c.counter.buffer * uint64_t{2} + c.counter.room, c.value};
              });
  }
  lists.append_to(bytes);
}

}  // namespace kerr::report
