// Two chips and a plain link between them: what crosses it arrives at the same cycle however the machine is run.
#include <ostream>

#include "emu/chip/coordinates.hpp"
#include "emu/machine/snapshot.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
using namespace isa::reg;

/// One end of a link, in place of a DRAM port. What is written to address `tile node << 24 | offset` comes out of the
/// other end, 700 cycles later, as a write to `offset` of that tile of the other chip.
class LinkEnd final : public Server {
 public:
  static constexpr Cycle kCycles = 700;
  LinkEnd(const NocGeometry& geometry, TileId far_end) : Server(geometry), far_end_(far_end) {}

  bool read(const ServerAccess&, std::span<uint8_t>) override { return false; }
  bool write(const ServerAccess&, std::span<const uint8_t>) override { return true; }
  void serialize(Archive& a) override {
    Server::serialize(a);
    a(crossed_, free_);
  }

 protected:
  Cycle ready(Cycle arrival, bool, size_t) override { return arrival; }
  bool answer(const Message& request, std::vector<Message>& out, FaultLog& faults) override {
    Message crossing = request;
    crossing.source = far_end_;
    crossing.destination = {far_end_.chip, static_cast<uint8_t>(request.address >> 24)};
    crossing.address = request.address & 0xFF'FFFF;
    crossing.marked = false;
    crossing.packet = crossing.sequence = crossed_++;
    free_ = std::max(free_, request.arrival + kCycles) + flits(request);  // the far NIU sends one flit a cycle
    crossing.sent = free_;
    const bool done = Server::answer(request, out, faults);  // acknowledged at this end
    out.push_back(std::move(crossing));
    return done;
  }

 private:
  const TileId far_end_;
  uint64_t crossed_ = 0;
  Cycle free_ = 0;
};

constexpr int kPairs = 6;
constexpr int kRounds = 5;
constexpr Cycle kTime = 256 * 22 * 4;
constexpr uint32_t kBall = 0x3000, kSum = 0x3100;

// Tile i of chip 0 and tile i of chip 1 throw a ball over the link; whoever has it adds to it, and to a counter of the
// next tile of its own chip.
class TwoChips {
 public:
  explicit TwoChips(Options options) : machine_(with_boards(options)) {
    for (int chip : {0, 1}) {
      const TileId here{static_cast<uint8_t>(chip), node(bank_)};
      const TileId there{static_cast<uint8_t>(1 - chip), node(bank_)};
      machine_.attach(here, std::make_unique<LinkEnd>(machine_.chip(chip).geometry, there));
      TestHost host(machine_, chip);
      for (int i = 0; i < kPairs; ++i) host.start(tile(i), kernel(i, chip));
    }
  }

  void run(Cycle slice) {
    for (Cycle spent = 0; spent < kTime; spent += slice) machine_.advance(std::min(slice, kTime - spent));
    EXPECT_FALSE(machine_.faulted()) << machine_.faults().front().text();
  }
  uint32_t word(int chip, int i, uint32_t address) { return TestHost(machine_, chip).read32(tile(i), address); }
  Machine& machine() { return machine_; }

 private:
  static Options with_boards(Options options) {
    options.boards = {arch::kP100a, arch::kP100a};
    return options;
  }
  static NocCoord tile(int i) { return arch::tensix_tiles(arch::kP100a.harvesting)[static_cast<size_t>(i) * 7]; }
  static uint8_t node(NocCoord translated) {
    static const NocGeometry geometry(arch::kP100a.harvesting);
    return tile_at(geometry, 0, 0, translated.x, translated.y)->node;
  }

  Kernel kernel(int i, int chip) const {
    Kernel k;
    for (int buffer : {0, 3}) k.noc_init(0, buffer);
    k.li(a1, 0);
    for (uint32_t round = 0; round < kRounds; ++round) {
      const uint32_t expected = 2 * round + static_cast<uint32_t>(chip);
      if (expected != 0) k.wait_for_word(kBall, expected);
      k.store_word(kBall, expected + 1);
      k.noc_write(0, kBall, bank_, uint32_t{node(tile(i))} << 24 | kBall, 64);
      k.noc_wait(0, niu::kMstWrAckReceived, round + 1);
      k.noc_increment(0, tile((i + 1) % kPairs), kSum, expected + 1);
    }
    k.noc_wait(0, niu::kMstAtomicRespReceived, kRounds);
    k.stop();
    return k;
  }

  const NocCoord bank_ = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 3, 0);
  Machine machine_;
};

struct Outcome {
  uint64_t state = 0;
  Cycle cycles = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& o) { return out << o.state << " at " << o.cycles; }
};

Outcome run(Options options, Cycle slice = kTime) {
  TwoChips chips(options);
  chips.run(slice);
  return {chips.machine().state_hash(), chips.machine().now()};
}

class Link : public ::testing::TestWithParam<Timing> {
 protected:
  Options options(Options o = {}) const {
    o.timing = GetParam();
    o.always_in_parallel = true;
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Timings, Link, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Link, CarriesTheBallToAndFro) {
  TwoChips chips(options());
  chips.run(kTime);
  EXPECT_TRUE(chips.machine().quiescent()) << text(chips.machine().waits());
  for (int i = 0; i < kPairs; ++i) {
    EXPECT_EQ(chips.word(0, i, kBall), 2u * kRounds);
    EXPECT_EQ(chips.word(1, i, kBall), 2u * kRounds);
    EXPECT_EQ(chips.word(0, i, kSum), 1u + 3 + 5 + 7 + 9);
    EXPECT_EQ(chips.word(1, i, kSum), 2u + 4 + 6 + 8 + 10);
  }
}

TEST_P(Link, ShardsAndSlicesChangeNothing) {
  const Outcome expected = run(options());
  for (int shards : {2, 3, 4, 8}) {
    for (Cycle slice : {kTime, Cycle{1000}, Cycle{17}})
      EXPECT_EQ(run(options({.shards = shards}), slice), expected) << shards << " shards, slices of " << slice;
  }
}

TEST_P(Link, TheReferenceSchedulerAgrees) {
  const Outcome expected = run(options());
  EXPECT_EQ(run(options({.scheduler = Scheduler::Reference})), expected);
  EXPECT_EQ(run(options({.parking = false})), expected);
}

TEST_P(Link, KeepsAMachineFromBeingSaved) {
  TwoChips chips(options());
  EXPECT_THROW(save_snapshot(chips.machine()), SnapshotError);
  Machine plain(options({.boards = {arch::kP100a, arch::kP100a}}));
  EXPECT_THROW(load_snapshot(chips.machine(), save_snapshot(plain)), SnapshotError);
}

}  // namespace
}  // namespace kerr::emu
