// A hang is reported at once, with who waits for what; firmware that idles is not a hang.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "image/image.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/frame.hpp"

namespace kerr::host {
namespace {

using namespace isa::reg;

// TRISC0 waits for a page of circular buffer 3; nobody pushes one.
Program waits_forever() {
  kernels::Stream a;
  a.function("consumer");
  kernels::enter(a);
  const kernels::ComputeBuffer buffer{3, 2, s4, s5, a3};
  buffer.open_for_reading(a);
  buffer.wait_front(a, 1);
  kernels::leave(a);
  Program program("waits_forever");
  program.add_circular_buffer({.id = 3, .pages = 2, .page_bytes = 2048});
  const arch::NocCoord core{1, 2};
  program.add_kernel(arch::Hart::Trisc0, image::Image::from(a.finish(), "consumer"), {&core, 1});
  return program;
}

Program returns_at_once() {
  kernels::Stream a;
  a.ret();
  Program program("returns");
  const arch::NocCoord core{1, 2};
  program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "returns"), {&core, 1});
  return program;
}

void expect_the_report(const DeviceError& error) {
  EXPECT_EQ(error.category(), Category::Deadlock);
  const std::string& report = error.report();
  EXPECT_NE(report.find("(1,2)"), std::string::npos) << report;
  EXPECT_NE(report.find("TRISC0"), std::string::npos) << report;
  EXPECT_NE(report.find("pc 0x"), std::string::npos) << report;
  EXPECT_NE(report.find("circular buffer 3"), std::string::npos) << report;
}

template <class Launch>
void expect_deadlock(Launch launch) {
  EmulatedDevice device;
  Chip chip(device);
  const auto start = std::chrono::steady_clock::now();
  try {
    launch(chip);
    FAIL() << "it returned";
  } catch (const DeviceError& error) {
    expect_the_report(error);
    if (std::getenv("KERR_SHOW_REPORTS")) std::fprintf(stderr, "%s\n%s\n", error.what(), error.report().c_str());
  }
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
  testing::Test::RecordProperty("milliseconds", static_cast<int>(milliseconds));
}

TEST(Deadlock, SlowDispatchReportsAKernelThatWaitsForATileInVain) {
  expect_deadlock([](Chip& chip) { chip.run(waits_forever()); });
}

TEST(Deadlock, AndByFastDispatch) {
  expect_deadlock([](Chip& chip) {
    CommandQueue queue(chip);
    queue.enqueue(waits_forever());
    queue.finish();
  });
}

TEST(Deadlock, IdleFirmwareIsNotReported) {
  EmulatedDevice device;
  Chip chip(device);
  chip.run(returns_at_once());
  EXPECT_EQ(device.wait([] { return false; }, {1'000'000, {}}), WaitResult::Quiescent);
  EXPECT_EQ(device.status().state, DeviceStatus::State::Quiescent);
  chip.run(returns_at_once());  // and it still works
  CommandQueue queue(chip);
  queue.enqueue(returns_at_once());
  EXPECT_EQ(queue.finish().size(), 1u);
}

}  // namespace
}  // namespace kerr::host
