#include "diff/difference.hpp"

#include <fmt/format.h>

namespace kerr::diff {

Difference compare(const std::string& a, const std::string& b, int threads,
                   const std::function<void(const std::string&)>& progress) {
  Difference out{.a = a, .b = b};
  progress("reads both logs");
  out.inputs = compare_inputs(a, b);
  const auto replays = [&](std::string_view what) {
    return [&progress, what](emu::Cycle cycle) { progress(fmt::format("{}: replays, cycle {}", what, cycle)); };
  };
  out.states = compare_states(a, b, out.inputs, threads, replays("states"));
  if (out.states.differ_at) out.events = compare_events(a, b, out.inputs, out.states, replays("events"));
  return out;
}

}  // namespace kerr::diff
