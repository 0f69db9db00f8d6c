#include "debug/recorded_code.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "emu/snapshot/archive.hpp"
#include "tests/debug/add_one.hpp"

namespace kerr::debug {
namespace {

class RecordedCode : public testing::Test {
 protected:
  RecordedCode() {
    jobs::RunJob job = add_one_and_wait();
    job.observing.recording.log = log_;
    undebugged(std::move(job));
  }
  ~RecordedCode() override { std::filesystem::remove(log_); }

  const std::string log_ = testing::TempDir() + "kerr_recorded_code_" + std::to_string(::getpid()) + ".log";
};

TEST_F(RecordedCode, IsThatOfTheLaunchWhereItLies) {
  const std::vector<Code> code = code_in_log(log_, false, 0);
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].hart, arch::Hart::Brisc);
  EXPECT_EQ(code[1].hart, arch::Hart::Ncrisc);
  EXPECT_EQ(code[0].image->name, "add_one.s");
  const CodePlaces places = code_places();
  ASSERT_NE(code[0].image->symbol("loop"), nullptr);
  EXPECT_EQ(code[0].image->symbol("loop")->address, places.brisc + 8);
  ASSERT_NE(code[1].image->symbol("poll"), nullptr);
  EXPECT_EQ(code[1].image->symbol("poll")->address, places.ncrisc + 4);
  ASSERT_NE(code[0].image->line_at(places.brisc + 8), nullptr);
  EXPECT_EQ(code[0].image->line_at(places.brisc + 8)->line, 5u);
}

TEST_F(RecordedCode, ADamagedLogIsRefused) {
  std::filesystem::resize_file(log_, std::filesystem::file_size(log_) / 2);
  EXPECT_THROW(code_in_log(log_, false, 0), emu::SnapshotError);
}

}  // namespace
}  // namespace kerr::debug
