#include "debug/launches.hpp"

#include <map>
#include <utility>

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
  std::map<std::pair<uint8_t, uint64_t>, size_t> ended;  // by chip and id, which each chip counts for itself: where
  for (size_t n = 0; n < notes_.size(); ++n) {
    const auto* const end = std::get_if<Ended>(&notes_[n].second);
    if (end != nullptr && notes_[n].first <= machine.now()) ended[{end->chip, end->id}] = n;
  }
  hang::NotedLaunches open;
  for (size_t n = 0; n < notes_.size(); ++n) {
    const auto& [cycle, note] = notes_[n];
    if (cycle > machine.now()) continue;
    if (const auto* const launched = std::get_if<Launched>(&note)) {
      const auto end = ended.find({launched->chip, launched->id});
      if (end != ended.end() && end->second > n) continue;
    }
    open.noted(note);
  }
  return open.question(machine);
}

}  // namespace kerr::debug
