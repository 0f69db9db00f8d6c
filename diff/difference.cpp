#include "diff/difference.hpp"

namespace kerr::diff {

Difference compare(const std::string& a, const std::string& b, int threads,
                   const std::function<void(const std::string&)>& progress) {
  Difference out{.a = a, .b = b};
  progress("reads both logs");
  out.inputs = compare_inputs(a, b);
  progress("replays both up to where their states differ");
  out.states = compare_states(a, b, out.inputs, threads);
  if (!out.states.differ_at) return out;
  progress("replays both to where they do something else");
  out.events = compare_events(a, b, out.inputs, out.states);
  return out;
}

}  // namespace kerr::diff
