#include <cstdlib>

#include "host/device/emulated_device.hpp"
#include "host/device/library_device.hpp"
#include "tests/firmware/tile_fixture.hpp"

namespace kerr::firmware {

std::unique_ptr<host::PcieDevice> open_test_device() {
  if (const char* library = std::getenv("KERR_TEST_LIBRARY")) return host::LibraryDevice::open(library);
  return std::make_unique<host::EmulatedDevice>(host::EmulatedOptions{.chip = {.boards = {arch::kP100a}}});
}

}  // namespace kerr::firmware
