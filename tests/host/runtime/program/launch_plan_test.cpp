#include "host/runtime/program/launch_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "host/error.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kA{1, 2}, kB{2, 2}, kC{3, 2};

image::Image kernel(const std::string& name, size_t words, uint32_t base = 0x1000) {
  image::Image image;
  image.name = name;
  image.entry = base;
  image::Segment segment{.address = base, .load_address = base, .executable = true};
  for (size_t i = 0; i < 4 * words; ++i) segment.bytes.push_back(static_cast<uint8_t>(i + words));
  segment.memory_bytes = static_cast<uint32_t>(segment.bytes.size());
  image.segments.push_back(segment);
  return image;
}

uint32_t word(const std::vector<std::byte>& bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

TEST(LaunchPlan, AResidentKernelIsCalledWhereItLiesAlsoWhenTheAreaMovesUp) {
  Program program;
  const auto k = program.add_kernel(arch::Hart::Brisc, kernel("large", 30'000), {&kA, 1}, {.resident = 0x20000});
  program.set_common_args(k, {7});
  LaunchPlan plan = plan_launch(program);
  const auto called_at = [&] {
    const arch::LaunchMessage& launch = plan.groups[0].launch;
    return launch.kernel_config_base[0] + launch.kernel_text_offset[0];
  };
  EXPECT_EQ(called_at(), 0x20000u);
  EXPECT_EQ(plan.groups[0].image.size(), 16u) << "the argument alone";
  EXPECT_EQ(plan.groups[0].kernels[0].text_address, 0x20000u);
  plan.move_up(32'768);
  EXPECT_EQ(called_at(), 0x20000u);
  EXPECT_EQ(plan.groups[0].kernels[0].text_address, 0x20000u);
  EXPECT_THROW(program.add_kernel(arch::Hart::Ncrisc, kernel("odd", 3), {&kA, 1}, {.resident = 0x20004}), DeviceError);
  EXPECT_THROW(program.add_kernel(arch::Hart::Ncrisc, kernel("outside", 3), {&kA, 1}, {.resident = arch::kL1Bytes}),
               DeviceError);
}

TEST(LaunchPlan, SectionsFollowTheLongestArgumentListOfAnyCore) {
  Program program;
  const arch::NocCoord cores[] = {kA, kB};
  const auto k = program.add_kernel(arch::Hart::Brisc, kernel("reader", 3), cores, {.noc = 1});
  program.set_args(k, kA, {11});
  program.set_args(k, kB, {21, 22, 23, 24, 25});
  program.set_common_args(k, {7, 8});
  const uint32_t id = program.add_semaphore(5);
  const uint32_t cb = program.add_circular_buffer({.id = 3, .pages = 2, .page_bytes = 2048});
  const LaunchPlan plan = plan_launch(program);

  EXPECT_EQ(id, 0u);
  EXPECT_EQ(plan.args_address, 0x86B0u);
  EXPECT_EQ(plan.args_bytes, 32u) << "five words, rounded up to 16 bytes";
  EXPECT_EQ(word(plan.args, 0), 11u);
  EXPECT_EQ(word(plan.args, 32 + 16), 25u);
  ASSERT_EQ(plan.groups.size(), 1u);
  const KernelGroup& group = plan.groups[0];
  const arch::LaunchMessage& launch = group.launch;
  EXPECT_EQ(launch.rta_offset[0].rta, 0u);
  EXPECT_EQ(launch.rta_offset[0].crta, 32u);
  EXPECT_EQ(launch.rta_offset[1].rta, 0xFFFFu) << "no kernel there";
  EXPECT_EQ(launch.sem_offset[0], 48u);
  EXPECT_EQ(launch.local_cb_offset, 64u);
  EXPECT_EQ(launch.local_cb_mask, 8u);
  EXPECT_EQ(launch.kernel_text_offset[0], 64u + 4 * 16);
  EXPECT_EQ(launch.enables, 1u);
  EXPECT_EQ(launch.brisc_noc_id, 1u);
  EXPECT_EQ(launch.min_remote_cb_start_index, 32u);
  EXPECT_EQ(group.image_address, 0x86B0u + 32);
  EXPECT_EQ(word(group.image, 4), 8u);
  EXPECT_EQ(word(group.image, 16), 5u) << "the semaphore";
  const size_t cb_at = 32 + 3 * 16;
  EXPECT_EQ(word(group.image, cb_at), cb);
  EXPECT_EQ(word(group.image, cb_at + 4), 4096u);
  EXPECT_EQ(word(group.image, cb_at + 8), 2u);
  EXPECT_EQ(word(group.image, cb_at + 12), 2048u);
  EXPECT_EQ(group.image.size() % 16, 0u);
  EXPECT_EQ(group.kernels[0].text_address, 0x86B0u + launch.kernel_text_offset[0]);
  EXPECT_EQ(group.kernels[0].moved().entry, group.kernels[0].text_address);
}

TEST(LaunchPlan, CoresWithTheSameKernelsShareOneGroup) {
  Program program;
  const arch::NocCoord all[] = {kA, kB, kC};
  const arch::NocCoord first[] = {kA};
  const arch::NocCoord rest[] = {kB, kC};
  program.add_kernel(arch::Hart::Brisc, kernel("writer", 1), all);
  program.add_kernel(arch::Hart::Ncrisc, kernel("sender", 1), first);
  program.add_kernel(arch::Hart::Ncrisc, kernel("receiver", 1), rest);
  const LaunchPlan plan = plan_launch(program);
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[0].cores, (std::vector{kA}));
  EXPECT_EQ(plan.groups[1].cores, (std::vector{kB, kC}));
  EXPECT_EQ(plan.args_bytes, 0u);
}

TEST(LaunchPlan, OneTriscKernelGivesTheOtherTwoAReturn) {
  Program program;
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Trisc1, kernel("math", 2), cores);
  const LaunchPlan plan = plan_launch(program);
  const KernelGroup& group = plan.groups[0];
  EXPECT_EQ(group.launch.enables, 0b11100u);
  for (int hart : {2, 4}) {
    EXPECT_EQ(word(group.image, group.launch.kernel_text_offset[hart] - (group.image_address - 0x86B0)), 0x8067u);
  }
}

TEST(LaunchPlan, TheEntryMayLieBehindTheFirstByte) {
  Program program;
  const arch::NocCoord cores[] = {kA};
  image::Image image = kernel("with data in front", 8);
  image.entry += 16;
  program.add_kernel(arch::Hart::Brisc, image, cores);
  EXPECT_EQ(plan_launch(program).groups[0].launch.kernel_text_offset[0], 16u);
}

TEST(LaunchPlan, CodeThatDoesNotFitIsRefusedWithTheNumbers) {
  Program program;
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Brisc, kernel("huge", 20000), cores);
  try {
    plan_launch(program);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("need 80000 bytes, 69648 are there"), std::string::npos) << error.what();
  }
}

