// A fault says which program, kernel and source line it was, in what() too; and a hart that pauses stops nobody else.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "image/image.hpp"
#include "isa/source_location.hpp"
#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/multicast.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::host {
namespace {

using namespace isa::reg;

constexpr arch::NocCoord kFirstCore{1, 2}, kOther{2, 2};

struct Mistake {
  Program program;
  uint32_t line;  // of this file, that a report has to name
};

uint32_t here(SourceLocation where = SourceLocation::current()) { return where.line(); }

Mistake loads_from_nowhere(arch::NocCoord core = kFirstCore) {
  kernels::Stream a;
  a.function("my_kernel");
  kernels::enter(a);
  a.li(t0, 0x200000);
  const uint32_t line = here() + 1;
  a.lw(t1, t0);
  kernels::leave(a);
  Program program("mine");
  program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "wild"), {&core, 1});
  return {std::move(program), line};
}

// 32-bit data have no form in SrcA: the coprocessor's thread faults, not the hart.
Mistake pushes_a_word_that_is_no_instruction() {
  kernels::Stream a;
  a.function("my_kernel");
  kernels::enter(a);
  const uint32_t line = here() + 1;
  a.ttinsn(0x0F000000);
  kernels::leave(a);
  Program program("mine");
  program.add_kernel(arch::Hart::Trisc1, image::Image::from(a.finish(), "math"), {&kFirstCore, 1});
  return {std::move(program), line};
}

Mistake waits_for_a_semaphore_that_nobody_raises() {
  kernels::Stream a;
  a.function("ping");
  kernels::enter(a);
  a.mv(s1, a2);
  a.li(s2, 1);
  const uint32_t line = here() + 1;
  kernels::await_semaphore(a, s1, 1, s2, 1);
  kernels::leave(a);
  Program program("pingpong");
  program.add_semaphore();
  program.add_semaphore();
  program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "ping"), {&kFirstCore, 1});
  return {std::move(program), line};
}

Mistake asserts(arch::NocCoord core = kFirstCore) {
  kernels::Stream a;
  a.function("checks");
  const uint32_t line = here() + 1;
  a.ebreak();
  a.ret();
  Program program("asserts");
  program.add_kernel(arch::Hart::Ncrisc, image::Image::from(a.finish(), "checks"), {&core, 1});
  return {std::move(program), line};
}

Program returns(arch::NocCoord core) {
  kernels::Stream a;
  a.ret();
  Program program("fine");
  program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "fine"), {&core, 1});
  return program;
}

using Launch = std::function<void(Chip&, const Program&)>;
void slowly(Chip& chip, const Program& program) { chip.run(program); }
void by_queue(Chip& chip, const Program& program) {
  CommandQueue queue(chip);
  queue.enqueue(returns(kOther));
  queue.enqueue(program);
  queue.finish();
}

std::string what_of(const Mistake& mistake, const Launch& launch, bool exact, Category* category = nullptr) {
  EmulatedDevice device({.chip = {.timing = exact ? emu::Timing::Exact : emu::Timing::Relaxed}});
  Chip chip(device);
  try {
    launch(chip, mistake.program);
  } catch (const DeviceError& error) {
    if (category) *category = error.category();
    return error.what();
  }
  return "it returned";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string place(const Mistake& mistake) { return "fault_test.cpp:" + std::to_string(mistake.line); }

class Faults : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Timings, Faults, testing::Bool(), [](const auto& p) { return p.param ? "Exact" : "Relaxed"; });

