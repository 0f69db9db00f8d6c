// Random programs end as they do on qemu-riscv32: registers and memory, in every loop that executes instructions.
#include <gtest/gtest.h>

#include "arch/bytes.hpp"
#include "emu/hash.hpp"
#include "tests/emu/riscv/independent_program.hpp"
#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {
namespace {

struct Recorded {
  uint32_t seed;
  uint64_t hash;
};

constexpr Recorded kRecorded[] = {
#define QEMU(seed, hash) {seed, hash},
#include "tests/emu/riscv/qemu_vectors.def"
};

enum class Way { Fast, Plain, Reference, Exact, Cached };

Options options_of(Way way) {
  switch (way) {
    case Way::Fast: return {.parking = false};  // nothing is watched: the fast loop from begin to end
    case Way::Plain: return {};
    case Way::Reference: return {.scheduler = Scheduler::Reference};
    case Way::Exact: return {.timing = Timing::Exact};
    case Way::Cached: return {.icache = InstructionCaching::Exact};
  }
  return {};
}

uint64_t run(uint32_t seed, Way way) {
  const IndependentProgram program(seed);
  LoneHart lone(arch::Hart::Brisc, options_of(way));
  uint32_t at = IndependentProgram::kCode;
  for (const uint32_t word : program.words) lone.l1.store(at, word), at += 4;
  lone.l1.store(at, isa::riscv::encode(jump(0, 0)));
  lone.l1.write(IndependentProgram::kData, arch::as_uint8(program.data).first(IndependentProgram::kDataBytes));
  Hart& hart = lone.hart;
  hart.release_reset(IndependentProgram::kCode, 0, false);
  constexpr Cycle kEnd = 20'000;
  const Cycle no_limit = kNever;
  if (way == Way::Exact) {
    hart.run_exact(0, kEnd, no_limit);
  } else {
    hart.run(0, kEnd);
  }
  EXPECT_FALSE(lone.faults.any()) << "seed " << seed;
  EXPECT_EQ(hart.state().pc, at) << "seed " << seed;
  std::vector<uint8_t> result(IndependentProgram::kDataBytes + IndependentProgram::kResultBytes);
  lone.l1.read(IndependentProgram::kData, result);
  return mix_bytes(0, result);
}

TEST(RandomRv32Programs, EndAsOnQemuInEveryLoop) {
  for (const Recorded& v : kRecorded) {
    for (const Way way : {Way::Fast, Way::Plain, Way::Reference, Way::Exact, Way::Cached}) {
      ASSERT_EQ(run(v.seed, way), v.hash) << "seed " << v.seed << " way " << static_cast<int>(way);
    }
  }
}

}  // namespace
}  // namespace kerr::emu
