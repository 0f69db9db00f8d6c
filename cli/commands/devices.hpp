// kerr devices: what there is to run on, and what stands in the way.
#pragma once

namespace kerr::host {
class System;
}

namespace kerr::cli {

/// Prints what `system` has. 0 also when there is no card or none is usable.
int list_devices(host::System& system, bool json);

}  // namespace kerr::cli
