// The main job from end to end: emulated board, firmware, command queue, generated kernels, float64.
//
// The expected hashes were recorded by running `kerr matmul ... --library` (our firmware and kernels) on an independent
// functional simulator of the same chip, tenstorrent/ttsim 1.10, through its C ABI.
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <tuple>

#include "jobs/matmul.hpp"

namespace kerr::jobs {
namespace {

MatmulJob request(uint64_t m, uint64_t n, uint64_t k) {
  MatmulJob r{.shape = {m, n, k}};
  r.device.emulator.shards = 1;
  return r;
}

MatmulOutcome verified(const MatmulJob& r) {
  MatmulOutcome outcome = run(r);
  EXPECT_TRUE(outcome.agreement.good()) << "PCC " << outcome.agreement.pcc;
  return outcome;
}

constexpr uint64_t kHash512 = 0x2cb0568c632fee74;

TEST(Matmul, OfSize512GivesTheIndependentSimulatorsBitsOnBothBoards) {
  MatmulJob r = request(512, 512, 512);
  EXPECT_EQ(verified(r).hash, kHash512);
  r.device.emulator.boards = {arch::kP150};
  EXPECT_EQ(verified(r).hash, kHash512);
}

struct Formats {
  kernels::Format in, out;
  bool fp32;
  kernels::Fidelity fidelity;
  uint64_t hash;
};

TEST(Matmul, GivesTheIndependentSimulatorsBitsInEveryFormat) {
  using enum kernels::Format;
  using enum kernels::Fidelity;
  const Formats all[] = {
      {Bf16, Fp32, false, HiFi2, 0x2dde9f3037da5154}, {Bf16, Bfp8, false, HiFi2, 0x47196b5743200276},
      {Bf16, Bfp4, false, HiFi2, 0x2708bf1bc432867f}, {Bf16, Fp16, true, HiFi2, 0x8414f9656fa94f67},
      {Bf16, Fp32, true, HiFi2, 0x99a9001e105a7217},  {Bf16, Bfp8, true, HiFi2, 0xeb6e98edd4753081},
      {Bf16, Bfp4, true, HiFi2, 0x9611ea639189d0f4},  {Fp32, Fp32, false, HiFi4, 0xba05414216d47ce7},
      {Fp32, Bf16, false, HiFi2, 0x109f22c331082224}, {Fp16, Fp16, false, HiFi2, 0xd791e1ed7bb0ae30},
      {Fp16, Bf16, false, HiFi2, 0x97535c5869c6ef81}, {Fp16, Fp32, false, HiFi2, 0xd791e1ed7bb0ae30},
      {Fp16, Fp16, true, HiFi2, 0x8b750d384211c534},  {Fp16, Bfp8, true, HiFi2, 0x1f897307f316ac0a},
      {Bfp8, Bf16, false, HiFi2, 0xd44c83deadc1073b}, {Bfp8, Bfp8, false, HiFi2, 0x79f79581ea8b943f},
      {Bfp8, Fp32, true, HiFi2, 0x606ab0c5f3089af7},  {Bfp4, Bf16, false, HiFi2, 0xb8efa161a8adce0c},
      {Bfp4, Fp32, true, LoFi, 0x8acf19259324407d},   {Int8, Int32, false, HiFi4, 0xa263039f0993b95c},
  };
  for (const Formats& f : all) {
    MatmulJob r = request(64, 96, 128);
    r.options = {.fidelity = f.fidelity, .fp32_accumulate = f.fp32, .in = f.in, .out = f.out};
    const MatmulOutcome outcome = verified(r);
    EXPECT_EQ(outcome.hash, f.hash) << info(f.in).name << " to " << info(f.out).name;
    if (f.in == Int8) {
      EXPECT_EQ(outcome.agreement.max_error, 0);
    }
  }
}

TEST(Matmul, RefusesFormatsThatDoNotGoTogether) {
  const auto refusal = [](kernels::MatmulOptions options) -> std::string {
    MatmulJob r = request(32, 32, 32);
    r.options = options;
    r.fidelity_given = true;
    try {
      run(r);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  using enum kernels::Format;
  EXPECT_NE(refusal({.in = Int8, .out = Bf16}).find("leave Dst as int32"), std::string::npos);
  EXPECT_NE(refusal({.in = Int8, .out = Int32}).find("use fidelity hifi4"), std::string::npos);
  EXPECT_NE(refusal({.in = Bf16, .out = Int32}).find("do not leave Dst as integers"), std::string::npos);
  EXPECT_NE(refusal({.in = Bf16, .out = Fp16}).find("accumulate in fp32"), std::string::npos);
  EXPECT_NE(refusal({.in = Int32, .out = Int32}).find("int8 is the integer format"), std::string::npos);
}

TEST(Matmul, SlowAndFastDispatchGiveTheSameBits) {
  MatmulJob r = request(512, 512, 512);
  r.slow_dispatch = true;
  EXPECT_EQ(verified(r).hash, kHash512);
}

// All that must not depend on threads, on parking, or on being looked at.
void expect_equal_runs(const MatmulOutcome& a, const MatmulOutcome& b, const std::string& what) {
  EXPECT_EQ(a.hash, b.hash) << what;
  EXPECT_EQ(a.state_hash, b.state_hash) << what;
  EXPECT_NE(a.state_hash, 0u);
  EXPECT_EQ(a.device_cycles, b.device_cycles) << what;
  EXPECT_EQ(a.total_cycles, b.total_cycles) << what;
  EXPECT_EQ(a.boot_cycles, b.boot_cycles) << what;
  EXPECT_EQ(a.executed.hart_instructions, b.executed.hart_instructions) << what;
  EXPECT_EQ(a.executed.tensix_instructions, b.executed.tensix_instructions) << what;
}

// Slow and fast dispatch, in both timings.
class MatmulWays : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  MatmulJob request_of_way() const {
    MatmulJob r = request(96, 64, 128);
    r.cores = 6;
    r.slow_dispatch = std::get<0>(GetParam());
    r.device.emulator.timing = std::get<1>(GetParam()) ? emu::Timing::Exact : emu::Timing::Relaxed;
    r.observing.hash_state = true;
    return r;
  }
};
INSTANTIATE_TEST_SUITE_P(DispatchAndTiming, MatmulWays, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param) ? "Slow" : "Fast") + "Dispatch" +
                                  (std::get<1>(p.param) ? "Exact" : "Relaxed");
                         });

