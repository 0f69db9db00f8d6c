// Two recorded runs side by side.   docs/guide/compare-two-runs.md
#pragma once

#include <functional>
#include <string>

#include "diff/events.hpp"
#include "diff/inputs.hpp"
#include "diff/states.hpp"
#include "report/json.hpp"

namespace kerr::diff {

struct Difference {
  std::string a, b;  // the logs
  Inputs inputs;
  States states;
  Events events;

  /// Inputs, states and events are the same to the end.
  bool none() const { return !inputs.differ[0] && !states.differ_at && !events.first && !events.data; }
};

/// `progress`: is told what is done now, in a few words. Throws emu::SnapshotError if a file is no log, damaged, or not
/// recorded from power-on.
Difference compare(const std::string& a, const std::string& b, int threads,
                   const std::function<void(const std::string&)>& progress);

std::string text(const Difference& d);
report::Json json(const Difference& d);

}  // namespace kerr::diff
