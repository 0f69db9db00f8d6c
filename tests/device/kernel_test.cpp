// Kernels in C++ are loaded, started and left as base firmware wants it.
#include <gtest/gtest.h>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "image/elf/reader.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kCore{1, 2}, kOther{3, 5};

class CompiledKernel : public testing::Test {
 protected:
  EmulatedDevice device_;
  Chip chip_{device_};
};

TEST_F(CompiledKernel, MovesPagesAndFindsItsVariables) {
  Program program("copy");
  program.add_circular_buffer({.id = 0, .pages = 2, .page_bytes = 64});
  const uint32_t result = program.add_l1(32), source = program.add_l1(192, 64), target = program.add_l1(192, 64);
  const auto copy = program.add_kernel(arch::Hart::Ncrisc, image::read_elf(KERR_KERNEL_test_kernel_copy), {&kCore, 1});
  const auto drain =
      program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_test_kernel_drain), {&kCore, 1}, {.noc = 1});
  program.set_args(copy, kCore, {kOther.x, kOther.y, source});
  program.set_common_args(copy, {result});
  program.set_args(drain, kCore, {kOther.x, kOther.y, target});
  for (uint32_t i = 0; i < 48; ++i) chip_.io().write32(kOther, source + 4 * i, 1000 + i);
  for (int run = 0; run < 2; ++run) {
    for (uint32_t i = 0; i < 48; ++i) chip_.io().write32(kOther, target + 4 * i, 0);
    chip_.run(program);
    for (uint32_t i = 0; i < 48; ++i) EXPECT_EQ(chip_.io().read32(kOther, target + 4 * i), 1000 + i) << i;
    EXPECT_EQ(chip_.io().read32(kCore, result), 507u);
    EXPECT_EQ(chip_.io().read32(kCore, result + 4), 9u) << ".data and .bss are fresh in every run";
    EXPECT_EQ(chip_.io().read32(kCore, result + 8), 6u) << "a pointer to a function";
    EXPECT_EQ(chip_.io().read32(kCore, result + 12), (kCore.y << 6 | kCore.x) + 1u) << "constructors have run";
    EXPECT_EQ(chip_.io().read32(kCore, result + 16), uint32_t{'b'}) << "a table of strings";
  }
}

TEST_F(CompiledKernel, OneSourceGivesThreeComputeHarts) {
  Program program("three");
  const uint32_t result = program.add_l1(32);
  auto images = image::read_compute(KERR_KERNEL_test_kernel_three);
  for (size_t i = 0; i < 3; ++i) {
    const auto hart = static_cast<arch::Hart>(static_cast<size_t>(arch::Hart::Trisc0) + i);
    program.set_args(program.add_kernel(hart, std::move(images[i]), {&kCore, 1}), kCore, {result});
  }
  chip_.run(program);
  for (uint32_t hart = 2; hart < 5; ++hart) EXPECT_EQ(chip_.io().read32(kCore, result + 4 * hart), 100 + hart);
}

}  // namespace
}  // namespace kerr::host