TEST_P(MatmulWays, ThreadsChangeNothing) {
  MatmulJob r = request_of_way();
  const MatmulOutcome one = verified(r);
  for (const int threads : {2, 3, 4, 8}) {
    r.device.emulator.shards = threads;
    expect_equal_runs(verified(r), one, std::to_string(threads) + " threads");
  }
}

TEST_P(MatmulWays, ObservingChangesNothingAndCountsWhatWasExecuted) {
  MatmulJob r = request_of_way();
  const MatmulOutcome plain = verified(r);
  r.observing.watch = Watch::Events;
  const MatmulOutcome observed = verified(r);
  expect_equal_runs(observed, plain, "observed");
  ASSERT_TRUE(observed.observed.has_value());
  EXPECT_FALSE(plain.observed.has_value());
  const report::Events& events = *observed.observed;
  uint64_t threads = 0;
  for (int thread = 0; thread < emu::kThreads; ++thread)
    threads += events.instructions[static_cast<size_t>(emu::agent_of_thread(thread))];
  EXPECT_EQ(threads, observed.executed.tensix_instructions);
  for (const report::Events::Packets& packets : events.packets) EXPECT_EQ(packets.left, packets.arrived);
  r.device.emulator.shards = 2;
  EXPECT_EQ(report::text(*verified(r).observed, ""), report::text(events, ""));
}

TEST(Matmul, TwoThreadsGiveTheSameBitsAndTheSameCycles) {
  MatmulJob r = request(256, 256, 256);
  r.observing.hash_state = true;
  const MatmulOutcome one = verified(r);
  r.device.emulator.shards = 2;
  expect_equal_runs(verified(r), one, "2 threads");
}

// Firmware, command queue and kernels wait for everything whose order the NoC leaves open, and invalidate what they
// overwrite.
class MatmulOnAnUnforgivingChip : public testing::TestWithParam<bool> {
 protected:
  MatmulJob request_of(uint64_t m, uint64_t n, uint64_t k) const {
    MatmulJob r = request(m, n, k);
    r.device.emulator.timing = GetParam() ? emu::Timing::Exact : emu::Timing::Relaxed;
    return r;
  }
};
INSTANTIATE_TEST_SUITE_P(Timing, MatmulOnAnUnforgivingChip, testing::Bool(),
                         [](const auto& p) { return p.param ? "Exact" : "Relaxed"; });

TEST_P(MatmulOnAnUnforgivingChip, GivesTheSameBitsHoweverPacketsPassEachOther) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    MatmulJob r = request_of(32, 32, 32);
    r.device.emulator.noc_reorder = seed;
    EXPECT_EQ(verified(r).hash, 0x5db17f14bb20943e) << "seed " << seed;
    r.slow_dispatch = true;
    EXPECT_EQ(verified(r).hash, 0x5db17f14bb20943e) << "seed " << seed << ", slow dispatch";
  }
}

