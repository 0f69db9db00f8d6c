// Launches as hosts make them whose times on silicon are known. docs/hardware/fast-dispatch.md 16.2
#pragma once

#include "host/runtime/cq/launch_policy.hpp"

namespace kerr::jobs {

/// Data in commands of 1 KiB with a barrier after each, each core's own data by the page: blackhole-py's host.
const host::cq::LaunchPolicy& small_writes();
/// Each piece of data in one command, one barrier at the end: another revision of that host.
const host::cq::LaunchPolicy& whole_writes();

}  // namespace kerr::jobs
