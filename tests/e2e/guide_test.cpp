// The code of docs/guide/first-program.md and docs/guide/traces.md.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>

#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"

namespace kerr {
namespace {

using namespace isa::reg;

image::Image adder() {
  isa::Assembler a;
  a.lw(t0, a0, 0);
  a.lw(t1, a0, 4);
  a.lw(t2, t0);
  a.add(t2, t2, t1);
  a.sw(t2, t0);
  a.ret();
  return image::Image::from(a.finish(), "add");
}

uint32_t word(std::span<const std::byte> bytes, size_t i) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + 16 * i, 4);
  return value;
}

TEST(Guide, FirstProgramAndTraces) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  const auto cores = chip.workers().first(4);
  host::Buffer words = chip.allocate_sharded(host::Memory::L1, 64, 16, cores);
  std::vector<std::byte> bytes(64);
  queue.write(words, bytes);

  host::Program program("add");
  const auto kernel = program.add_kernel(arch::Hart::Brisc, adder(), cores);
  for (uint32_t i = 0; i < 4; ++i) program.set_args(kernel, cores[i], {words.address(), 10 * i});
  queue.enqueue(program);
  queue.enqueue(program);
  queue.read(words, bytes);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(word(bytes, i), 20 * i);

  const auto event = queue.record_event();
  queue.wait(event);
  const auto times = queue.finish();
  ASSERT_EQ(times.size(), 2u);
  for (const auto& time : times) EXPECT_GT(time.end_cycles, time.start_cycles);

  const std::vector<std::vector<arch::NocCoord>> groups = {{cores.begin(), cores.begin() + 2},
                                                           {cores.begin() + 2, cores.end()}};
  queue.set_sub_devices(groups);
  host::Program left("left"), right("right");
  const auto left_kernel = left.add_kernel(arch::Hart::Brisc, adder(), groups[0]);
  const auto right_kernel = right.add_kernel(arch::Hart::Brisc, adder(), groups[1]);
  for (arch::NocCoord core : groups[0]) left.set_args(left_kernel, core, {words.address(), 0});
  for (arch::NocCoord core : groups[1]) right.set_args(right_kernel, core, {words.address(), 0});
  queue.enqueue(left);
  queue.enqueue(right);
  queue.wait(queue.record_event(1));
  queue.set_sub_devices({});

  queue.begin_trace();
  queue.enqueue(program);
  queue.enqueue(program);
  const host::Trace trace = queue.end_trace();
  for (int i = 0; i < 100; ++i) queue.replay(trace);
  queue.finish();
  queue.read(words, bytes);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(word(bytes, i), 20 * i + 100 * 20 * i);
}

}  // namespace
}  // namespace kerr
