#include "check/shadow.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

namespace kerr::check {
namespace {

constexpr Place kOwner = 5;

struct NoTransfers final : TransferDirectory {
  const Transfer* find(Place, uint64_t) const override { return nullptr; }
};

class ShadowTest : public testing::Test {
 protected:
  static Stamp by(int hart, uint32_t number) {
    Stamp out;
    out.part = Part::Agent;
    out.place = kOwner;
    out.component = static_cast<uint16_t>(component::hart(hart));
    out.number = number;
    return out;
  }
  // The numbers of those that race.
  std::vector<uint64_t> write(uint64_t address, uint64_t bytes, const Stamp& stamp, const Clock& knows) {
    std::vector<uint64_t> out;
    shadow_.write(address, bytes, stamp, View(knows), none_,
                  [&](const Stamp& e, bool, uint64_t, uint64_t) { out.push_back(e.number); });
    return out;
  }
  std::vector<uint64_t> read(uint64_t address, uint64_t bytes, const Stamp& stamp, const Clock& knows) {
    std::vector<uint64_t> out;
    shadow_.read(address, bytes, stamp, View(knows), none_,
                 [&](const Stamp& e, bool, uint64_t, uint64_t) { out.push_back(e.number); });
    return out;
  }

  const NoTransfers none_;
  Shadow shadow_{0x10000};
  const Clock nothing_{kOwner};
};

using Numbers = std::vector<uint64_t>;

TEST_F(ShadowTest, AReadRacesWithAWriteThatItsAgentDoesNotKnow) {
  EXPECT_EQ(write(0x100, 4, by(0, 1), nothing_), Numbers{});
  EXPECT_EQ(read(0x100, 4, by(1, 1), nothing_), Numbers{1});
  Clock knows(kOwner);
  knows.raise(component::hart(0), 1);
  EXPECT_EQ(read(0x100, 4, by(1, 2), knows), Numbers{});
}

TEST_F(ShadowTest, AWriteOfALineTakesThePlaceOfWhatItsGranulesHad) {
  Clock knows(kOwner);
  write(0x104, 4, by(0, 1), nothing_);
  read(0x110, 16, by(0, 1), nothing_);
  knows.raise(component::hart(0), 1);
  EXPECT_EQ(write(0x100, 64, by(1, 1), knows), Numbers{});
  EXPECT_EQ(read(0x104, 4, by(2, 7), nothing_), Numbers{1});
  EXPECT_EQ(write(0x140, 4, by(2, 8), nothing_), Numbers{}) << "the next line";
}

TEST_F(ShadowTest, ALineThatWasReadRacesInEachOfItsGranules) {
  read(0x80, 64, by(0, 1), nothing_);
  EXPECT_EQ(write(0x80, 64, by(1, 1), nothing_), (Numbers{1, 1, 1, 1}));
}

TEST_F(ShadowTest, TwoReadsDoNotRace) {
  EXPECT_EQ(read(0x100, 64, by(0, 1), nothing_), Numbers{});
  EXPECT_EQ(read(0x100, 64, by(1, 1), nothing_), Numbers{});
}

TEST_F(ShadowTest, AWriteRacesWithEachReaderThatIsNotKnown) {
  read(0x100, 4, by(0, 7), nothing_);
  read(0x100, 4, by(1, 8), nothing_);
  Clock knows(kOwner);
  knows.raise(component::hart(0), 7);
  EXPECT_EQ(write(0x100, 4, by(2, 1), knows), Numbers{8});
}

TEST_F(ShadowTest, NeighboursInOneGranuleAreNoConflict) {
  write(0x100, 4, by(0, 1), nothing_);
  EXPECT_EQ(write(0x104, 4, by(1, 2), nothing_), Numbers{});
  EXPECT_EQ(read(0x100, 4, by(2, 1), nothing_), Numbers{1});
  EXPECT_EQ(read(0x104, 4, by(2, 1), nothing_), Numbers{2});
}

TEST_F(ShadowTest, AnOlderWriteOfOtherBytesIsNotForgotten) {
  write(0x100, 8, by(0, 1), nothing_);
  Clock knows(kOwner);
  knows.raise(component::hart(0), 1);
  write(0x104, 4, by(0, 2), knows);
  EXPECT_EQ(read(0x100, 4, by(1, 1), knows), Numbers{});
  EXPECT_EQ(read(0x104, 4, by(1, 1), knows), Numbers{2});
}

TEST_F(ShadowTest, AWriteOfAWholeBlockTakesThePlaceOfItsParts) {
  write(0x400, 16, by(0, 1), nothing_);
  EXPECT_EQ(write(0x400, Shadow::kBlock, by(1, 2), nothing_), Numbers{1});
  EXPECT_EQ(read(0x7F0, 16, by(2, 1), nothing_), Numbers{2});
  EXPECT_EQ(read(0x400, 16, by(2, 1), nothing_), Numbers{2});
}

TEST_F(ShadowTest, APartOfAWholeBlockKeepsTheRest) {
  write(0x400, Shadow::kBlock, by(0, 1), nothing_);
  Clock knows(kOwner);
  knows.raise(component::hart(0), 1);
  write(0x410, 16, by(1, 5), knows);
  EXPECT_EQ(read(0x400, 16, by(2, 1), nothing_), Numbers{1});
  EXPECT_EQ(read(0x410, 16, by(2, 1), nothing_), Numbers{5});
}

TEST_F(ShadowTest, AnyAddressOfALargeMemoryCanBeShadowed) {
  Shadow large(0);
  large.write(0xFFFF'0000'0000, 100, by(0, 3), View(nothing_), none_, [](auto&&...) { FAIL(); });
  Numbers seen;
  large.each_write(0xFFFF'0000'0040, 4, [&](const Stamp& s, uint64_t) { seen.push_back(s.number); });
  EXPECT_EQ(seen, Numbers{3});
}

// read_alone() and write_alone() are short ways: with and without them everybody finds the same.
TEST(ShadowAlone, FindsTheSameAsTheLongWay) {
  const NoTransfers none;
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Shadow with(0x1000), without(0x1000);
    Clock clocks[3] = {Clock(kOwner), Clock(kOwner), Clock(kOwner)};
    uint32_t numbers[3] = {1, 1, 1};
    const auto harts = 1 + static_cast<unsigned>(round) % 3;  // alone it comes to lists of its own
    for (int step = 0; step < 300; ++step) {
      const auto hart = static_cast<int>(random() % harts);
      const bool writes = random() % 2;
      if (writes || random() % 4 == 0) ++numbers[hart];
      clocks[hart].raise(component::hart(hart), numbers[hart]);
      if (random() % 8 == 0) {  // it hears of another one
        const auto other = static_cast<int>(random() % 3);
        clocks[hart].raise(component::hart(other), numbers[other]);
      }
      const uint32_t bytes = 1u << random() % 3;
      const uint64_t address = random() % 128 / bytes * bytes;
      Stamp by;
      by.part = Part::Agent;
      by.place = kOwner;
      by.component = static_cast<uint16_t>(component::hart(hart));
      by.number = numbers[hart];
      by.pc = random();
      using Found = std::vector<std::tuple<uint64_t, uint32_t, bool>>;
      Found found[2];
      const View view(clocks[hart]);
      const auto look = [&](Shadow& shadow, Found& into) {
        const auto conflict = [&](const Stamp& e, bool wrote, uint64_t, uint64_t) {
          into.emplace_back(e.number, e.pc, wrote);
        };
        writes ? shadow.write(address, bytes, by, view, none, conflict)
               : shadow.read(address, bytes, by, view, none, conflict);
      };
      if (!(writes ? with.write_alone(address, bytes, by) : with.read_alone(address, bytes, by))) look(with, found[0]);
      look(without, found[1]);
      ASSERT_EQ(found[0], found[1]) << round << " " << step;
    }
    const auto noted = [](const Shadow& shadow) {
      std::vector<std::tuple<uint64_t, uint64_t, uint32_t>> out;
      for (uint64_t at = 0; at < 128; ++at) {
        shadow.each_write(at, 1, [&](const Stamp& s, uint64_t) { out.emplace_back(at, s.number, s.pc); });
        shadow.each_read(at, 1, [&](const Stamp& s, uint64_t) { out.emplace_back(at, s.number, s.pc); });
      }
      return out;
    };
    ASSERT_EQ(noted(with), noted(without)) << round;
  }
}

}  // namespace
}  // namespace kerr::check
