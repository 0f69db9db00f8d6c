// What the environment asks of every emulated device of a process, whichever program or test makes it.
#pragma once

#include <cstdint>
#include <optional>

namespace kerr::host {

/// The seed in an environment variable, decimal or 0x...; nothing if it is unset or empty. Throws DeviceError (HostError) with the
/// variable's name for anything else.
std::optional<uint64_t> seed_of_environment(const char* name);

/// Whether an environment variable is 1; unset, empty and 0 are not. Throws DeviceError (HostError) for anything else.
bool set_in_environment(const char* name);

}  // namespace kerr::host
