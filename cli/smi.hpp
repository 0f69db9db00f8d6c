// kerr smi: what the board's management controller says about a chip.
#pragma once

#include "jobs/device.hpp"

namespace kerr::cli {

/// Nothing on the chip is disturbed.
int smi_command(const jobs::DeviceSpec& spec, bool json);

}  // namespace kerr::cli