TEST_P(Faults, OfAHartNameProgramKernelLineAndCauseInOneLine) {
  const Mistake mistake = loads_from_nowhere();
  for (const Launch& launch : {Launch(slowly), Launch(by_queue)}) {
    Category category{};
    const std::string what = what_of(mistake, launch, GetParam(), &category);
    EXPECT_EQ(category, Category::OutOfBounds) << what;
    const std::string first = what.substr(0, what.find('\n'));
    EXPECT_PRED2(says, first,
                 "OutOfBounds: program 'mine': core (1,2) BRISC, kernel 'wild' at my_kernel()+0x4  " + place(mistake) +
                     ", lw t1, 0(t0): ");
    EXPECT_PRED2(says, first, "0x00200000");
    EXPECT_PRED2(says, what, "program 'mine' has faulted:\n");
    EXPECT_PRED2(says, what, "Fault: OutOfBounds at cycle ");
  }
  EXPECT_PRED2(says, what_of(mistake, by_queue, GetParam()), "(the host was waiting for: event 2)\n");
}

TEST_P(Faults, OfACoprocessorThreadNameTheKernelAndLineThatPush) {
  const Mistake mistake = pushes_a_word_that_is_no_instruction();
  for (const Launch& launch : {Launch(slowly), Launch(by_queue)}) {
    const std::string what = what_of(mistake, launch, GetParam());
    EXPECT_PRED2(says, what, "program 'mine': core (1,2) T1, fed by kernel 'math' of TRISC1 pushed at my_kernel()");
    EXPECT_PRED2(says, what, place(mistake));
  }
}

TEST_P(Faults, OfAReplayedTraceNameTheProgramToo) {
  const Mistake mistake = loads_from_nowhere();
  const std::string what = what_of(
      mistake,
      [](Chip& chip, const Program& program) {
        CommandQueue queue(chip);
        queue.begin_trace();
        queue.enqueue(returns(kFirstCore));
        queue.enqueue(program);
        const Trace trace = queue.end_trace();
        queue.replay(trace);
        queue.finish();
      },
      GetParam());
  EXPECT_PRED2(says, what, "program 'mine': core (1,2) BRISC, kernel 'wild' at my_kernel()+0x4");
}

TEST_P(Faults, ADeadlockNamesTheLineThatCallsTheBlockAndTheSemaphore) {
  const Mistake mistake = waits_for_a_semaphore_that_nobody_raises();
  const std::pair<Launch, std::string> ways[] = {{slowly, ": core (1,2) has not finished"},
                                                 {by_queue, " has not finished: event 2: it never happened"}};
  for (const auto& [launch, end] : ways) {
    Category category{};
    const std::string what = what_of(mistake, launch, GetParam(), &category);
    EXPECT_EQ(category, Category::Deadlock) << what;
    EXPECT_PRED2(says, what, place(mistake) + " (multicast.cpp:");
    EXPECT_PRED2(says, what, "(holds 0x0) = semaphore 1 of the program");
    EXPECT_PRED2(says, what.substr(0, what.find('\n')), "Deadlock: program 'pingpong'" + end);
  }
}

TEST_P(Faults, AnEbreakIsNoneAndWhoWaitsForItsProgramIsToldWhereItPauses) {
  const Mistake mistake = asserts();
  for (const Launch& launch : {Launch(slowly), Launch(by_queue)}) {
    Category category{};
    const std::string what = what_of(mistake, launch, GetParam(), &category);
    EXPECT_EQ(category, Category::Deadlock) << what;
    EXPECT_PRED2(says, what, "NCRISC  kernel 'checks' paused at ebreak, pc 0x");
    EXPECT_PRED2(says, what, "checks()  " + place(mistake));
  }
}

TEST_P(Faults, AnEbreakStopsNeitherOtherCoresNorTheHost) {
  EmulatedDevice device({.chip = {.timing = GetParam() ? emu::Timing::Exact : emu::Timing::Relaxed}});
  Chip chip(device);
  EXPECT_THROW(chip.run(asserts().program), DeviceError);
  EXPECT_NE(device.status().state, DeviceStatus::State::Faulted);
  chip.run(returns(kOther));
  EXPECT_EQ(chip.io().read32(kFirstCore, 0), chip.io().read32(kOther, 0)) << "its memory can be read";
}

}  // namespace
}  // namespace kerr::host
