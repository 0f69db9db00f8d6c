#include "cli/device.hpp"

#include "host/device/library_device.hpp"

namespace kerr::cli {

OpenDevice open_device(const DeviceChoice& choice) {
  auto device = host::LibraryDevice::open(choice.library);
  host::LibraryDevice* library = device.get();
  // Other implementations of the ABI publish no telemetry; they model a chip on which all is well.
  return {std::move(device), [library] { return library->cycles(); }, library->name(),
          {.missing_harvesting = host::MissingHarvesting::kNothingHarvested}};
}

}  // namespace kerr::cli
