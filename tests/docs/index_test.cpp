// Whoever looks for a page finds it from the index of its folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/docs/citations.hpp"

namespace kerr {
namespace {

namespace fs = std::filesystem;

// Links of an index, as they are written.
std::vector<std::string> links_of(const fs::path& index) {
  std::ifstream file(index);
  return links(std::string{std::istreambuf_iterator<char>(file), {}});
}

TEST(Index, OfGuidesLinksEveryGuide) {
  const fs::path folder = fs::path(KERR_SOURCE_DIR) / "docs/guide";
  const auto all = links_of(folder / "README.md");
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "README.md") {
      EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
    }
  }
}

TEST(Index, OfExamplesLinksEveryExample) {
  const fs::path folder = fs::path(KERR_SOURCE_DIR) / "examples";
  const auto all = links_of(folder / "README.md");
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const std::string page = entry.path().filename().string() + "/README.md";
    EXPECT_EQ(std::count(all.begin(), all.end(), page), 1) << page;
  }
}

}  // namespace
}  // namespace kerr
