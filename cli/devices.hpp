// kerr devices: what there is to run on, and what stands in the way. kerr reset: a chip back to power-on.
#pragma once

#include "jobs/device.hpp"

namespace kerr::host {
class System;
}

namespace kerr::cli {

/// Exit status 0 also when there is no card or none is usable.
int devices_command(bool json);
/// The same for another machine than this one.
int devices_command(host::System& system, bool json);

/// Exit status 0 if all of the chip was reset, 1 if only its PCI function could be.
int reset_command(const jobs::DeviceSpec& spec, bool json);

}  // namespace kerr::cli
