#include "debug/rewinder.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "emu/machine/snapshot.hpp"

namespace kerr::debug {

namespace {

using Clock = std::chrono::steady_clock;
using Standing = GdbServer::Standing;
constexpr size_t kMostSnapshots = 64;

int threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

Rewinder::Rewinder(emu::Machine& machine, std::string log, bool unfinished, GdbServer& server, emu::NoteListener* notes,
                   Beside beside)
    : machine_(machine), log_(std::move(log)), unfinished_(unfinished), server_(server), beside_(std::move(beside)) {
  notes_.to = notes;
  replay();
  snapshots_.push_back(taken());
  server_.target().set_repetition(this);
}

Rewinder::~Rewinder() { server_.target().set_repetition(nullptr); }

// From where the machine is.
void Rewinder::replay() {
  notes_.came = 0;
  replay_.emplace(machine_, log_, unfinished_, &notes_);
}

void Rewinder::run(Program program) {
  while (machine_.now() < program.begin && replay_->run(std::min(program.begin, next_stretch()))) keep_now_and_then();
  if (machine_.now() > snapshots_.back().cycle) snapshots_.push_back(taken());
  server_.begin_recorded(machine_, std::move(program.code));
  while (server_.has_client()) {
    if (const auto cycle = server_.goes_to()) {
      go_to_cycle(*cycle);
    } else if (server_.goes_back()) {
      go_back();
    } else if (advance()) {
      keep_now_and_then();
    } else if (server_.has_client() && !server_.goes_away()) {
      server_.stand(server_.session().at_end_of_time(false));
    }
  }
}

// --- time ------------------------------------------------------------------------------------------------------------

// A window, or some of the time in which nothing happens. False: the log is at its end.
bool Rewinder::advance() { return replay_->run(next_stretch()); }

emu::Cycle Rewinder::next_stretch() {
  constexpr emu::Cycle kMostIdle = 1 << 16;
  const emu::Cycle now = machine_.now();
  return std::clamp(machine_.next_event(), now + 1, now + kMostIdle);
}

// Where a window begins that has already been there, past all stops. False: the client has interrupted it.
bool Rewinder::go_to(emu::Cycle window) {
  restore(latest_until(window));
  server_.search([](const emu::Stop&) { return std::nullopt; });
  if (machine_.now() < window) replay_->run(window);
  if (!server_.searches()) return false;
  server_.search(nullptr);
  if (near_.bytes.empty() || near_.cycle != window) near_ = taken();
  return true;
}

// As long as this is the first time that the machine is here. When there are too many, every second one goes.
void Rewinder::keep_now_and_then() {
  if (machine_.now() <= snapshots_.back().cycle || Clock::now() - kept_ < interval_) return;
  if (snapshots_.size() >= kMostSnapshots) {
    size_t kept = 0;
    for (size_t i = 0; i < snapshots_.size(); i += 2) std::swap(snapshots_[kept++], snapshots_[i]);
    snapshots_.resize(kept);
    interval_ *= 2;
  }
  snapshots_.push_back(taken());
}

Rewinder::Snapshot Rewinder::taken() {
  const size_t expected = snapshots_.empty() ? 0 : snapshots_.back().bytes.size();
  Snapshot out{machine_.now(), emu::save_snapshot(machine_, threads(), expected + expected / 4), beside_.keep()};
  kept_ = Clock::now();
  return out;
}

void Rewinder::restore(const Snapshot& snapshot) {
  replay_.reset();
  emu::load_snapshot(machine_, snapshot.bytes, threads());
  beside_.restore(snapshot.beside);
  server_.forget_window();
  replay();
}

const Rewinder::Snapshot& Rewinder::latest_until(emu::Cycle cycle) const {
  const auto behind = std::ranges::upper_bound(snapshots_, cycle, {}, &Snapshot::cycle);
  const Snapshot& kept = behind == snapshots_.begin() ? *behind : behind[-1];
  return !near_.bytes.empty() && near_.cycle <= cycle && near_.cycle > kept.cycle ? near_ : kept;
}

// The snapshots are those of the run so far.
void Rewinder::repeat(emu::Cycle begin, emu::Cycle end, emu::Observer& observer,
                      const std::function<void(emu::Machine&)>& look) {
  emu::Options options = machine_.options();
  options.observer = &observer;
  options.prints = nullptr;
  emu::Machine machine(options);
  emu::load_snapshot(machine, latest_until(begin).bytes, threads());
  emu::Replay replay(machine, log_, unfinished_);
  replay.run(end);
  look(machine);
}

// To the first window that begins there or later, or to the end of the log. A client that is told of an end of time
// while it steps over a breakpoint never resumes again: it is told that it has arrived.
void Rewinder::go_to_cycle(emu::Cycle cycle) {
  server_.target().set_goes_to(std::nullopt);
  if (cycle < machine_.now() && !go_to(std::max(cycle, snapshots_.front().cycle))) return;
  server_.search([](const emu::Stop&) { return std::nullopt; });
  for (bool more = true; machine_.now() < cycle && more && server_.searches(); keep_now_and_then())
    more = replay_->run(std::min(cycle, next_stretch()));
  if (!server_.searches()) return;  // interrupted
  server_.stand(server_.session().arrived());
}

// --- backwards -------------------------------------------------------------------------------------------------------

void Rewinder::go_back() {
  const Standing from = server_.standing();
  server_.session().way() == Session::Way::StepBack ? step_back(from) : continue_back(from);
}

// To the last window that began before the hart had executed all but one of its instructions, and in it behind the one
// before the last. What the host has just done is taken back first, when no hart has gone on since.
void Rewinder::step_back(const Standing& from) {
  const auto at_begin = [this] { return server_.stand(server_.session().at_end_of_time(true)); };
  MachineTarget& target = server_.target();
  if (from.stop && from.stop->agent == emu::Agent::Host) {
    if (go_to(from.window)) server_.stand(*server_.session().stopped(from.pid, Session::Signal::Trap), true);
    return;
  }
  if (from.instructions == 0) return restore(snapshots_.front()), at_begin();
  const uint64_t wanted = from.instructions - 1;
  bool is_there = false;  // at the latest snapshot
  if (!approach(from.window, is_there)) return;
  for (emu::Cycle until = from.window;; --until) {
    const Snapshot& snapshot = latest_until(until);
    until = snapshot.cycle;
    if (!std::exchange(is_there, false)) restore(snapshot);
    if (target.instructions(from.pid) < wanted) break;
    if (until == snapshots_.front().cycle) return at_begin();
  }
  emu::Cycle window = machine_.now();
  server_.search([](const emu::Stop&) { return std::nullopt; });
  for (bool more = true; more && machine_.now() < from.window && target.instructions(from.pid) < wanted;
       more = advance()) {
    if (!server_.searches()) return;  // interrupted
    window = machine_.now();
  }
  if (!server_.searches()) return;
  server_.search(nullptr);
  const bool is_begin = machine_.now() == from.window && target.instructions(from.pid) < wanted;
  if (!is_begin && !go_to(window)) return;
  stand_behind(from.pid, wanted);
}

// Most harts have come to the instruction before the one at which they stand in this window or the one before: a
// snapshot in front of both makes the way short, also for further steps. False: the client has interrupted it.
bool Rewinder::approach(emu::Cycle window, bool& is_there) {
  const emu::Cycle before = window - std::min(window, machine_.options().window());
  if (latest_until(window).cycle >= before) return true;
  return is_there = go_to(before);
}

void Rewinder::continue_back(Standing from) {
  while (true) {
    const emu::Cycle begin = latest_until(from.stop || from.window == 0 ? from.window : from.window - 1).cycle;
    if (const auto hit = last_hit_until(from)) return stand_at(*hit);
    if (!server_.goes_back()) return;  // interrupted
    if (begin <= snapshots_.front().cycle) {
      restore(snapshots_.front());
      return server_.stand(server_.session().at_end_of_time(true));
    }
    from = {.window = begin, .pid = from.pid, .instructions = from.instructions};
  }
}

// A stop that the client wants to know of: it has come to a breakpoint or has written what is watched.
std::optional<Rewinder::Hit> Rewinder::hit_of(const emu::Stop& stop) {
  using Why = emu::Stop::Why;
  Session& session = server_.session();
  Hit hit{.window = server_.window_of(stop), .stop = stop, .hart = server_.target().pid_of(stop)};
  if (hit.hart != 0) hit.instructions = server_.target().instructions(hit.hart);
  if (stop.is_access()) {
    const auto watcher = server_.watcher_of(stop);
    if (!watcher) return std::nullopt;
    hit.process = *watcher;
    return hit;
  }
  if (!session.has_attached(hit.hart)) return std::nullopt;
  hit.process = hit.hart;
  const bool counts = stop.why == Why::Pause || stop.why == Why::Fault || session.breaks_at(hit.hart, stop.address);
  return counts ? std::optional(hit) : std::nullopt;
}

// From the latest snapshot before `end` on. Where `end` is in the middle of a window, its hart is stepped there.
std::optional<Rewinder::Hit> Rewinder::last_hit_until(const Standing& end) {
  MachineTarget& target = server_.target();
  restore(latest_until(end.stop || end.window == 0 ? end.window : end.window - 1));
  std::optional<Hit> last;
  bool has_come = false;  // to the end
  uint64_t begin = 0;     // how many instructions the hart had executed when the last window began
  server_.search([&](const emu::Stop& stop) -> std::optional<std::string> {
    if (has_come) return std::nullopt;
    if (end.stop && server_.window_of(stop) == end.window) {
      const bool is_it = stop.why == end.stop->why && stop.tile == end.stop->tile && stop.agent == end.stop->agent &&
                         stop.address == end.stop->address;
      if (server_.is_outside(*end.stop)) {
        has_come =
            server_.is_outside(stop) && stop.agent == end.stop->agent && server_.outside_in_window(stop) >= end.outside;
      } else {
        const uint64_t instructions = target.instructions(end.pid);
        has_come = instructions > end.instructions ||
                   (instructions == end.instructions && (is_it || (!end.past && instructions > begin)));
        if (!has_come && target.pid_of(stop) == end.pid) target.step(end.pid, true);
      }
      if (has_come && !(end.past && is_it)) return std::nullopt;
    }
    auto hit = hit_of(stop);
    // A hart that waits at its breakpoint is told again in a later window.
    const bool is_end = hit && !hit->stop.is_access() && hit->hart == end.pid && hit->instructions == end.instructions;
    if (hit && !is_end) {
      hit->number = last && last->window == hit->window ? last->number + 1 : 1;
      last = hit;
    }
    return std::nullopt;
  });
  if (machine_.now() < end.window) replay_->run(end.window);
  if (end.stop && server_.searches()) {
    begin = target.instructions(end.pid);
    if (!server_.is_outside(*end.stop)) target.step(end.pid, true);
    advance();
  }
  if (!server_.searches()) return std::nullopt;
  server_.search(nullptr);
  return last;
}

// Where it was told: also a write, behind which gdb steps back by itself.
void Rewinder::stand_at(const Hit& hit) {
  if (!go_to(hit.window)) return;
  server_.search([this, number = hit.number, found = 0u](const emu::Stop& stop) mutable -> std::optional<std::string> {
    return hit_of(stop) && ++found == number ? server_.payload_of(stop) : std::nullopt;
  });
  advance();
  if (server_.searches()) server_.stand(*server_.session().stopped(hit.process, Session::Signal::Trap));
}

// In the window that begins, in front of the hart's next instruction then.
void Rewinder::stand_behind(Pid hart, uint64_t instructions) {
  MachineTarget& target = server_.target();
  const auto told = [this, hart] { return *server_.session().stopped(hart, Session::Signal::Trap); };
  server_.search([=, this, &target](const emu::Stop& stop) -> std::optional<std::string> {
    if (target.pid_of(stop) != hart) return std::nullopt;
    if (target.instructions(hart) >= instructions) return told();
    target.step(hart, true);
    return std::nullopt;
  });
  target.step(hart, true);
  advance();
  if (server_.searches()) server_.stand(told());
}

}  // namespace kerr::debug
