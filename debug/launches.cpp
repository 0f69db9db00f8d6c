#include "debug/launches.hpp"

#include <set>

#include "hang/noted_launches.hpp"

namespace kerr::debug {

using arch::note::Booted;
using arch::note::Ended;
using arch::note::Launched;

void Launches::noted(const arch::note::Note& note, emu::Cycle cycle) {
  if (!std::holds_alternative<Launched>(note) && !std::holds_alternative<Ended>(note) &&
      !std::holds_alternative<Booted>(note))
    return;
  notes_.emplace_back(cycle, note);
  if (notes_.size() > kMost) notes_.pop_front();
}

// Most launches have ended: they need not be copied to find that out.
arch::HangQuestion Launches::question(emu::Machine& machine) const {
  std::set<uint64_t> ended;
  for (const auto& [cycle, note] : notes_)
    if (const auto* end = std::get_if<Ended>(&note); end != nullptr && cycle <= machine.now()) ended.insert(end->id);
  hang::NotedLaunches open;
  for (const auto& [cycle, note] : notes_) {
    const auto* const launched = std::get_if<Launched>(&note);
    const bool is_over = launched != nullptr && ended.contains(launched->id);
    if (cycle <= machine.now() && !is_over) open.noted(note);
  }
  return open.question(machine);
}

}  // namespace kerr::debug
