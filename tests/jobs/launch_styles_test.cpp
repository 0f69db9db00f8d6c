// How launches are cut that are like those of timed hosts.
#include "jobs/launch_styles.hpp"

#include <gtest/gtest.h>

#include "arch/cq.hpp"
#include "host/runtime/cq/decode.hpp"

namespace kerr::jobs {
namespace {

namespace wire = arch::cq;
using host::cq::Command;

std::vector<arch::NocCoord> cores(size_t n) {
  std::vector<arch::NocCoord> all;
  for (size_t i = 0; i < n; ++i) all.push_back({static_cast<uint8_t>(1 + i / 10), static_cast<uint8_t>(2 + i % 10)});
  return all;
}

std::vector<Command> writes(const host::cq::LaunchPolicy& style, const host::LaunchPlan& plan) {
  return style.lower({plan, arch::kFwB, {}, [](arch::NocCoord) { return 0u; }}).writes;
}

std::string name_of(const Command& command) {
  return std::string(host::cq::decode_dispatch(command.payload, 0, command.payload.size()).at(0).name);
}

// The go messages are written to zero before everything else, by WRITE_PACKED_LARGE.
size_t commands_for_own_data(const host::cq::LaunchPolicy& style, size_t n, uint32_t bytes_per_core) {
  const host::LaunchPlan plan{.groups = {},
                              .cores = cores(n),
                              .args_address = 0x8000,
                              .args_bytes = bytes_per_core,
                              .args = std::vector<std::byte>(n * bytes_per_core)};
  size_t count = 0;
  for (const Command& command : writes(style, plan)) {
    if (name_of(command) != "WRITE_PACKED") continue;
    ++count;
    if (&style == &small_writes()) {
      EXPECT_LE(sizeof(wire::RelayInline) + command.payload.size(), wire::kPageBytes) << n << " cores";
    }
  }
  return count;
}

// fast-dispatch.md 16.2: 32 + align16(4 n) + n * slice <= 4096, slices of at least 16.
TEST(LaunchStyles, SmallWritesFillAPageWithTheCoresOwnData) {
  EXPECT_EQ(commands_for_own_data(small_writes(), 7, 48), 1u);
  EXPECT_EQ(commands_for_own_data(small_writes(), 7, 576), 1u);
  EXPECT_EQ(commands_for_own_data(small_writes(), 7, 592), 2u);
  EXPECT_EQ(commands_for_own_data(small_writes(), 25, 144), 1u);
  EXPECT_EQ(commands_for_own_data(small_writes(), 25, 160), 2u);
  EXPECT_EQ(commands_for_own_data(small_writes(), 110, 48), 2u) << "32 bytes and 16";
  EXPECT_EQ(commands_for_own_data(whole_writes(), 110, 48), 1u);
}

std::vector<std::string> names(const host::cq::LaunchPolicy& style) {
  host::LaunchPlan plan;
  plan.cores = cores(20);
  plan.groups.push_back(
      {.cores = plan.cores, .launch = {}, .image_address = 0x8000, .image = std::vector<std::byte>(2500)});
  std::vector<std::string> all;
  for (const Command& command : writes(style, plan)) all.push_back(name_of(command));
  return all;
}

// Two go messages, the image, the launch message.
TEST(LaunchStyles, SmallWritesOfSharedDataAreAKibibyteWithABarrierAfterEach) {
  std::vector<std::string> small,
      whole{"WRITE_PACKED_LARGE", "WRITE_PACKED_LARGE", "WRITE_PACKED_LARGE", "WRITE_PACKED_LARGE", "WAIT"};
  for (int i = 0; i < 2 + 3 + 1; ++i) small.insert(small.end(), {"WRITE_PACKED_LARGE", "WAIT"});
  EXPECT_EQ(names(small_writes()), small);
  EXPECT_EQ(names(whole_writes()), whole);
}

}  // namespace
}  // namespace kerr::jobs
