#include <cstdlib>

#include "host/device/library_device.hpp"
#include "tests/firmware/tile_fixture.hpp"

namespace kerr::firmware {

std::unique_ptr<host::PcieDevice> open_test_device() {
  const char* library = std::getenv("KERR_TEST_LIBRARY");
  return host::LibraryDevice::open(library);
}

}  // namespace kerr::firmware
