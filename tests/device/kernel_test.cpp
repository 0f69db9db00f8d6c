// Kernels in C++ are loaded, started and left as base firmware wants it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

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
  const auto drain = program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_test_kernel_drain), {&kCore, 1});
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
  const auto three = program.add_compute_kernel(image::read_compute(KERR_KERNEL_test_kernel_three), {&kCore, 1});
  program.set_args(three, kCore, {result, 0});
  chip_.run(program);
  for (uint32_t hart = 2; hart < 5; ++hart) EXPECT_EQ(chip_.io().read32(kCore, result + 4 * hart), 100 + hart);
}

// What a run of the program says before anything starts.
std::string refusal(Chip& chip, const Program& program) {
  try {
    chip.run(program);
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::HostError);
    return error.sentence();
  }
  return "it ran";
}

bool says(const std::string& sentence, const std::string& part) { return sentence.find(part) != std::string::npos; }

TEST_F(CompiledKernel, IsRefusedWithoutWhatItUses) {
  const image::Image copy = image::read_elf(KERR_KERNEL_test_kernel_copy),
                     drain = image::read_elf(KERR_KERNEL_test_kernel_drain);
  Program program("copy");
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, copy, {&kCore, 1});
  EXPECT_TRUE(says(refusal(chip_, program), "uses circular buffer 0, which program 'copy' does not have"));
  program.add_circular_buffer({.id = 0, .pages = 2, .page_bytes = 64});
  EXPECT_TRUE(says(refusal(chip_, program), "reads runtime argument 2, and set_args() gives core (1,2) 0") ||
              says(refusal(chip_, program), "reads runtime argument 0, and set_args() gives core (1,2) 0"));
  program.set_args(kernel, kCore, {1, 2});
  EXPECT_TRUE(says(refusal(chip_, program), "reads runtime argument 2, and set_args() gives core (1,2) 2"));
  program.set_args(kernel, kCore, {1, 2, 3});
  EXPECT_TRUE(says(refusal(chip_, program), "reads common argument 0, and set_common_args() gives it 0"));

  Program wrong("wrong");
  EXPECT_THROW(wrong.add_kernel(arch::Hart::Brisc, copy, {&kCore, 1}), DeviceError) << "compiled for NCRISC";
}

TEST_F(CompiledKernel, IsRefusedForTilesOfAnotherSizeASemaphoreAndASharedNoc) {
  const image::Image calls =
      image::read_elf(KERR_KERNEL_test_kernel_calls_ncrisc);  // for NoC 1; takes tiles of buffer 4 for bfp8
  Program program("calls");
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, calls, {&kCore, 1});
  program.set_args(kernel, kCore, std::vector<uint32_t>(11));
  program.set_common_args(kernel, std::vector<uint32_t>(16));
  program.add_circular_buffer({.id = 0, .pages = 1, .page_bytes = 2048});
  program.add_circular_buffer({.id = 3, .pages = 1, .page_bytes = 2048});
  program.add_circular_buffer({.id = 4, .pages = 1, .page_bytes = 2048});
  EXPECT_TRUE(says(refusal(chip_, program), "uses semaphore 0, and program 'calls' has 0"));
  for (int i = 0; i < 3; ++i) program.add_semaphore();
  EXPECT_TRUE(says(refusal(chip_, program), "takes the tiles of circular buffer 4 for 1088 bytes"));

  Program both("both");
  both.add_circular_buffer({.id = 0, .pages = 2, .page_bytes = 64});
  both.add_circular_buffer({.id = 3, .pages = 1, .page_bytes = 64});
  both.add_circular_buffer({.id = 4, .pages = 1, .page_bytes = 1088});
  for (int i = 0; i < 3; ++i) both.add_semaphore();
  const auto first = both.add_kernel(arch::Hart::Ncrisc, calls, {&kCore, 1});
  both.set_args(first, kCore, std::vector<uint32_t>(11));
  both.set_common_args(first, std::vector<uint32_t>(16));
  const auto second = both.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_test_kernel_drain), {&kCore, 1});
  both.set_args(second, kCore, {1, 2, 3});
  EXPECT_TRUE(says(refusal(chip_, both), "of core (1,2) were both compiled for NoC 1"));
}

TEST_F(CompiledKernel, IsToldWhichCallOfTileRegistersIsMissing) {
  Program program("kept");
  const uint32_t result = program.add_l1(32);
  const auto three = program.add_compute_kernel(image::read_compute(KERR_KERNEL_test_kernel_three), {&kCore, 1});
  program.set_args(three, kCore, {result, 1});
  try {
    chip_.run(program);
    FAIL() << "nobody releases a half of Dst";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    EXPECT_TRUE(says(error.report(),
                     "SEMWAIT: semaphore 1 is at its maximum (2 of 2) = MATH_PACK: math waits for pack to release a "
                     "half of Dst (tile_regs_release)\n"))
        << error.report();
  }
}

// The first line of `text` that holds `part`.
std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (says(line, part)) return line;
  return "no line has " + part;
}

TEST_F(CompiledKernel, SaysItsLineWhenItIsStuck) {
  std::ifstream file(KERR_SOURCE_DIR "/docs/guide/kernels-in-cpp.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  Program program("stuck");
  program.add_circular_buffer({.id = 0, .pages = 2, .page_bytes = 64});
  const auto drain = program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_test_kernel_drain), {&kCore, 1});
  program.set_args(drain, kCore, {kOther.x, kOther.y, 0x20000});
  try {
    chip_.run(program);
    FAIL() << "nobody pushes a page";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.category(), Category::Deadlock);
    // The line of the kernel, and the one of the library: as the page on kernels in C++ shows them.
    const std::string line = line_with(error.report(), "kernel_main()+");
    EXPECT_TRUE(says(line, "drain.cpp:10 (circular_buffer.hpp:")) << error.report();
    EXPECT_TRUE(says(page, line)) << "docs/guide/kernels-in-cpp.md does not show\n" << line;
    EXPECT_TRUE(says(error.report(), "pages pushed to circular buffer 0")) << error.report();
  }
}

}  // namespace
}  // namespace kerr::host
