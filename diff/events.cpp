#include "diff/events.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "diff/event_recorder.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "notes/note_bytes.hpp"

namespace kerr::diff {

namespace {

constexpr emu::Cycle kStretch = 4096;
constexpr uint64_t kMostWaiting = uint64_t{1} << 23;  // events that the other run has not come to

/// A run before the eyes of a recorder, on one thread.
class Run {
 public:
  Run(const std::string& log, const emu::LogInfo& info, const std::vector<uint8_t>& snapshot)
      : recorder(info.machine.options().boards), machine_(options_of(info)) {
    if (!snapshot.empty()) emu::load_snapshot(machine_, snapshot);
    replay_ = std::make_unique<emu::Replay>(machine_, log, emu::is_unfinished_log(log), &notes_);
  }

  emu::Cycle now() const { return machine_.now(); }
  bool ended() const { return ended_; }
  void advance(emu::Cycle until) {
    if (!ended_) ended_ = !replay_->run(until);
  }

  EventRecorder recorder;

 private:
  emu::Options options_of(const emu::LogInfo& info) {
    emu::Options options = info.machine.options();
    options.shards = 1;
    options.observer = &recorder;
    return options;
  }

  notes::ReplayedNotes notes_{[this](const arch::note::Note& note, emu::Cycle cycle) { recorder.noted(note, cycle); }};
  emu::Machine machine_;
  std::unique_ptr<emu::Replay> replay_;
  bool ended_ = false;
};

class Comparison {
 public:
  Comparison(Run& a, Run& b) : a_(a), b_(b) {}

  // Takes out what is the same.
  void pair() {
    for (const Run* const run : {&a_, &b_})
      for (const Place& place : run->recorder.places()) lines_.try_emplace(place);
    for (auto& [place, line] : lines_) {
      std::deque<Event>& x = a_.recorder.events(place);
      std::deque<Event>& y = b_.recorder.events(place);
      uint64_t taken = 0;
      while (!x.empty() && !y.empty() && x.front().same_as(y.front())) {
        line.before = x.front();
        x.pop_front();
        y.pop_front();
        ++taken;
      }
      line.equal += taken;
      equal += taken;
      a_.recorder.taken(taken);
      b_.recorder.taken(taken);
    }
  }

  // The place whose next event is not the same in both runs, and the earliest in A. `over`: nothing comes any more.
  const Place* first(bool data, bool over) {
    const Place* best = nullptr;
    emu::Cycle earliest = emu::kNever;
    for (const auto& [place, line] : lines_) {
      if ((place.agent == emu::Agent::Inbox) != data || !parts(place, over)) continue;
      if (const emu::Cycle cycle = cycle_of(place); cycle < earliest) {
        earliest = cycle;
        best = &place;
      }
    }
    return best;
  }

  // Whether A has done something before `cycle` that B may still come to.
  bool is_open(emu::Cycle cycle) {
    return std::ranges::any_of(lines_, [&](const auto& line) {
      const std::deque<Event>& x = a_.recorder.events(line.first);
      return line.first.agent != emu::Agent::Inbox && !x.empty() && x.front().cycle < cycle &&
             b_.recorder.events(line.first).empty();
    });
  }

  emu::Cycle cycle_of(const Place& place) {
    const std::deque<Event>& x = a_.recorder.events(place);
    return x.empty() ? b_.recorder.events(place).front().cycle : x.front().cycle;
  }

  Parting parting_of(const Place& place) {
    const Line& line = lines_.at(place);
    Parting out{.place = place, .equal = line.equal};
    if (const auto& x = a_.recorder.events(place); !x.empty()) out.a = side(a_, place, x.front());
    if (const auto& y = b_.recorder.events(place); !y.empty()) out.b = side(b_, place, y.front());
    if (line.before) out.before = side(a_, place, *line.before);
    return out;
  }

  std::vector<Place> others(const Place* but, bool over) {
    std::vector<Place> out;
    for (const auto& [place, line] : lines_)
      if (place.agent != emu::Agent::Inbox && (but == nullptr || place != *but) && parts(place, over))
        out.push_back(place);
    return out;
  }

  uint64_t equal = 0;

 private:
  struct Line {
    uint64_t equal = 0;
    std::optional<Event> before{};
  };

  bool parts(const Place& place, bool over) {
    const bool x = !a_.recorder.events(place).empty(), y = !b_.recorder.events(place).empty();
    return over ? x || y : x && y;
  }

  static Parting::Side side(const Run& run, const Place& place, const Event& event) {
    Parting::Side out{.event = event};
    if (place.agent == emu::Agent::Inbox) return out;
    const bool is_thread = place.agent >= emu::Agent::Thread0 && place.agent <= emu::Agent::Thread2;
    check::Site site{.who = is_thread ? check::Site::Who::Thread : check::Site::Who::Hart,
                     .tile = place.tile,
                     .agent = place.agent,
                     .cycle = event.cycle,
                     .word = event.word};
    if (event.pc != emu::Actor::kNoPc) {
      site.pc = event.pc;
      const auto thread = static_cast<int>(place.agent) - static_cast<int>(emu::Agent::Thread0);
      site.hart = is_thread ? static_cast<emu::Agent>(static_cast<int>(emu::Agent::Trisc0) + thread) : place.agent;
    }
    const bool is_access =
        event.kind == Event::Kind::Load || event.kind == Event::Kind::Store || event.kind == Event::Kind::Atomic;
    check::Finding finding{.then = site, .cycle = event.cycle, .tile = place.tile, .agent = place.agent};
    if (is_access && event.address < emu::l1_bytes(place.tile))
      finding.object = {check::Space::L1, place.tile, event.address, event.bytes};
    run.recorder.names().name(finding);
    out.site = finding.then;
    out.object = finding.object.name;
    return out;
  }

  Run& a_;
  Run& b_;
  std::map<Place, Line> lines_;
};

}  // namespace

Events compare_events(const std::string& a, const std::string& b, const Inputs& inputs, const States& states) {
  Run x(a, inputs.of[0], states.snapshots[0]), y(b, inputs.of[1], states.snapshots[1]);
  Comparison all(x, y);
  Events out{.begin = states.snapshots[0].empty() ? 0 : states.equal_until};
  const Place* first = nullptr;
  emu::Cycle until = std::max(x.now(), y.now());
  bool over = false;
  while (!over) {
    until += kStretch;
    if (first == nullptr) x.advance(until);
    y.advance(until);
    all.pair();
    over = x.ended() && y.ended();
    first = all.first(false, over);
    if (first != nullptr && !all.is_open(all.cycle_of(*first))) break;
    if (x.recorder.waiting() + y.recorder.waiting() > kMostWaiting) {
      out.gave_up = true;
      break;
    }
    if (first != nullptr && y.ended()) over = true;
  }
  if (over) first = all.first(false, true);
  out.equal = all.equal;
  if (first != nullptr) out.first = all.parting_of(*first);
  if (const Place* const data = all.first(true, over)) out.data = all.parting_of(*data);
  out.others = all.others(first, over);
  return out;
}

}  // namespace kerr::diff
