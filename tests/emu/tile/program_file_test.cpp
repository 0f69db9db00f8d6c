// Each program of tests/emu/tile/programs leaves what silicon leaves.
#include "tests/emu/tile/program_file.hpp"

#include <gtest/gtest.h>

namespace kerr::emu {
namespace {

class ProgramFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(ProgramFiles, LeaveWhatSiliconLeaves) {
  const ProgramFile file = ProgramFile::read(ProgramFile::path_of(GetParam()));
  for (const Timing timing : {Timing::Relaxed, Timing::Exact}) {
    SCOPED_TRACE(timing == Timing::Exact ? "exact timing" : "relaxed timing");
    World world(Mode::Fast, timing);
    file.run(world);
  }
}
INSTANTIATE_TEST_SUITE_P(All, ProgramFiles, ::testing::ValuesIn(ProgramFile::names()), [](const auto& p) {
  std::string name = p.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
});

TEST(ProgramFile, SaysWhereALineIsWrong) {
  EXPECT_THROW(ProgramFile::read("no such file"), std::runtime_error);
}

}  // namespace
}  // namespace kerr::emu
