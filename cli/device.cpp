#include "cli/device.hpp"

#include <algorithm>
#include <thread>

#include "host/device/emulated_device.hpp"
#include "host/device/library_device.hpp"

namespace kerr::cli {

OpenDevice open_device(const DeviceChoice& choice) {
  if (!choice.library.empty()) {
    auto device = host::LibraryDevice::open(choice.library);
    host::LibraryDevice* library = device.get();
    // Other implementations of the ABI may publish no telemetry; they model a chip on which all is well.
    return {std::move(device), [library] { return library->cycles(); }, library->name(),
            {.missing_harvesting = host::MissingHarvesting::kNothingHarvested}};
  }
  const unsigned threads = choice.threads ? choice.threads : std::max(1u, std::thread::hardware_concurrency());
  auto device = std::make_unique<host::EmulatedDevice>(host::EmulatedOptions{
      .board = choice.board == "p150" ? arch::kP150 : arch::kP100a,
      .shards = static_cast<int>(threads),
      .parking = choice.parking,
  });
  host::EmulatedDevice* emulated = device.get();
  return {std::move(device), [emulated] { return emulated->cycles(); }, emulated->name(), {}};
}

}  // namespace kerr::cli