TEST_P(MatmulOnAnUnforgivingChip, GivesTheSameBitsWithMulticastsInAnyOrder) {
  MatmulJob r = request_of(128, 128, 128);
  r.planner = Planner::Compat;
  const uint64_t orderly = verified(r).hash;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    r.device.emulator.noc_reorder = seed;
    EXPECT_EQ(verified(r).hash, orderly) << "seed " << seed;
  }
}

TEST_P(MatmulOnAnUnforgivingChip, RunsNoStaleCode) {
  MatmulJob r = request_of(64, 64, 64);
  const uint64_t hash = verified(r).hash;
  for (const auto icache : {emu::InstructionCaching::Exact, emu::InstructionCaching::Checked}) {
    r.device.emulator.icache = icache;
    r.slow_dispatch = !r.slow_dispatch;
    EXPECT_EQ(verified(r).hash, hash);
  }
}

TEST(Matmul, ExactTimingGivesTheSameBits) {
  MatmulJob r = request(96, 64, 128);
  const MatmulOutcome relaxed = verified(r);
  r.device.emulator.timing = emu::Timing::Exact;
  const MatmulOutcome exact = verified(r);
  EXPECT_EQ(exact.hash, relaxed.hash);
  EXPECT_EQ(relaxed.timing, "relaxed");
  EXPECT_EQ(exact.timing, "exact");
  EXPECT_NE(exact.device_cycles, relaxed.device_cycles);
  r.device.emulator.shards = 2;
  EXPECT_EQ(verified(r).device_cycles, exact.device_cycles);
}

// Harts that poll really spin.
TEST(Matmul, WithoutParkingGivesTheSameBitsAndTheSameCycles) {
  for (const bool slow_dispatch : {false, true}) {
    MatmulJob r = request(128, 256, 96);
    r.cores = 12;
    r.slow_dispatch = slow_dispatch;
    r.observing.hash_state = true;
    const MatmulOutcome parking = verified(r);
    r.device.emulator.parking = false;
    expect_equal_runs(verified(r), parking, "without parking");
  }
}

TEST(Matmul, WithoutParkingGivesTheSameInExactTiming) {
  for (const bool slow_dispatch : {false, true}) {
    MatmulJob r = request(32, 64, 64);
    r.cores = 2;
    r.slow_dispatch = slow_dispatch;
    r.device.emulator.timing = emu::Timing::Exact;
    r.observing.hash_state = true;
    const MatmulOutcome parking = verified(r);
    r.device.emulator.parking = false;
    expect_equal_runs(verified(r), parking, "without parking");
  }
}

TEST(Matmul, TenRunsInARowGiveTheSameHash) {
  const MatmulJob r = request(96, 64, 128);
  const MatmulOutcome first = verified(r);
  for (int run = 1; run < 10; ++run) {
    const MatmulOutcome again = verified(r);
    ASSERT_EQ(again.hash, first.hash);
    ASSERT_EQ(again.device_cycles, first.device_cycles);
  }
}

struct Shape {
  uint64_t m, n, k;
  kernels::MatmulOptions options;
  uint64_t hash;
};

// The shape is the test's name in listings.
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.m << " x " << shape.n << " x " << shape.k; }

class MatmulShapes : public testing::TestWithParam<Shape> {};

