// Conditions of breakpoints, as a client compiles them: agent expressions of gdb.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "debug/target.hpp"

namespace kerr::debug {

/// What an expression leaves on its stack, of a process that stands. Nothing: it does what is not known here, reads
/// what cannot be read, has no end, or is damaged.
std::optional<uint64_t> evaluate(std::string_view code, Target& target, Pid pid);

}  // namespace kerr::debug
