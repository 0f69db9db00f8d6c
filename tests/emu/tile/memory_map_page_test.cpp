#include "emu/tile/memory_map_page.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace kerr::emu {
namespace {

TEST(MemoryMapPage, HoldsTheTablesThatKerrMapPrints) {
  std::ifstream in(KERR_SOURCE_DIR "/docs/reference/memory-map.md");
  ASSERT_TRUE(in);
  std::stringstream all;
  all << in.rdbuf();
  const std::string page = all.str();
  const std::string begin = "<!-- kerr map: begin -->\n", end = "<!-- kerr map: end -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), memory_map_tables())
      << "Put the output of `kerr map` between the two marks of docs/reference/memory-map.md.";
}

}  // namespace
}  // namespace kerr::emu