TEST_P(MatmulShapes, GiveTheIndependentSimulatorsBits) {
  MatmulJob r = request(GetParam().m, GetParam().n, GetParam().k);
  r.options = GetParam().options;
  EXPECT_EQ(verified(r).hash, GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(OddAndPadded, MatmulShapes,
                         testing::Values(Shape{32, 32, 32, {}, 0x5db17f14bb20943e},
                                         Shape{33, 65, 1, {}, 0x469c9da160fd9c35},
                                         Shape{256, 96, 160, {kernels::Fidelity::HiFi4, true}, 0x7d667d4d9d7fe602},
                                         Shape{96, 256, 256, {kernels::Fidelity::LoFi, false}, 0xc3ff7f6a2df43d32}));

TEST(Matmul, AShapeOf118ColumnsOfTilesFillsEveryWorker) {
  MatmulJob r = request(32, 118 * 32, 64);
  r.planner = Planner::Direct;
  const MatmulOutcome outcome = verified(r);
  EXPECT_EQ(outcome.plan.cores(), 118u);
  EXPECT_EQ(outcome.workers, 118u);
}

TEST(Matmul, SizesOfZeroAndSizesThatAreTooLargeAreRefusedWithASentence) {
  for (const auto& [m, n, k, sentence] : {std::tuple{0u, 1u, 1u, "M must be at least 1"},
                                          {1u, (1u << 20) + 1, 1u, "N is 1048577; at most 1048576 is possible"},
                                          {1u, 1u, 0u, "K must be at least 1"}}) {
    try {
      run(request(m, n, k));
      FAIL() << "accepted";
    } catch (const std::invalid_argument& e) {
      EXPECT_STREQ(e.what(), sentence);
    }
  }
}

// The multicast dataflow, with sums that stay in Dst, sums that are completed in L1, held operands of both kinds,
// receivers on both sides of the DRAM columns.
TEST(Matmul, MulticastGivesTheIndependentSimulatorsBits) {
  struct Case {
    uint64_t m, n, k;
    kernels::Fidelity fidelity;
    uint64_t hash;
  };
  for (const Case& c : {Case{256, 256, 256, kernels::Fidelity::HiFi2, 0xefc02a18d8ac7e59},
                        Case{64, 96, 2560, kernels::Fidelity::HiFi2, 0xc22c107cc59bd14b},
                        Case{512, 512, 2048, kernels::Fidelity::HiFi2, 0xc5aeaf9ec5a599e6},
                        Case{288, 320, 1088, kernels::Fidelity::LoFi, 0x820527e76252ab79}}) {
    MatmulJob r = request(c.m, c.n, c.k);
    r.device.emulator.boards = {arch::kP150};
    r.planner = Planner::Compat;
    r.options.fidelity = c.fidelity;
    EXPECT_EQ(verified(r).hash, c.hash) << c.m << " x " << c.n << " x " << c.k;
  }
}

TEST(Matmul, MulticastAndDirectGiveTheSameBitsWithoutSumsInL1) {
  MatmulJob r = request(512, 512, 512);
  r.planner = Planner::Compat;
  const MatmulOutcome multicast = verified(r);
  EXPECT_TRUE(multicast.plan.multicast());
  EXPECT_EQ(multicast.hash, kHash512);

  using enum kernels::Format;
  const kernels::MatmulOptions all[] = {
      {},
      {.fp32_accumulate = true, .out = Fp32},
      {.in = Fp16, .out = Fp16},
      {.in = Bfp8, .out = Bfp8},
      {.in = Bfp4},
      {.in = Fp32, .out = Fp32},
      {.fidelity = kernels::Fidelity::HiFi4, .in = Int8, .out = Int32},
  };
  for (const kernels::MatmulOptions& options : all) {
    r = request(200, 300, 400);
    r.options = options;
    r.planner = Planner::Direct;
    const uint64_t direct = verified(r).hash;
    r.planner = Planner::Multicast;
    const MatmulOutcome other = verified(r);
    EXPECT_TRUE(other.plan.multicast());
    EXPECT_FALSE(other.plan.has_partials());
    EXPECT_EQ(other.hash, direct) << info(options.in).name;
  }
}

// On few cores, so that K comes in many blocks and every core has many sub-blocks.
TEST(Matmul, SumsThatWaitInL1GiveTheIndependentSimulatorsBits) {
  using enum kernels::Format;
  struct Case {
    kernels::MatmulOptions options;
    double relative_error;
    uint64_t hash;
  };
  for (const Case& c :
       {Case{{}, 0.011, 0x15fc7f996b6d8aed}, Case{{.out = Fp32}, 0.011, 0x86bd5b8d4d86627a},
        Case{{.fp32_accumulate = true, .out = Fp32}, 4e-3, 0xb91907bcdf418076},
        Case{{.fidelity = kernels::Fidelity::HiFi4, .fp32_accumulate = true, .out = Fp32}, 2e-4, 0x3a3117f69b1264cc},
        Case{{.fp32_accumulate = true}, 5e-3, 0xa0e6050bf5df4146},
        Case{{.fp32_accumulate = true, .in = Bfp8, .out = Bfp8}, 1e-2, 0xdc04efe93fb3d339},
        Case{{.in = Bfp8}, 0.02, 0x0d32ee4f0c4d3a24}}) {
    MatmulJob r = request(256, 320, 2048);
    r.cores = 2;
    r.planner = Planner::Multicast;
    r.options = c.options;
    const MatmulOutcome outcome = verified(r);
    EXPECT_TRUE(outcome.plan.has_partials());
    EXPECT_LE(outcome.agreement.relative_error, c.relative_error) << info(c.options.out).name;
    EXPECT_EQ(outcome.hash, c.hash) << info(c.options.in).name << " to " << info(c.options.out).name;
  }
}

struct EpilogueCase {
  kernels::MatmulOptions options;
  Planner planner;
  uint32_t cores;
  const char* epilogue;
  bool bias;
  uint64_t hash;
};

TEST(Matmul, BiasAndEpilogueGiveTheIndependentSimulatorsBits) {
  using enum kernels::Format;
  const EpilogueCase all[] = {
      {{}, Planner::Direct, 0, "", true, 0x7fa9c2e5f385ba10},
      {{}, Planner::Direct, 0, "gelu(x)", true, 0xa6259dfd407264c7},
      {{}, Planner::Multicast, 0, "gelu(x)", true, 0xa6259dfd407264c7},
      {{}, Planner::Direct, 0, "relu(x) * 0.5", false, 0x4c54b640b3f5f7fd},
      {{.fp32_accumulate = true, .out = Fp32}, Planner::Direct, 0, "gelu(x)", true, 0x6560d2efce983091},
      {{.fp32_accumulate = true, .out = Fp32}, Planner::Multicast, 0, "gelu(x)", true, 0x6560d2efce983091},
      {{.fp32_accumulate = true}, Planner::Multicast, 2, "tanh(x)", true, 0xd1d96d3b04d39d4f},
      {{.in = Bfp8}, Planner::Multicast, 2, "sigmoid(x)", true, 0xf85c826ec75cf127},
  };
  for (const EpilogueCase& c : all) {
    MatmulJob r = request(160, 200, 1024);
    r.options = c.options;
    r.planner = c.planner;
    r.cores = c.cores;
    r.epilogue = c.epilogue;
    r.bias = c.bias;
    EXPECT_EQ(verified(r).hash, c.hash) << c.epilogue << " of " << info(c.options.in).name;
  }
}

// What four bits leave of ten epilogues is what rounding explains, however little that is.
TEST(Matmul, EpiloguesInFourBitsAreOffAsFarAsTheirRoundingAlone) {
  for (const char* epilogue : {"", "relu(x)", "gelu(x)", "silu(x)", "tanh(x)", "sigmoid(x)", "x * x", "sqrt(abs(x))",
                               "exp(-x * x) + 1", "x * 0.001 + 1"}) {
    MatmulJob r = request(96, 100, 128);
    r.options = {.fidelity = kernels::Fidelity::HiFi4, .fp32_accumulate = true, .out = kernels::Format::Bfp4};
    r.epilogue = epilogue;
    const MatmulOutcome outcome = verified(r);
    ASSERT_TRUE(outcome.agreement.rounding) << epilogue;
    EXPECT_NEAR(outcome.agreement.relative_error, outcome.agreement.rounding->relative_error, 1e-3) << epilogue;
    EXPECT_NEAR(outcome.agreement.pcc, outcome.agreement.rounding->pcc, 1e-3) << epilogue;
  }
}

TEST(Matmul, RefusesEpiloguesThatAreNotOfElementsOrHaveOtherOperands) {
  for (const auto& [epilogue, part] :
       {std::pair{"rowsum(x)", "element by element"}, {"x + y", "'y'"}, {"x", "nothing to compute"}}) {
    MatmulJob r = request(32, 32, 32);
    r.epilogue = epilogue;
    try {
      run(r);
      FAIL() << epilogue;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Matmul, ABatchGivesTheIndependentSimulatorsBits) {
  for (const Planner planner : {Planner::Direct, Planner::Multicast}) {
    MatmulJob r = request(70, 100, 64);
    r.planner = planner;
    r.options.batch = 5;
    r.cores = 7;  // direct: grids that get one or two of them
    r.bias = true;
    r.epilogue = "relu(x)";
    const MatmulOutcome outcome = verified(r);
    EXPECT_EQ(outcome.agreement.rows, 5u * 70);
    EXPECT_EQ(outcome.hash, 0x4721e076fec02572);
  }
  MatmulJob r = request(256, 320, 2048);  // sums in L1, which the next product finds empty
  r.cores = 2;
  r.planner = Planner::Multicast;
  r.options.batch = 3;
  MatmulOutcome outcome = verified(r);
  EXPECT_TRUE(outcome.plan.has_partials());
  EXPECT_EQ(outcome.hash, 0xc4008b837d88fab2);
  r.options.fp32_accumulate = true;
  outcome = verified(r);
  EXPECT_TRUE(outcome.plan.has_partials());
  EXPECT_EQ(outcome.hash, 0x5849faa3a07824a6);
  r.options.batch = 5000;
  EXPECT_THROW(run(r), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::jobs
