// One program from Program to event, in the steps of blackhole-py's host (docs/hardware/fast-dispatch.md 16.3): every
// step is read back from where it left its mark, and printed.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "arch/stream_registers.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/cq/decode.hpp"
#include "isa/assembler.hpp"

namespace kerr::host {
namespace {

namespace wire = arch::cq;

struct Printed {
  int step = 0;
  void say(const std::string& text) { fmt::print("{:2}  {}\n", ++step, text); }
};

TEST(LaunchTrace, OneProgramInTwelveSteps) {
  EmulatedDevice device;
  Chip chip(device);
  const arch::DispatchPair pair = chip.dispatch_pair();
  CommandQueue queue(chip, {.overlap = false});
  NocIo& io = chip.io();
  const uint64_t before = queue.records();
  const uint32_t first_slot = static_cast<uint32_t>(before);
  uint32_t issue_wr;
  std::memcpy(&issue_wr, queue.region().data() + wire::kHostIssueQWr, 4);
  const uint32_t pages_before = io.read32(pair.dispatch, wire::sem_address(chip.layout(), wire::kDispatchCbSem));
  Printed out;

  // Host: the program as data, then as commands.
  isa::Assembler a;
  a.ret();
  const isa::Code code = a.finish(0x1000);
  image::Image kernel;
  kernel.name = "return";
  kernel.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  const std::span<const uint8_t> text = arch::as_uint8(code.bytes);
  segment.bytes.assign(text.begin(), text.end());
  segment.memory_bytes = static_cast<uint32_t>(segment.bytes.size());
  kernel.segments.push_back(segment);
  const std::vector<arch::NocCoord> cores = {{1, 2}, {2, 2}};
  Program program("seed");
  const auto id = program.add_kernel(arch::Hart::Ncrisc, kernel, cores);
  for (arch::NocCoord core : cores) program.set_args(id, core, {core.packed(), 7});
  const LaunchPlan plan = plan_launch(program);
  ASSERT_EQ(plan.groups.size(), 1u);
  out.say(fmt::format("host: program '{}': {} group, {} cores, image of {} bytes at {:#x}, {} bytes of arguments each",
                      program.name(), plan.groups.size(), plan.cores.size(), plan.groups[0].image.size(),
                      plan.groups[0].image_address, plan.args_bytes));
  queue.enqueue(program);
  const auto times = queue.finish();

  const auto all = cq::decode_region(queue.region());
  std::vector<cq::DecodedCommand> commands;
  for (const auto& c : all) {
    if (c.offset >= wire::kHostHeaderBytes + 16ull * issue_wr) commands.push_back(c);
  }
  std::vector<std::string_view> names;
  for (const auto& c : commands) names.push_back(c.payload.at(0).name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"TIMESTAMP", "WRITE_PACKED_LARGE", "WRITE_PACKED_LARGE",
                                                  "WRITE_PACKED", "WAIT", "SET_GO_SIGNAL_NOC_DATA", "WAIT",
                                                  "SEND_GO_SIGNAL", "WAIT", "TIMESTAMP", "WRITE_LINEAR_H_HOST"}));
  out.say(
      fmt::format("host: lowered to {} dispatch commands, timestamps around them, the event at the end", names.size()));
  for (const auto& c : commands) {
    EXPECT_EQ(c.name, "RELAY_INLINE");
    EXPECT_EQ(c.offset % 64, 0u);
    EXPECT_EQ(c.bytes % 64, 0u);
  }
  out.say("host: each wrapped as RELAY_INLINE, padded to 64 bytes");
  fmt::print("{}", cq::listing(commands));
  EXPECT_EQ(queue.records() - before, commands.size());
  out.say(fmt::format("host: {} records copied to the issue ring from {:#x} on, one prefetch_q entry each",
                      commands.size(), commands[0].offset));

  // Device: prefetcher.
  const uint32_t last_slot = first_slot + static_cast<uint32_t>(commands.size()) - 1;
  const uint32_t consumed = io.read32(pair.prefetch, wire::kPrefetchQRdPtr);
  EXPECT_EQ(consumed, wire::kPrefetchQ + wire::kPrefetchQEntryBytes * last_slot);
  for (uint32_t at = wire::kPrefetchQ; at <= consumed / 4 * 4; at += 4) EXPECT_EQ(io.read32(pair.prefetch, at), 0u);
  out.say(fmt::format("prefetch: every entry read over PCIe and freed, last one at {:#x}", consumed));
  const uint32_t pages =
      io.read32(pair.dispatch, wire::sem_address(chip.layout(), wire::kDispatchCbSem)) - pages_before;
  EXPECT_EQ(pages, commands.size()) << "each of these payloads fits one page";
  out.say(
      fmt::format("prefetch: payloads relayed to ({},{}), {} pages of 4 KiB", pair.dispatch.x, pair.dispatch.y, pages));

  // Dispatcher and workers.
  ASSERT_EQ(times.size(), 1u);
  out.say(fmt::format("dispatch: timestamp slot 0 = {} cycles", times[0].start_cycles));
  for (arch::NocCoord core : cores) {
    EXPECT_EQ(io.read32(core, plan.args_address), core.packed());
    EXPECT_EQ(io.read32(core, plan.groups[0].launch.kernel_text_offset[1] + chip.layout().kernel_config), 0x8067u);
  }
  out.say("dispatch: image, launch message and arguments are in both cores, then a barrier");
  for (arch::NocCoord core : cores) {
    EXPECT_EQ(io.read32(core, chip.layout().go_messages),
              uint32_t{pair.dispatch.y} << 16 | uint32_t{pair.dispatch.x} << 8)
        << "the go word, its signal cleared by the worker";
  }
  out.say("dispatch: table loaded, counter cleared, go word 0x80030e00 written to 0x370 of each core");
  for (arch::NocCoord core : cores) EXPECT_EQ(io.read32(core, chip.layout().launch_rd_ptr), 1u);
  EXPECT_EQ(io.read32(pair.dispatch, arch::stream_address(48, arch::stream::kSpaceAvailable)), 0u);
  out.say("workers: both ran, moved on to launch slot 1 and counted on stream 48, which the WAIT cleared");
  EXPECT_GT(times[0].end_cycles, times[0].start_cycles);
  uint32_t written, read, event;
  std::memcpy(&written, queue.region().data() + wire::kHostCompletionQWr, 4);
  std::memcpy(&read, queue.region().data() + wire::kHostCompletionQRd, 4);
  const uint64_t page = queue.region_layout().completion_offset() + wire::kPageBytes;  // the second event's
  std::memcpy(&event, queue.region().data() + page + 16, 4);
  EXPECT_EQ(event, 2u);
  out.say(fmt::format("dispatch: timestamp slot 1 = {} cycles; event {} in the completion ring, pointer {:#x}",
                      times[0].end_cycles, event, written));
  EXPECT_EQ(read, written);
  EXPECT_EQ(io.read32(pair.dispatch, wire::kDevCompletionQRdPtr), written);
  out.say(fmt::format("host: event read, pointer returned to {:#x}: {} cycles for the program",
                      wire::kDevCompletionQRdPtr, times[0].end_cycles - times[0].start_cycles));
  EXPECT_EQ(out.step, 12);
}

}  // namespace
}  // namespace kerr::host