TEST(Program, RefusesWhatCannotRun) {
  Program program;
  const arch::NocCoord cores[] = {kA};
  EXPECT_THROW(plan_launch(program), DeviceError) << "no kernels";
  const auto k = program.add_kernel(arch::Hart::Brisc, kernel("one", 1), cores);
  EXPECT_THROW(program.add_kernel(arch::Hart::Brisc, kernel("two", 1), cores), DeviceError);
  EXPECT_THROW(program.add_kernel(arch::Hart::Ncrisc, kernel("none", 0), cores), DeviceError);
  EXPECT_THROW(program.add_kernel(arch::Hart::Ncrisc, kernel("nowhere", 1), {}), DeviceError);
  EXPECT_THROW(program.set_args(k, kB, {1}), DeviceError);
  EXPECT_THROW(program.set_args(7, kA, {1}), DeviceError);
  EXPECT_THROW(program.add_circular_buffer({.id = 32, .pages = 1, .page_bytes = 16}), DeviceError);
  EXPECT_THROW(program.add_circular_buffer({.id = 0, .pages = 0, .page_bytes = 16}), DeviceError);
  EXPECT_THROW(program.add_circular_buffer({.id = 0, .pages = 1, .page_bytes = 20}), DeviceError);
  EXPECT_THROW(program.add_circular_buffer({.id = 0, .pages = 65535, .page_bytes = 1 << 30}), DeviceError);
  program.add_circular_buffer({.id = 0, .pages = 1, .page_bytes = 16});
  EXPECT_THROW(program.add_circular_buffer({.id = 0, .pages = 1, .page_bytes = 16}), DeviceError);
  EXPECT_THROW(program.add_l1(2 << 20), DeviceError);
  EXPECT_THROW(program.add_l1(16, 24), DeviceError);
}

TEST(Program, AnAliasSharesThePages) {
  Program program;
  const uint32_t address = program.add_circular_buffer({.id = 24, .pages = 4, .page_bytes = 4096});
  program.alias_circular_buffer(16, 24);
  EXPECT_EQ(program.circular_buffers().at(16).address, address);
  EXPECT_EQ(program.circular_buffers().at(16).config.pages, 4u);
  EXPECT_THROW(program.alias_circular_buffer(17, 3), DeviceError);
}

}  // namespace
}  // namespace kerr::host
