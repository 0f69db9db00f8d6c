// A tile as a whole: what the host can do to it, and what it says about itself.
#include <gtest/gtest.h>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

TEST(Tile, PowersOnAsleepWithAllHartsInReset) {
  World world;
  EXPECT_EQ(word(world.tile(), arch::kSoftReset0), 0x47800u);
  EXPECT_EQ(world.tile().next_event(), kNever);
  EXPECT_TRUE(world.tile().describe_waits().empty());
}

}  // namespace
}  // namespace kerr::emu
