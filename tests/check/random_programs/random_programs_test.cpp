// Programs whose accesses are all ordered, and the same without one edge.
#include <gtest/gtest.h>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "tests/check/random_programs/random_program.hpp"

namespace kerr::random_programs {
namespace {

constexpr uint32_t kSteps = 24;

// Signals and slots begin at zero.
void clear(host::Chip& chip, const RandomProgram& random, const host::Program& program) {
  const std::vector<std::byte> zeros(program.l1_end() - program.layout().unreserved);
  for (const arch::NocCoord tile : random.tiles()) chip.io().write(tile, program.layout().unreserved, zeros);
}

TEST(RandomPrograms, MoveEachWord) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProgram random(seed, kSteps);
    const host::Program program = random.build();
    clear(chip, random, program);
    chip.run(program);
    for (const auto& e : random.expected()) EXPECT_EQ(chip.io().read32(e.tile, e.address), e.value) << seed;
  }
}

}  // namespace
}  // namespace kerr::random_programs
