// Replays the recorded vectors on our arithmetic and, if KERR_ORACLE names a library, runs the known-good programs on it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "tests/oracle/isolate.hpp"
#include "tests/oracle/script.hpp"
#include "tests/oracle/vectors.hpp"

namespace kerr::oracle {
namespace {

const std::filesystem::path kFolder = KERR_SOURCE_DIR "/tests/oracle";

template <class Vector>
unsigned replay(const char* file) {
  std::ifstream in(kFolder / "vectors" / file);
  EXPECT_TRUE(in) << file;
  unsigned count = 0;
  for (Vector v; read(in, v); ++count) EXPECT_EQ(run_on_host(v), v.result) << describe(v.block);
  return count;
}

TEST(Oracle, OurMatrixUnitArithmeticGivesTheRecordedVectors) { EXPECT_GT(replay<FpuVector>("fpu.txt"), 50u); }

TEST(Oracle, OurConversionsGiveTheRecordedVectors) { EXPECT_GT(replay<ConvertVector>("convert.txt"), 50u); }

TEST(Oracle, AMalformedVectorFileIsRefused) {
  for (const char* text : {"fpu 0 5 5\n", "nonsense\n", "fpu 0 5 5 1 0 1 0 0 1\na 12345\nb 1\n"}) {
    std::istringstream in(text);
    FpuVector v;
    EXPECT_THROW(read(in, v), std::runtime_error) << text;
  }
}

TEST(Oracle, TheKnownGoodProgramsRunOnTheLibraryNamedByKerrOracle) {
  const std::string path = library_from_environment();
  if (path.empty()) GTEST_SKIP() << "KERR_ORACLE is not set";
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "scripts")) {
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const Outcome outcome = isolate([&] {
      Library library(path);
      Device device(library);
      const ScriptResult result = run_script(device, text);
      std::vector<std::uint8_t> bytes(result.output.begin(), result.output.end());
      if (!result.passed) throw std::runtime_error(result.output);
      return bytes;
    });
    EXPECT_TRUE(outcome.finished) << entry.path().filename() << ": " << outcome.message;
  }
}

TEST(Isolate, ReportsWhatAChildPrintedBeforeItEnded) {
  const Outcome outcome = isolate([]() -> std::vector<std::uint8_t> {
    std::printf("refused\n");
    std::fflush(stdout);
    std::_Exit(1);
  });
  EXPECT_FALSE(outcome.finished);
  EXPECT_NE(outcome.message.find("refused"), std::string::npos);
}

TEST(Isolate, KillsAChildThatHangs) {
  const Outcome outcome = isolate([]() -> std::vector<std::uint8_t> { for (;;) ::usleep(1000); }, 1);
  EXPECT_FALSE(outcome.finished);
  EXPECT_NE(outcome.message.find("killed"), std::string::npos);
}

}  // namespace
}  // namespace kerr::oracle
