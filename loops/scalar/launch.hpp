// Compiled loop programs on a chip.
#pragma once

#include <cstdint>
#include <span>

#include "host/runtime/chip.hpp"
#include "loops/executable.hpp"
#include "loops/scalar/compile.hpp"

namespace kerr::loops::scalar {

/// The emulator's pace on a busy machine with checks.
inline constexpr uint64_t kSlowestInstructionsPerSecond = 2'000'000;

/// Runs to the end. `code`: of `program`, for boards like this chip. `views`: one for each parameter, `numbers`: one
/// for each variable.
/// Throws RunError for views and numbers that do not fit the program, and host::DeviceError.
void launch(host::Chip& chip, const Program& program, const Code& code, std::span<const View> views,
            std::span<const int64_t> numbers, const LaunchOptions& options = {});

}  // namespace kerr::loops::scalar
