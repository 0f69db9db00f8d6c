// The command as a shell sees it, for tests of what it says and of its exit status.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kerr::cli {

struct Outcome {
  int status = -1;
  std::string text;  // both streams, unless the arguments send one elsewhere
};

inline Outcome shell(const std::string& line) {
  Outcome outcome;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char part[4096];
  while (const size_t bytes = std::fread(part, 1, sizeof part, pipe)) outcome.text.append(part, bytes);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

inline Outcome kerr(const std::string& arguments) { return shell(std::string(KERR_COMMAND " 2>&1 ") + arguments); }

/// The command behind `ulimit ...` of a shell.
inline Outcome kerr_with(const std::string& limit, const std::string& arguments) {
  return shell("(" + limit + "; " KERR_COMMAND " " + arguments + ") 2>&1");
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of the test that runs: tests of two suites may have the same name, and run at the same time.
inline std::string name_of_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

// A file of a test's own.
class Scratch {
 public:
  explicit Scratch(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("kerr_" + name_of_test())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~Scratch() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A folder of a test's own.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("kerr_folder_" + name_of_test())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  size_t files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {})); }

 private:
  std::filesystem::path path_;
};

}  // namespace kerr::cli
