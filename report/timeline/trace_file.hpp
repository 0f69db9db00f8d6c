// A timeline as a file that trace viewers open (ui.perfetto.dev, chrome://tracing): Chrome's trace event format, JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// Writes what lies in [begin, end): a process for each tile that acted, with a track for each hart, thread and unit,
/// and one for each NoC, with a track for each link. Harts and threads show what they wait for; in between they work.
/// Times in microseconds from `begin`, at `cycles_per_microsecond`.
/// Slices of a track never overlap. `write`: gets the text, part by part.
void write_trace(const std::function<void(std::string_view)>& write, const Timeline& timeline, Cycle begin, Cycle end,
                 double cycles_per_microsecond);

/// About how many bytes that will be.
uint64_t estimated_trace_bytes(const Timeline& timeline, Cycle begin, Cycle end);

}  // namespace kerr::report
