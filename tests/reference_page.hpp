// What a generated page of docs/reference holds.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace kerr {

/// What stands between the two marks "<!-- COMMAND: begin -->" and "<!-- COMMAND: end -->" of the file.
inline std::string generated_part(const std::string& path, const std::string& command) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream all;
  all << in.rdbuf();
  const std::string page = all.str();
  const std::string begin = "<!-- " + command + ": begin -->\n";
  const size_t from = page.find(begin), to = page.find("<!-- " + command + ": end -->");
  if (from == std::string::npos || to == std::string::npos) {
    ADD_FAILURE() << path << " has no marks for '" << command << "'";
    return "";
  }
  return page.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace kerr
