// Sums of products made at random, by tiles: within the bounds of the definition, and its bits where all is exact.
#include "tests/loops/tiles/random_contractions.hpp"

#include <cstdlib>

#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

// Each part has so many, or as many as KERR_RANDOM_CONTRACTIONS says.
constexpr uint64_t kOfAPart = 200;
uint64_t how_many() {
  const char* wanted = std::getenv("KERR_RANDOM_CONTRACTIONS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kOfAPart;
}

struct Outcome {
  std::vector<std::vector<std::byte>> memories;
  Launched launched;
};
Outcome launch(const RandomProgram& program, Against check, uint32_t harts) {
  const Executable executable("p100a", program.text, {.path = Path::Tiles});
  std::vector<View> views;
  for (const RandomProgram::View& view : program.views) {
    const std::vector<std::byte>& memory = program.memories[view.memory];
    const host::Buffer buffer = chip().allocate(host::Memory::Dram, memory.size(), kPageBytes);
    chip().write(buffer, memory);
    views.push_back({buffer, view.offset, view.bytes});
  }
  Outcome out{program.memories, executable.launch(chip(), views, program.numbers,
                                                  {.max_harts = harts, .check = check, .scratch = &scratch()})};
  for (size_t k = 0; k < views.size(); ++k) chip().read(views[k].buffer, out.memories[program.views[k].memory]);
  return out;
}

void run_many(uint64_t count, uint64_t seed, const ContractionOptions& options) {
  uint64_t by_tiles = 0;
  for (uint64_t k = 0; k < count; ++k) {
    Random random(seed + k);
    const bool large = k % 16 == 0;  // most are small: large ones take long, and find little more
    ContractionOptions own = options;
    if (!large) own.most_products /= 12;
    const RandomProgram program = random_contraction(random, own);
    SCOPED_TRACE(testing::Message() << "seed " << seed + k << "\n" << program.text);
    try {
      const Outcome out = launch(program, options.integers ? Against::Nothing : Against::Definition, large ? 16 : 2);
      if (out.launched.path == Path::Tiles) ++by_tiles;
      if (options.integers) {
        const Interpreted right = interpret(program);
        for (size_t m = 0; m < right.memories.size(); ++m)
          ASSERT_EQ(out.memories[m], right.memories[m]) << "memory " << m;
      }
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }
  EXPECT_GE(by_tiles * 10, count * 9) << "nearly all of them are sums of products";
}

class RandomContractions : public ::testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Part, RandomContractions, ::testing::Range<uint64_t>(0, 4));

TEST_P(RandomContractions, OfIntegersGiveTheBitsOfTheDefinition) {
  run_many(how_many(), 1 + kOfAPart * GetParam(), {.integers = true});
}
TEST_P(RandomContractions, AreWithinTheBoundsOfTheDefinition) {
  run_many(how_many(), 10'001 + kOfAPart * GetParam(), {});
}

class SpecialContractions : public ::testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Part, SpecialContractions, ::testing::Range<uint64_t>(0, 2));

TEST_P(SpecialContractions, OfInfinitiesAndWideRangesAreWithinTheBounds) {
  run_many(how_many(), 20'001 + kOfAPart * GetParam(), {.special = true});
}

}  // namespace
}  // namespace kerr::loops::tiles
