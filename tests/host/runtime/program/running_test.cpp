#include "host/runtime/program/running.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "isa/riscv/instructions.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kA{1, 2}, kB{2, 2}, kC{3, 2};

image::Image kernel(const std::string& name) {
  image::Image image;
  image.name = name;
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000, .bytes = std::vector<uint8_t>(64)};
  segment.memory_bytes = 64;
  segment.executable = true;
  image.segments.push_back(segment);
  image.symbols.push_back({"wait_for_page", 0x1010, 16, isa::Symbol::Kind::Function});
  return image;
}

DeviceStatus::Waiting waiting(arch::NocCoord tile, arch::Hart hart, uint32_t pc) {
  return {tile, arch::kHartNames[static_cast<size_t>(hart)], static_cast<int>(hart), pc, "polling"};
}

TEST(Explain, NamesTheKernelAndItsPlaceAndToldAlikeCoresOnce) {
  Program program("stuck");
  const arch::NocCoord cores[] = {kA, kB, kC};
  program.add_kernel(arch::Hart::Ncrisc, kernel("reader"), cores);
  const LaunchPlan plan = plan_launch(program);
  const uint32_t text = plan.groups[0].kernels[0].text_address;
  DeviceStatus status;
  for (arch::NocCoord core : cores) {
    status.waiting.push_back(waiting(core, arch::Hart::Brisc, 0x3D00));
    status.waiting.push_back(waiting(core, arch::Hart::Ncrisc, text + 0x14));
  }
  const auto is_done = [](arch::NocCoord core) { return core == kB; };
  EXPECT_EQ(explain(RunningProgram(program, plan), is_done, status),
            "program 'stuck' is stuck:\n"
            "  core (1,2) and 1 more alike\n"
            "    NCRISC  kernel 'reader' polling\n"
            "            at wait_for_page()+0x4\n");
}

TEST(Explain, SaysNothingWhenAllCoresAreDoneOrTheDeviceCannotTell) {
  Program program("fine");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Ncrisc, kernel("reader"), cores);
  const RunningProgram running(program, plan_launch(program));
  DeviceStatus status;
  EXPECT_EQ(explain(
                running, [](arch::NocCoord) { return false; }, status),
            "");
  status.waiting.push_back(waiting(kA, arch::Hart::Ncrisc, 0x86B0));
  EXPECT_EQ(explain(
                running, [](arch::NocCoord) { return true; }, status),
            "");
}

TEST(Explain, TellsOfCoprocessorThreadsOfTheCore) {
  Program program("math");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Trisc1, kernel("math"), cores);
  DeviceStatus status;
  status.waiting.push_back({kA, "T1", -1, 0, "MVMUL waits for SrcA"});
  const std::string text = explain(
      RunningProgram(program, plan_launch(program)), [](arch::NocCoord) { return false; }, status);
  EXPECT_NE(text.find("T1      MVMUL waits for SrcA"), std::string::npos) << text;
}

TEST(Explain, SaysWhatAThreadWaitsForAtAHardwareSemaphore) {
  Program program("dst");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Trisc1, kernel("math"), cores);
  const RunningProgram running(program, plan_launch(program));
  const auto told = [&running](const std::string& thread, uint8_t semaphores) {
    DeviceStatus status;
    status.waiting.push_back({kA, thread, -1, 0, "SEMWAIT", {}, semaphores});
    return explain(
        running, [](arch::NocCoord) { return false; }, status);
  };
  EXPECT_NE(told("T1", 0b10).find("SEMWAIT = MATH_PACK: math waits for pack to release a half of Dst "),
            std::string::npos);
  EXPECT_NE(told("T2", 0b10).find("SEMWAIT = MATH_PACK: pack waits for math to commit a half of Dst "),
            std::string::npos);
  EXPECT_NE(told("T1", 0b1000'0000).find("SEMWAIT\n"), std::string::npos) << "no kernel waits there";
}

TEST(Explain, NamesTheSemaphoreThatAHartPolls) {
  Program program("ping");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Ncrisc, kernel("ping"), cores);
  program.add_semaphore();
  program.add_semaphore();
  const LaunchPlan plan = plan_launch(program);
  const RunningProgram running(program, plan);
  DeviceStatus status;
  status.waiting.push_back(waiting(kA, arch::Hart::Ncrisc, plan.groups[0].kernels[0].text_address));
  status.waiting[0].l1 = {running.semaphore_address + 16};
  const std::string text = explain(
      running, [](arch::NocCoord) { return false; }, status);
  EXPECT_NE(text.find("kernel 'ping' polling = semaphore 1 of the program\n"), std::string::npos) << text;
  status.waiting[0].l1 = {running.semaphore_address + 32};
  EXPECT_EQ(explain(
                running, [](arch::NocCoord) { return false; }, status)
                .find("semaphore"),
            std::string::npos);
}

