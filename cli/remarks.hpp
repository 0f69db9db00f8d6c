// What a run held that silicon takes no notice of, for the user.   docs/architecture.md "Remarks"
#pragma once

#include <cstdint>

#include "cli/device.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::cli {

/// How many kinds there are; 0 where the device does not tell.
uint64_t count_of_remarks(const OpenDevice& device);

/// Says each on standard error.
void say_remarks(const emu::Machine::Remarks& remarks);
void say_remarks(const OpenDevice& device);

}  // namespace kerr::cli
