// Programs that tinygrad made of its tests, by tiles wherever they can, against the definition.
#include "tests/loops/corpus.hpp"

#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

TEST(RecordedPrograms, AreWithinTheBoundsOfTheDefinitionByTiles) {
  uint64_t by_tiles = 0;
  for (const std::string& text : corpus()) {
    OnDevice program(text);
    if (program.executable.path() != Path::Tiles && program.executable.path() != Path::Auto) continue;
    SCOPED_TRACE(text);
    const CorpusInput input = corpus_input(program.executable.program(), 22);
    program.bytes = input.buffers;
    program.numbers = input.numbers;
    try {
      if (program.launch().path == Path::Tiles) ++by_tiles;
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }
  EXPECT_GE(by_tiles, 10u);
}

}  // namespace
}  // namespace kerr::loops::tiles
