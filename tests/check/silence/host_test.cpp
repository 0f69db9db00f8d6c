// A host that is told by a stream counter when a hart is done.
#include <gtest/gtest.h>

#include "arch/bytes.hpp"
#include "arch/stream_registers.hpp"
#include "arch/tile_registers.hpp"
#include "check/checker.hpp"
#include "emu/machine/machine.hpp"
#include "jobs/run/code.hpp"

namespace kerr::check {
namespace {

constexpr uint32_t kData = 0x20000;
constexpr uint32_t kOnlyBrisc = 0x47000;  // of SOFT_RESET_0
constexpr uint32_t kCounter = arch::stream_address(arch::kFirstDispatchStream, arch::stream::kSpaceAvailable);

// BRISC stores a word, and then adds 1 to a counter; the host writes to the word as well. What is found.
std::vector<Finding> found_when_the_host(bool looks_at_the_counter) {
  emu::Options options;
  Checker checker(options.boards);
  options.observer = &checker;
  emu::Machine machine(options);
  const auto write = [&](uint64_t address, std::span<const uint8_t> bytes) {
    EXPECT_FALSE(machine.write_coordinate(0, 1, 2, address, bytes));
  };
  const image::Image code = jobs::read_code(
      "li a0, 0x20000\n li t0, 7\n sw t0, 0(a0)\n lw t1, 0(a0)\n add t1, t1, t1\n fence\n"
      "li a1, 0xFFB70438\n li t0, 64\n sw t0, 0(a1)\nstays: j stays\n",
      "counts.s", 0);
  for (const image::Segment& segment : code.segments) write(segment.address, segment.bytes);
  const uint32_t go = kOnlyBrisc, word = 1;
  write(arch::kSoftReset0, arch::as_uint8(go));
  machine.advance(4096);
  if (looks_at_the_counter) {
    uint32_t counter = 0;
    EXPECT_FALSE(machine.read_coordinate(0, 1, 2, kCounter, arch::as_uint8(counter)));
    EXPECT_EQ(counter, 1u);
  }
  write(kData, arch::as_uint8(word));
  machine.advance(4096);
  EXPECT_FALSE(machine.faulted());
  return checker.findings().all;
}

TEST(HostOfACounter, MayWriteWhenItHasSeenTheCounter) { EXPECT_TRUE(found_when_the_host(true).empty()); }

TEST(HostOfACounter, RacesOtherwise) {
  const std::vector<Finding> found = found_when_the_host(false);
  ASSERT_EQ(found.size(), 2u) << "with the store, and with the load behind it";
  for (const Finding& finding : found) EXPECT_EQ(finding.rule, Rule::Race);
}

}  // namespace
}  // namespace kerr::check
