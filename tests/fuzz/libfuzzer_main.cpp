// The entry point that libFuzzer calls; CMakeLists.txt names the target.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kerr::fuzz::KERR_FUZZ_TARGET({data, size});
  return 0;
}
