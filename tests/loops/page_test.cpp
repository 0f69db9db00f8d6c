// The reference page names every verb.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "loops/program.hpp"

namespace kerr::loops {
namespace {

TEST(ReferencePage, HasEveryVerbInItsTable) {
  std::ifstream file(KERR_SOURCE_DIR "/docs/reference/loop-programs.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const size_t begin = page.find("## Arithmetic"), end = page.find("## Floats");
  ASSERT_NE(end, std::string::npos);
  const std::string table = page.substr(begin, end - begin);
  for (const Operation& row : operations())
    EXPECT_NE(table.find("`" + std::string(row.name) + "`"), std::string::npos) << row.name;
}

}  // namespace
}  // namespace kerr::loops
