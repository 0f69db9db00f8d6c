#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the test.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("kerr_c_test_" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
  const fs::path path;
};

void multiply(const Session& session) {
  std::vector<float> a(32 * 32, 0.5f);
  const kerr_matrix operand = {nullptr, "float32", a.data(), 32, 32};
  kerr_matrix result{};
  ASSERT_EQ(ask(kerr_matmul, session.device, &operand, &operand, nullptr, &result, nullptr), KERR_OK);
  EXPECT_EQ(static_cast<float*>(result.data)[5], 8);
  EXPECT_EQ(kerr_free(result.data), KERR_OK);
}

TEST(Clocks, TellTimeInExactTimingOnly) {
  Session relaxed, exact(R"({"threads": 1, "timing": "exact"})");
  uint64_t before = 0, cycles = 0;
  int64_t ns = 0;
  ASSERT_EQ(ask(kerr_device_clock, relaxed.device, &cycles, &ns), KERR_OK);
  EXPECT_GT(cycles, 0u);
  EXPECT_EQ(ns, -1);
  ASSERT_EQ(ask(kerr_device_clock, exact.device, &before, &ns), KERR_OK);
  EXPECT_EQ(ns, static_cast<int64_t>(static_cast<double>(before) * 1000 / 1350));
  multiply(exact);
  ASSERT_EQ(ask(kerr_device_clock, exact.device, &cycles, nullptr), KERR_OK);
  EXPECT_GT(cycles, before);
}

TEST(Timelines, AreWrittenAndSummedUp) {
  const Folder folder;
  Session session(R"({"threads": 1, "timing": "exact", "watch": "timeline"})");
  uint64_t begin = 0, end = 0;
  ASSERT_EQ(ask(kerr_device_clock, session.device, &begin, nullptr), KERR_OK);
  multiply(session);
  ASSERT_EQ(ask(kerr_device_clock, session.device, &end, nullptr), KERR_OK);
  ASSERT_EQ(ask(kerr_timeline, session.device, begin, end, folder.file("run.json").c_str()), KERR_OK);
  std::ifstream file(folder.file("run.json"));
  const std::string trace{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(trace.find("traceEvents"), std::string::npos);
  char* json = nullptr;
  ASSERT_EQ(ask(kerr_utilisation, session.device, begin, end, &json), KERR_OK);
  EXPECT_NE(text_and_free(json).find("FPU"), std::string::npos);
  EXPECT_EQ(ask(kerr_utilisation, session.device, end, begin, &json), KERR_INVALID_ARGUMENT);
  char* svg = nullptr;
  ASSERT_EQ(ask(kerr_heat_map, session.device, begin, end, "a \"title\"", &svg), KERR_OK);
  const std::string picture = text_and_free(svg);
  EXPECT_NE(picture.find("<svg"), std::string::npos);
  EXPECT_NE(picture.find("title"), std::string::npos);
  EXPECT_EQ(ask(kerr_timeline, session.device, 0, 0, folder.file("no/such/folder").c_str()), KERR_IO);
}

TEST(Snapshots, BringContentsBack) {
  const Folder folder;
  Session session;
  const kerr_buffer buffer = session.holding(std::vector<int32_t>(2000, 5));
  ASSERT_EQ(ask(kerr_snapshot, session.device, folder.file("device").c_str()), KERR_OK);
  ASSERT_EQ(ask(kerr_buffer_fill, buffer, 0, 8000, "x", 1), KERR_OK);
  const kerr_buffer later = session.holding(std::vector<int32_t>{9});
  ASSERT_EQ(ask(kerr_restore, session.device, folder.file("device").c_str()), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 2000), std::vector<int32_t>(2000, 5));
  EXPECT_EQ(ask(kerr_buffer_write, later, 0, "abcd", 4), KERR_OK) << "and what was made later can be used";
  multiply(session);
}

TEST(Snapshots, ThatAreNoneChangeNothing) {
  const Folder folder;
  Session session;
  const kerr_buffer buffer = session.holding(std::vector<int32_t>(2000, 5));
  std::ofstream(folder.file("none")) << "this is no snapshot";
  EXPECT_EQ(ask(kerr_restore, session.device, folder.file("none").c_str()), KERR_IO);
  EXPECT_EQ(session.read<int32_t>(buffer, 2000), std::vector<int32_t>(2000, 5));
  multiply(session);
}

TEST(Recordings, AreThereWhenTheyHaveEnded) {
  const Folder folder;
  {
    Session session(("{\"threads\": 1, \"record\": \"" + folder.file("whole") + "\"}").c_str());
    EXPECT_EQ(ask(kerr_record_begin, session.device, folder.file("second").c_str()), KERR_INVALID_ARGUMENT);
    multiply(session);
    EXPECT_FALSE(fs::exists(folder.file("whole")));
  }
  EXPECT_GT(fs::file_size(folder.file("whole")), 1000u) << "closing the device ends it";
  Session session;
  EXPECT_EQ(ask(kerr_record_end, session.device), KERR_INVALID_ARGUMENT);
  ASSERT_EQ(ask(kerr_record_begin, session.device, folder.file("part").c_str()), KERR_OK);
  multiply(session);
  ASSERT_EQ(ask(kerr_record_end, session.device), KERR_OK);
  EXPECT_GT(fs::file_size(folder.file("part")), 1000u);
}

}  // namespace
}  // namespace kerr::c_test
