// Replays the recorded vectors on our arithmetic, and known-good and recorded programs on a library with the C ABI.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "oracle/isolate.hpp"
#include "oracle/run.hpp"
#include "oracle/script.hpp"
#include "oracle/tile_case.hpp"
#include "oracle/vectors.hpp"

namespace kerr::oracle {
namespace {

const std::filesystem::path kFolder = KERR_SOURCE_DIR;

template <class Vector>
unsigned replay(const char* file) {
  std::ifstream in(kFolder / "tests/oracle/vectors" / file);
  EXPECT_TRUE(in) << file;
  unsigned count = 0;
  for (Vector v; read(in, v); ++count) EXPECT_EQ(run_on_host(v), v.result) << describe(v.block);
  return count;
}

TEST(Oracle, OurMatrixUnitArithmeticGivesTheRecordedVectors) { EXPECT_GT(replay<FpuVector>("fpu.txt"), 50u); }

TEST(Oracle, OurConversionsGiveTheRecordedVectors) { EXPECT_GT(replay<ConvertVector>("convert.txt"), 50u); }

TEST(Oracle, OurVectorUnitGivesTheRecordedVectors) { EXPECT_GT(replay<SfpuVector>("sfpu.txt"), 300u); }

TEST(Oracle, AMalformedVectorFileIsRefused) {
  for (const char* text : {"fpu 0 5 5\n", "nonsense\n", "fpu 0 5 5 1 0 1 0 0 1\na 12345\nb 1\n"}) {
    std::istringstream in(text);
    FpuVector v;
    EXPECT_THROW(read(in, v), std::runtime_error) << text;
  }
  for (const char* text :
       {"sfpu 17 1 0 0\n", "sfpu 5 1 1\n", "sfpu 5 1 0 1 9\nout 00\n", "sfpu 5 1 0 1 0\nout 0000\n"}) {
    std::istringstream in(text);
    SfpuVector v;
    EXPECT_THROW(read(in, v), std::runtime_error) << text;
  }
}

// KERR_ORACLE, or our own library if this build has one.
std::string library_under_test() {
  const std::string named = library_from_environment();
#ifdef KERR_TTSIM_LIBRARY
  return named.empty() ? KERR_TTSIM_LIBRARY : named;
#else
  return named;
#endif
}

// Every script of the folder passes on the library.
void run_scripts(const char* folder) {
  const std::string path = library_under_test();
  if (path.empty()) GTEST_SKIP() << "no library in this build, and KERR_ORACLE is not set";
  unsigned scripts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / folder)) {
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const Outcome outcome = isolate([&] {
      Device device(path);
      const ScriptResult result = run_script(device, text);
      if (!result.passed) throw std::runtime_error(result.output);
      return std::vector<uint8_t>{};
    });
    EXPECT_TRUE(outcome.finished) << entry.path().filename() << ": " << outcome.message;
    ++scripts;
  }
  EXPECT_GT(scripts, 0u);
}

TEST(Library, RunsTheKnownGoodPrograms) { run_scripts("oracle/scripts"); }

TEST(Library, GivesWhatWasMeasuredOnSilicon) { run_scripts("tests/oracle/measured"); }

TEST(Library, GivesTheRecordedResultsOfRandomPrograms) {
  const std::string path = library_under_test();
  if (path.empty()) GTEST_SKIP() << "no library in this build, and KERR_ORACLE is not set";
  std::ifstream in(kFolder / "tests/oracle/vectors" / "programs.txt");
  unsigned count = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string kind;
    unsigned seed = 0, program = 0, result = 0;
    words >> kind >> std::dec >> seed >> std::hex >> program >> result;
    ASSERT_NE(case_generator(kind), nullptr) << line;
    std::mt19937 random(seed);
    const TileCase c = case_generator(kind)(random);
    ASSERT_EQ(checksum(c), program) << line << ": the generator has changed; record the vectors anew";
    const Outcome outcome = isolate([&] {
      Device device(path);
      return run_case(device, c);
    });
    ASSERT_TRUE(outcome.finished) << line << ": " << outcome.message;
    EXPECT_EQ(crc32(outcome.bytes), result) << line;
    ++count;
  }
  EXPECT_GT(count, 100u);
}

TEST(Isolate, ReportsWhatAChildPrintedBeforeItEnded) {
  const Outcome outcome = isolate([]() -> std::vector<uint8_t> {
    std::printf("refused\n");
    std::fflush(stdout);
    std::_Exit(1);
  });
  EXPECT_FALSE(outcome.finished);
  EXPECT_NE(outcome.message.find("refused"), std::string::npos);
}

TEST(Isolate, KillsAChildThatHangs) {
  const Outcome outcome = isolate(
      []() -> std::vector<uint8_t> {
        for (;;) ::usleep(1000);
      },
      1);
  EXPECT_FALSE(outcome.finished);
  EXPECT_NE(outcome.message.find("killed"), std::string::npos);
}

}  // namespace
}  // namespace kerr::oracle
