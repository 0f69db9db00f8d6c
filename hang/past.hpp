// What a History tells of an agent that waits in vain.   docs/architecture.md "Hangs"
#pragma once

#include <string>
#include <vector>

#include "hang/graph.hpp"
#include "hang/history.hpp"

namespace kerr::hang {

/// Lines about a word that did not get its value: that it had it and lost it, how many atomics came, and what was
/// written to other tiles or beside it instead. The most telling first; empty if nothing came near.
std::vector<std::string> past_of(const Scene& scene, const History& history, size_t agent, const Want& want);

/// A line if the same kernels have moved more pages of a buffer on other cores than `node`'s providers, who have
/// returned; else empty.
std::string less_than_twins(const Scene& scene, const History& history, const Node& node);

/// What a hart did, once or several times.
struct Event {
  emu::Cycle cycle = 0;  // the last time
  std::string text;
};

/// A hart's last steps, newest last, at most `most`.
std::vector<Event> last_events(const Scene& scene, const History& history, size_t agent, size_t most);

/// "cycle 1,234      looked at L1 0x1a000: 0  f()  f.cpp:3".
std::string text(const Event& event);

}  // namespace kerr::hang
