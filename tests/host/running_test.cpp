#include "host/program/running.hpp"

#include <gtest/gtest.h>

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
  program.add_kernel(arch::Hart::kNcrisc, kernel("reader"), cores);
  const LaunchPlan plan = plan_launch(program);
  const uint32_t text = plan.groups[0].kernels[0].text_address;
  DeviceStatus status;
  for (arch::NocCoord core : cores) {
    status.waiting.push_back(waiting(core, arch::Hart::kBrisc, 0x3D00));
    status.waiting.push_back(waiting(core, arch::Hart::kNcrisc, text + 0x14));
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
  program.add_kernel(arch::Hart::kNcrisc, kernel("reader"), cores);
  const RunningProgram running(program, plan_launch(program));
  DeviceStatus status;
  EXPECT_EQ(explain(
                running, [](arch::NocCoord) { return false; }, status),
            "");
  status.waiting.push_back(waiting(kA, arch::Hart::kNcrisc, 0x86B0));
  EXPECT_EQ(explain(
                running, [](arch::NocCoord) { return true; }, status),
            "");
}

TEST(Explain, TellsOfCoprocessorThreadsOfTheCore) {
  Program program("math");
  const arch::NocCoord cores[] = {kA};
  program.add_kernel(arch::Hart::kTrisc1, kernel("math"), cores);
  DeviceStatus status;
  status.waiting.push_back({kA, "T1", -1, 0, "MVMUL waits for SrcA"});
  const std::string text = explain(
      RunningProgram(program, plan_launch(program)), [](arch::NocCoord) { return false; }, status);
  EXPECT_NE(text.find("T1      MVMUL waits for SrcA"), std::string::npos) << text;
}

}  // namespace
}  // namespace kerr::host
