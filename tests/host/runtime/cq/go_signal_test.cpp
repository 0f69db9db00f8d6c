// When and to whom go words leave, as somebody sees who watches the NoC.   docs/hardware/fast-dispatch.md 12.3, 12.4
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "isa/assembler.hpp"

namespace kerr::host {
namespace {

struct Packet {
  emu::Cycle sent, arrival;
  uint64_t name;
  bool multicast, linked;
};

// Notes the packets of the tile that sends go words, and counts those.
class Watcher : public emu::Observer {
 public:
  void packet_arrived(const emu::Message& m) override {
    if (m.kind != emu::MessageKind::Write || !m.marked) return;
    const std::lock_guard lock(mutex_);
    const bool go = m.address == arch::kFwB.go_messages && m.payload.size() == 4;
    auto& [data, words] = of_[m.source];
    (go ? words : data).push_back({m.sent, m.arrival, m.packet, m.multicast, m.linked});
  }
  struct Sender {
    std::vector<Packet> data, go;
  };
  // The one whose words are many: who boots tiles and starts the kernels is no tile.
  const Sender& sender() const {
    return std::max_element(of_.begin(), of_.end(),
                            [](const auto& a, const auto& b) { return a.second.go.size() < b.second.go.size(); })
        ->second;
  }
  void clear() { of_.clear(); }

 private:
  std::mutex mutex_;
  std::map<emu::TileId, Sender> of_;
};

image::Image nothing() {
  isa::Assembler a;
  a.ret();
  return image::Image::from(a.finish(0x1000), "nothing");
}

Program nothing_on(std::span<const arch::NocCoord> cores) {
  Program program("nothing");
  const auto kernel = program.add_kernel(arch::Hart::Brisc, nothing(), cores);
  for (arch::NocCoord core : cores) program.set_args(kernel, core, {core.packed()});
  return program;
}

size_t packets(const std::vector<Packet>& messages) {
  std::map<uint64_t, int> names;
  for (const Packet& p : messages) ++names[p.name];
  return names.size();
}

// All workers, half of them, and as many as no multicast is worth; sent by the dispatcher and by dispatch_s.
TEST(GoSignal, ReachesEachCoreOnceInFewPackets) {
  for (const bool subordinate : {false, true}) {
    Watcher watcher;
    EmulatedDevice device({.chip = {.observer = &watcher}});
    Chip chip(device);
    CommandQueue queue(chip, {.subordinate = subordinate});
    for (const auto& [cores, expected] : {std::pair{118, 1 + 8}, {48, 1 + 4}, {5, 5}}) {
      queue.finish();
      watcher.clear();
      queue.enqueue(nothing_on(chip.workers().first(static_cast<size_t>(cores))));
      queue.finish();
      EXPECT_EQ(watcher.sender().go.size(), static_cast<size_t>(cores));
      EXPECT_EQ(packets(watcher.sender().go), static_cast<size_t>(expected)) << cores << " cores";
    }
  }
}

TEST(GoSignal, GoesToOneCoreAfterTheOtherIfAskedFor) {
  for (const bool subordinate : {false, true}) {
    Watcher watcher;
    EmulatedDevice device({.chip = {.observer = &watcher}});
    Chip chip(device);
    CommandQueue queue(chip, {.subordinate = subordinate, .multicast_go = false});
    queue.finish();
    watcher.clear();
    queue.enqueue(nothing_on(chip.workers()));
    queue.finish();
    EXPECT_EQ(packets(watcher.sender().go), 118u);
    const auto multicast = [](const Packet& p) { return p.multicast; };
    EXPECT_TRUE(std::none_of(watcher.sender().go.begin(), watcher.sender().go.end(), multicast));
    queue.begin_trace();
    queue.enqueue(nothing_on(chip.workers()));
    const Trace trace = queue.end_trace();
    queue.finish();
    watcher.clear();
    queue.replay(trace);
    queue.finish();
    EXPECT_GE(packets(watcher.sender().go), 2 * 118u) << "back to the first slot, and go";
    EXPECT_TRUE(std::none_of(watcher.sender().go.begin(), watcher.sender().go.end(), multicast));
  }
}

// Although no WAIT stands between them, and whatever the NoC delays.
TEST(GoSignal, LeavesWhenAllThatWasWrittenBeforeHasArrived) {
  for (const uint64_t seed : {1, 3, 7, 8}) {
    Watcher watcher;
    EmulatedDevice device({.chip = {.observer = &watcher, .noc_reorder = seed}});
    Chip chip(device);
    CommandQueue queue(chip, {.region = {512 << 10, 1 << 16, 0, 0}});
    const Program all = nothing_on(chip.workers()), few = nothing_on(chip.workers().first(5));
    for (int i = 0; i < 10; ++i) {
      queue.enqueue(all);
      queue.enqueue(few);
    }
    queue.finish();
    const Watcher::Sender& dispatcher = watcher.sender();
    ASSERT_EQ(dispatcher.go.size(), 10u * (118 + 5));
    for (const Packet& go : dispatcher.go) {
      for (const Packet& data : dispatcher.data) {
        ASSERT_TRUE(data.sent >= go.sent || data.arrival <= go.sent) << "seed " << seed;
      }
    }
  }
}

// The path of a train is reserved once: what is linked to its first packet leaves right behind it.
TEST(GoSignal, TheLaunchMessageFollowsItsImageOnOnePath) {
  Watcher watcher;
  EmulatedDevice device({.chip = {.timing = emu::Timing::Exact, .observer = &watcher}});
  Chip chip(device);
  CommandQueue queue(chip);
  watcher.clear();
  queue.enqueue(nothing_on(chip.workers()));
  queue.finish();
  std::map<uint64_t, emu::Cycle> trains;  // by packet
  for (const Packet& p : watcher.sender().data) {
    if (p.linked && p.multicast) trains[p.name] = p.sent;
  }
  ASSERT_EQ(trains.size(), 2u);
  EXPECT_LE(trains.rbegin()->second - trains.begin()->second, 60u) << "a path to the far corner takes 180 and more";
}

}  // namespace
}  // namespace kerr::host
