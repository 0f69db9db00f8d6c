// Launches of plans, and the comparison of all they compute with what the program means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "loops/images.hpp"
#include "loops/tiles/choose.hpp"
#include "loops/tiles/plan.hpp"

namespace kerr::loops::tiles {

/// Runs a program on bytes of the host, which may overlap.
using Reference = std::function<void(const Program& program, std::span<const std::span<std::byte>> buffers,
                                     std::span<const int64_t> numbers)>;

/// The comparison of a launch: a plan executes on `expected` what it has the device do, and goes on with the device's
/// own results where these are only within bounds, which it checks. In the end the device's bytes must be these.
struct Check {
  Reference reference;
  Images expected;  // of the parameters; as they were before the launch at first
};

/// Runs the plan of a choice, compared if that is asked for. False, and nothing was stored: these views or numbers are
/// none for it. Throws host::DeviceError, RunError, std::logic_error of a difference.
bool launch(host::Chip& chip, const Choice& choice, std::span<const View> views, const LaunchOptions& options);

}  // namespace kerr::loops::tiles
