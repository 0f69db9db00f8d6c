// The interpreter on a chip's buffers: they come to the host, and what has changed goes back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "host/runtime/chip.hpp"
#include "loops/executable.hpp"
#include "loops/images.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

/// `views` may overlap, as those of a device do. `poll`: called now and then; what it throws ends the run. Throws
/// RunError. What was stored until the end, of whatever kind, is on the device.
void interpret_on(host::Chip& chip, const Program& program, std::span<const View> views,
                  std::span<const int64_t> numbers, const std::function<void()>& poll = {});

/// Calls `launch`, which runs the program on the chip by another path, and compares with the definition. Throws
/// std::logic_error that names the first difference. After a launch that fails nothing is compared.
void compare_with_definition(host::Chip& chip, const Program& program, std::span<const View> views,
                             std::span<const int64_t> numbers, const std::function<void()>& launch,
                             const std::function<void()>& poll = {});

/// Throws std::logic_error that names the first difference, if there is one. `path`: the one that made `got`.
void require_same(const Program& program, Images& expected, Images& got, std::string_view path);

}  // namespace kerr::loops
