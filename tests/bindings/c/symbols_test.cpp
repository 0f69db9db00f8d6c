// What the file exports and needs.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace kerr::c_test {
namespace {

std::string output_of(const std::string& command) {
  std::string output;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> buffer;
  while (pipe && fgets(buffer.data(), buffer.size(), pipe.get())) output += buffer.data();
  return output;
}

TEST(Symbols, AreTheFunctionsOfTheHeaderWithTheirVersion) {
  std::ifstream file(KERR_SOURCE_DIR "/bindings/c/kerr.h");
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> declared, exported;
  const std::regex declaration("KERR_API [a-z ]+\\*? ?\\*?(kerr_[a-z_]+)\\(");
  for (auto at = std::sregex_iterator(header.begin(), header.end(), declaration); at != std::sregex_iterator(); ++at)
    declared.insert((*at)[1].str() + "@@KERR_1");
  std::istringstream lines(output_of(std::string("nm -D --defined-only ") + KERR_LIBRARY));
  for (std::string address, kind, name; lines >> address >> kind >> name;)
    if (kind != "A") exported.insert(name);
  EXPECT_EQ(declared.size(), 43u);
  EXPECT_EQ(exported, declared);
}

#ifndef KERR_SANITIZED
TEST(Libraries, ThatItNeedsAreThoseOfC) {
  std::istringstream lines(output_of(std::string("readelf -d ") + KERR_LIBRARY));
  bool named = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(SONAME)") != std::string::npos) {
      EXPECT_NE(line.find("[libkerr.so.1]"), std::string::npos) << line;
      named = true;
    }
    if (line.find("(NEEDED)") == std::string::npos) continue;
    EXPECT_TRUE(line.find("[libc.so.6]") != std::string::npos || line.find("[libm.so.6]") != std::string::npos ||
                line.find("[ld-linux") != std::string::npos)
        << line;
  }
  EXPECT_TRUE(named);
}
#endif

}  // namespace
}  // namespace kerr::c_test