DeviceStatus faulted(DeviceStatus::Faulted fault) {
  DeviceStatus status{DeviceStatus::State::Faulted, Category::OutOfBounds};
  status.faults.push_back(std::move(fault));
  return status;
}

TEST(ExplainFault, NamesProgramCoreKernelPlaceInstructionAndCause) {
  Program program("mine");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Ncrisc, kernel("reader"), cores);
  const LaunchPlan plan = plan_launch(program);
  const RunningProgram running(program, plan);
  const uint32_t pc = plan.groups[0].kernels[0].text_address + 0x14;
  const auto fault = explain_fault(running, faulted({.tile = kA,
                                                     .agent = "NCRISC",
                                                     .hart = static_cast<int>(arch::Hart::Ncrisc),
                                                     .pc = pc,
                                                     .instruction = "lw t1, 0(t0)",
                                                     .cause = "load of 0x00200000: nothing is mapped there"}));
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->certain);
  EXPECT_EQ(fault->sentence,
            "program 'mine': core (1,2) NCRISC, kernel 'reader' at wait_for_page()+0x4, lw t1, 0(t0): load of "
            "0x00200000: nothing is mapped there");
  EXPECT_EQ(fault->lines,
            "program 'mine' has faulted:\n"
            "  core (1,2)\n"
            "    NCRISC  kernel 'reader', lw t1, 0(t0)\n"
            "            at wait_for_page()+0x4\n"
            "            load of 0x00200000: nothing is mapped there\n");
}

TEST(ExplainFault, SaysThatAHartHasLeftItsKernel) {
  Program program("mine");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Ncrisc, kernel("reader"), cores);
  const RunningProgram running(program, plan_launch(program));
  const auto fault = explain_fault(
      running, faulted({.tile = kA, .agent = "NCRISC", .hart = 1, .pc = 0x200000, .cause = "instruction fetch"}));
  ASSERT_TRUE(fault);
  EXPECT_FALSE(fault->certain);
  EXPECT_NE(fault->sentence.find("kernel 'reader' which has left its code: pc 0x200000: instruction fetch"),
            std::string::npos)
      << fault->sentence;
}

TEST(ExplainFault, SaysWhereTheKernelOfTheTriscPushesTheThreadsInstruction) {
  constexpr uint32_t kWord = 0x26000000;  // MVMUL
  image::Image math = kernel("math");
  const uint32_t pushes = isa::riscv::encode({.op = isa::riscv::Op::Ttinsn, .imm = static_cast<int32_t>(kWord)});
  std::memcpy(math.segments[0].bytes.data() + 0x18, &pushes, 4);
  Program program("mine");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Trisc1, math, cores);
  const LaunchPlan plan = plan_launch(program);
  const RunningProgram running(program, plan);
  const uint32_t text = plan.groups[0].kernels[0].text_address;
  DeviceStatus::Faulted at{.tile = kA, .agent = "T1", .thread = 1, .pc = text + 0x3C, .word = kWord, .cause = "no"};
  EXPECT_EQ(explain_fault(running, faulted(at))->sentence,
            "program 'mine': core (1,2) T1, fed by kernel 'math' of TRISC1 pushed at wait_for_page()+0x8: no");
  at.word = 0x27000000;  // as an expander makes them
  at.pc = text + 0x1C;
  EXPECT_EQ(explain_fault(running, faulted(at))->sentence,
            "program 'mine': core (1,2) T1, fed by kernel 'math' of TRISC1 which is by now at wait_for_page()+0xc: no");
}

TEST(ExplainFault, SaysNothingOfOthersTiles) {
  Program program("mine");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::Ncrisc, kernel("reader"), cores);
  const RunningProgram running(program, plan_launch(program));
  EXPECT_FALSE(explain_fault(running, faulted({.tile = kB, .agent = "NCRISC", .hart = 1})));
  EXPECT_FALSE(explain_fault(running, faulted({.tile = kA, .agent = "BRISC", .hart = 0})));
  EXPECT_FALSE(explain_fault(running, faulted({.tile = kA, .agent = "inbox"})));
}

}  // namespace
}  // namespace kerr::host
