// Sums of products made at random, by tiles: within the bounds of the definition, and its bits where all is exact.
#include "tests/loops/tiles/random_contractions.hpp"

#include <cstdlib>

#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

// Some of each kind, or as many as KERR_RANDOM_CONTRACTIONS says.
uint64_t how_many(uint64_t usual) {
  const char* wanted = std::getenv("KERR_RANDOM_CONTRACTIONS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : usual;
}

struct Outcome {
  std::vector<std::vector<std::byte>> memories;
  Launched launched;
};
Outcome launch(const RandomProgram& program, Against check) {
  const Executable executable("p100a", program.text, {.path = Path::Tiles});
  std::vector<View> views;
  for (const RandomProgram::View& view : program.views) {
    const std::vector<std::byte>& memory = program.memories[view.memory];
    const host::Buffer buffer = chip().allocate(host::Memory::Dram, memory.size(), kPageBytes);
    chip().write(buffer, memory);
    views.push_back({buffer, view.offset, view.bytes});
  }
  Outcome out{program.memories, executable.launch(chip(), views, program.numbers,
                                                  {.max_harts = 8, .check = check, .scratch = &scratch()})};
  for (size_t k = 0; k < views.size(); ++k) chip().read(views[k].buffer, out.memories[program.views[k].memory]);
  return out;
}

void run_many(uint64_t count, uint64_t seed, const ContractionOptions& options) {
  uint64_t by_tiles = 0;
  for (uint64_t k = 0; k < count; ++k) {
    Random random(seed + k);
    const RandomProgram program = random_contraction(random, options);
    SCOPED_TRACE(testing::Message() << "seed " << seed + k << "\n" << program.text);
    try {
      const Outcome out = launch(program, options.integers ? Against::Nothing : Against::Definition);
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

TEST(RandomContractions, OfIntegersGiveTheBitsOfTheDefinition) { run_many(how_many(100), 1, {.integers = true}); }

TEST(RandomContractions, AreWithinTheBoundsOfTheDefinition) { run_many(how_many(100), 10'001, {}); }

TEST(RandomContractions, WithInfinitiesAndWideRangesAreWithinTheBounds) {
  run_many(how_many(40), 20'001, {.special = true});
}

}  // namespace
}  // namespace kerr::loops::tiles
