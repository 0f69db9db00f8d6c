// A matmul through the command queue, recorded, and run again from ten places without the host.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "jobs/matmul.hpp"
#include "kernels/matmul/matmul.hpp"

namespace kerr {
namespace {

struct Recorded {
  std::vector<std::vector<uint8_t>> snapshots;  // taken while the device works, evenly spread
  uint64_t hash = 0;                            // of the state at the end
  emu::Cycle end = 0;
};

// 96 x 64 x 128 through the queue. `period`: windows between two snapshots, 0: none.
Recorded matmul(host::EmulatedDevice& device, const std::string& log, int period, int* windows) {
  Recorded run;
  emu::InputRecorder recorder(device.machine(), log);
  device.after_window([&](emu::Machine& machine) {
    if (++*windows; period != 0 && *windows % period == 0) run.snapshots.push_back(emu::save_snapshot(machine));
  });
  {
    host::Chip chip(device);
    const kernels::MatmulPlan plan = jobs::plan({.shape = {96, 64, 128}}, chip.workers(), chip.layout());
    const auto tensor = [&](uint32_t rows, uint32_t columns) {
      return chip.allocate(host::Memory::Dram, uint64_t{rows} * columns * kernels::tile_bytes(kernels::Format::Bf16),
                           kernels::tile_bytes(kernels::Format::Bf16));
    };
    const host::Buffer a = tensor(plan.m_tiles, plan.k_tiles);
    const host::Buffer b = tensor(plan.k_tiles, plan.n_tiles);
    const host::Buffer c = tensor(plan.m_tiles, plan.n_tiles);
    chip.write(
        a, graph::to_tiles(graph::random_tensor(plan.m, plan.k, kernels::Format::Bf16, 1), plan.m_tiles, plan.k_tiles));
    chip.write(
        b, graph::to_tiles(graph::random_tensor(plan.k, plan.n, kernels::Format::Bf16, 2), plan.k_tiles, plan.n_tiles));
    const host::Program program =
        kernels::matmul_program(plan, chip.layout(), chip.workers(), {a.address(), b.address(), c.address()});
    host::CommandQueue queue(chip);
    queue.enqueue(program);
    queue.finish();
    std::vector<std::byte> tiles(c.bytes());
    chip.read(c, tiles);
  }
  device.after_window({});
  recorder.finish();
  run.hash = device.state_hash();
  run.end = device.cycles();
  return run;
}

TEST(Replay, OfAMatmulThroughTheQueueAgreesFromTenSnapshotsWithoutTheHost) {
  const std::string log = testing::TempDir() + "kerr_matmul_replay_" + std::to_string(::getpid()) + ".log";
  int windows = 0;
  uint64_t hash = 0;
  {
    host::EmulatedDevice device;
    hash = matmul(device, log, 0, &windows).hash;
  }
  host::EmulatedDevice device;
  const int period = std::max(1, windows / 11);
  windows = 0;
  const Recorded run = matmul(device, log, period, &windows);
  EXPECT_EQ(run.hash, hash) << "taking snapshots changed the run";
  ASSERT_GE(run.snapshots.size(), 10u);

  const size_t step = run.snapshots.size() / 10;
  for (size_t i = 0; i < 10; ++i) {
    emu::Machine machine{emu::Options{}};
    emu::load_snapshot(machine, run.snapshots[i * step]);
    EXPECT_LT(machine.now(), run.end);
    emu::Replay replay(machine, log);
    EXPECT_FALSE(replay.run());
    EXPECT_EQ(machine.now(), run.end);
    EXPECT_EQ(machine.state_hash(), run.hash) << "from snapshot " << i * step;
  }
  emu::Machine whole(emu::Options{.shards = 2});
  emu::Replay(whole, log).run();
  EXPECT_EQ(whole.state_hash(), run.hash);
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace kerr
