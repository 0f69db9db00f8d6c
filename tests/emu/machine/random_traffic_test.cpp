// Random programs on random tiles: whatever they send each other, every way of running them ends in the same state.
#include <ostream>
#include <random>

#include "emu/hash.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
using namespace isa::reg;

constexpr int kTiles = 12;
constexpr int kActions = 24;
constexpr Cycle kCycles = 65'536;

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  Kernel kernel(int self) {
    Kernel k;
    for (int noc : {0, 1}) {
      for (int buffer : {0, 1, 3}) k.noc_init(noc, buffer);
    }
    for (int i = 0; i < kActions; ++i) action(k, self);
    for (int noc : {0, 1}) {
      k.noc_wait(noc, niu::kMstWrAckReceived, acks_[noc]);
      k.noc_wait(noc, niu::kMstRdRespReceived, reads_[noc]);
      k.noc_wait(noc, niu::kMstAtomicRespReceived, atomics_[noc]);
    }
    k.store_word(0x1F00, 0x600D);
    k.stop();
    acks_ = reads_ = atomics_ = {};
    return k;
  }

 private:
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  NocCoord tile(uint32_t i) { return arch::tensix_tiles(arch::kP100a.harvesting)[i * 9]; }
  NocCoord bank(int noc) {
    return arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, static_cast<int>(below(7)), noc);
  }

  // Races between tiles are wanted: their outcome is part of the machine's total order.
  void action(Kernel& k, int self) {
    const int noc = static_cast<int>(below(2));
    const uint32_t slot = 0x4000 + 64 * below(32);
    const uint32_t bytes = 64 * (1 + below(20));
    switch (below(8)) {
      case 0: compute(k); break;
      case 1:
        k.noc_write(noc, slot, tile(below(kTiles)), slot, bytes);
        ++acks_[noc];
        break;
      case 2:
        k.noc_write(noc, slot, bank(noc), slot, bytes);
        ++acks_[noc];
        break;
      case 3:
        k.noc_read(noc, bank(noc), slot, slot, bytes);
        ++reads_[noc];
        break;
      case 4:
        k.noc_read(noc, tile(below(kTiles)), slot, slot, bytes);
        ++reads_[noc];
        break;
      case 5:
        k.noc_increment(noc, tile(below(kTiles)), 0x3000, static_cast<uint32_t>(self) + 1);
        ++atomics_[noc];
        break;
      case 6: {
        const uint64_t host = arch::pcie::kNocHostBase + TestMemory::kBase + slot;
        if (below(2)) {
          k.noc_write(noc, slot, arch::kTranslatedPcie, host, bytes);
          ++acks_[noc];
        } else {
          k.noc_read(noc, arch::kTranslatedPcie, host, slot, bytes);
          ++reads_[noc];
        }
        break;
      }
      default: k.noc_wait(noc, niu::kMstWrAckReceived, acks_[noc]); break;
    }
  }
  void compute(Kernel& k) {
    k.li(a0, 1 + below(200));
    const isa::Label loop = k.here();
    k.addi(a1, a1, 7);
    k.addi(a0, a0, -1);
    k.bnez(a0, loop);
    k.store_reg(0x4000 + 64 * below(32), a1);
  }

  std::mt19937 random_;
  std::array<uint32_t, 2> acks_{}, reads_{}, atomics_{};
};

struct Outcome {
  uint64_t device = 0;
  uint64_t host = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& o) { return out << o.device << " host " << o.host; }
};

Outcome run(unsigned seed, Options options, Cycle slice) {
  TestMemory memory;
  options.host_memory = &memory;
  options.always_in_parallel = true;
  Machine machine(options);
  TestHost host(machine);
  RandomProgram program(seed);
  const auto tiles = arch::tensix_tiles(options.boards[0].harvesting);
  for (int i = 0; i < kTiles; ++i) {
    const NocCoord tile = tiles[static_cast<size_t>(i) * 9];
    host.start(tile, program.kernel(i));
    machine.advance(64);
  }
  for (Cycle spent = 0; spent < kCycles; spent += slice) machine.advance(std::min(slice, kCycles - spent));
  EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
  for (int i = 0; i < kTiles; ++i) EXPECT_EQ(host.read32(tiles[static_cast<size_t>(i) * 9], 0x1F00), 0x600Du) << i;
  return {machine.state_hash(), mix_bytes(0, memory.bytes)};
}

class RandomTraffic : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomTraffic, EndsTheSameHoweverItIsRun) {
  const unsigned seed = GetParam();
  const Outcome expected = run(seed, {}, kCycles);
  EXPECT_EQ(run(seed, {.shards = 2}, 777), expected);
  EXPECT_EQ(run(seed, {.parking = false}, kCycles), expected);
  EXPECT_EQ(run(seed, {.scheduler = Scheduler::Reference}, 5000), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace kerr::emu
