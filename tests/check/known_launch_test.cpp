#include "check/regions/known_launch.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace kerr::check {
namespace {

using arch::note::Launched;

constexpr uint32_t kConfig = 0x8000, kTable = 0x100, kText = 0x200, kL1End = 0x30000;
const TileId kTile = TileId::at(0, 1, 2);

// Four arguments, a semaphore 16 bytes behind them, circular buffer 1.
Launched note(uint64_t id, uint32_t slot) {
  Launched::Group group{.cores = {{1, 2}}, .slots = {slot}};
  group.kernels.push_back({.hart = arch::Hart::Brisc,
                           .code = {.name = "reader", .address = kConfig + kText, .bytes = 64},
                           .args_address = kConfig,
                           .args_words = {4}});
  return {.id = id,
          .program = "sum",
          .groups = {group},
          .config_begin = kConfig,
          .config_end = kConfig + 0x1000,
          .circular_buffers = {{.id = 1, .address = 0x20000, .bytes = 4096, .pages = 2, .page_bytes = 2048}},
          .semaphores = {{.address = kConfig + 16}},
          .l1_begin = 0x20000,
          .l1_end = kL1End};
}

class KnownLaunchTest : public testing::Test {
 protected:
  KnownLaunchTest() : l1_(arch::kL1Bytes) {
    message_.kernel_config_base[0] = kConfig;
    message_.local_cb_offset = kTable;
    message_.local_cb_mask = 2;
    message_.kernel_text_offset[0] = kText;
    message_.enables = 1;
    const arch::CbConfig config{0x20000, 4096, 2, 2048};
    std::memcpy(l1_.data() + kConfig + kTable + sizeof config, &config, sizeof config);
  }
  bool begins(uint32_t slot) {
    launch_.begin(names_, kTile, l1_, message_, slot);
    return launch_.known();
  }

  Names names_{{arch::kP150}};
  std::vector<uint8_t> l1_;
  arch::LaunchMessage message_;
  KnownLaunch launch_;
};

TEST_F(KnownLaunchTest, IsTheOneWithTheSlotAndTheBuffersOfTheMessage) {
  names_.noted(note(1, 3), 0);
  EXPECT_FALSE(begins(2));
  message_.local_cb_mask = 6;
  EXPECT_FALSE(begins(3));
  message_.local_cb_mask = 2;
  ASSERT_TRUE(begins(3));
  EXPECT_EQ(launch_.note().id, 1u);
}

TEST_F(KnownLaunchTest, IsNotKnownWithoutANote) { EXPECT_FALSE(begins(0)); }

TEST_F(KnownLaunchTest, TakesNotesInTheirOrder) {
  for (uint64_t id = 1; id <= 3; ++id) names_.noted(note(id, 0), id);
  for (uint64_t id = 1; id <= 3; ++id) {
    ASSERT_TRUE(begins(0));
    EXPECT_EQ(launch_.note().id, id);
  }
  EXPECT_FALSE(begins(0)) << "each is over";
}

TEST_F(KnownLaunchTest, IsNotKnownIfNotesWereForgotten) {
  for (uint64_t id = 1; id <= 100; ++id) names_.noted(note(id, 0), id);
  EXPECT_FALSE(begins(0));
}

TEST_F(KnownLaunchTest, OfTheCommandQueueIsNotKnown) {
  Launched queue = note(1, 0);
  queue.l1_end = 0;
  names_.noted(queue, 0);
  EXPECT_FALSE(begins(0));
}

TEST_F(KnownLaunchTest, TellsArgumentsFromWhatLiesBetweenThem) {
  names_.noted(note(1, 0), 0);
  ASSERT_TRUE(begins(0));
  EXPECT_FALSE(launch_.is_between_arguments(kConfig + 12));
  EXPECT_FALSE(launch_.is_between_arguments(kConfig + 16)) << "the semaphore";
  EXPECT_TRUE(launch_.is_between_arguments(kConfig + 20));
  EXPECT_FALSE(launch_.is_between_arguments(kConfig + kTable)) << "the table of buffers";
  EXPECT_FALSE(launch_.is_between_arguments(kConfig + kText)) << "code";
  EXPECT_FALSE(launch_.is_between_arguments(kConfig - 4));
}

TEST_F(KnownLaunchTest, OwnsWhatLiesBelowItsEnd) {
  names_.noted(note(1, 0), 0);
  ASSERT_TRUE(begins(0));
  EXPECT_TRUE(launch_.owns(kL1End - 4, 4));
  EXPECT_FALSE(launch_.owns(kL1End - 4, 8));
}

}  // namespace
}  // namespace kerr::check
