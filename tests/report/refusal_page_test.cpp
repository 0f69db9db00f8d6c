// The table of what is refused says what the code refuses.
#include "report/refusal_page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "emu/observe/remark.hpp"
#include "tests/reference_page.hpp"

namespace kerr::report {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// The call whose name ends at `at`, to its closing parenthesis, with neighbouring literals joined.
std::string call_at(const std::string& source, size_t at) {
  std::string call;
  int depth = 0;
  for (bool quoted = false; at < source.size(); ++at) {
    const char c = source[at];
    call += c;
    if (quoted && c == '\\') {
      call += source[++at];
    } else if (c == '"') {
      quoted = !quoted;
      if (quoted) continue;
      size_t next = at + 1;
      while (next < source.size() && std::isspace(static_cast<unsigned char>(source[next]))) ++next;
      if (next < source.size() && source[next] == '"') {  // "one" "two" is one literal
        call.pop_back();
        at = next;
        quoted = true;
      }
    } else if (!quoted && c == '(') {
      ++depth;
    } else if (!quoted && c == ')' && --depth == 0) {
      break;
    }
  }
  return call;
}

std::vector<std::string> refusing_calls() {
  std::vector<std::string> calls;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KERR_SOURCE_DIR "/emu/tensix")) {
    const std::string name = entry.path().filename().string();
    if (name == "issue.hpp" || !(name.ends_with(".cpp") || name.ends_with(".hpp"))) continue;
    const std::string source = text_of(entry.path());
    for (const std::string callee : {"Issue::undefined", "Issue::unsupported", " r.unsupported"}) {
      for (size_t at = source.find(callee + "("); at != std::string::npos; at = source.find(callee + "(", at + 1))
        calls.push_back(call_at(source, at + callee.size()));
    }
  }
  return calls;
}

TEST(RefusalPage, HasARowForEachPlaceThatRefuses) {
  const std::vector<std::string> calls = refusing_calls();
  EXPECT_GT(calls.size(), 80u);
  std::set<std::string_view> used;
  for (const std::string& call : calls) {
    int rows = 0;
    for (const Refusal& r : refusals()) {
      if (call.find(r.key) == std::string::npos) continue;
      ++rows;
      used.insert(r.key);
    }
    EXPECT_EQ(rows, 1) << call;
  }
  std::set<std::string_view> oddities;
#define X(name, ...) oddities.insert(#name);
#include "emu/observe/oddities.def"
  for (const Refusal& r : refusals()) {
    EXPECT_NE(used.contains(r.key), oddities.contains(r.key))
        << r.key << " is the key of no place, or of a place and an oddity";
    EXPECT_FALSE(oddities.contains(r.key) && r.verdict != Verdict::Ignored) << r.key;
    EXPECT_FALSE(r.condition.empty() || r.source.empty()) << r.key;
    oddities.erase(r.key);
  }
  EXPECT_TRUE(oddities.empty()) << *oddities.begin() << " has no row";
}

TEST(RefusalPage, IsWhatThePageHolds) {
  EXPECT_EQ(generated_part(KERR_SOURCE_DIR "/docs/reference/instructions.md", "kerr isa --refusals"), refusal_table())
      << "Put the output of `kerr isa --refusals` between the two marks of docs/reference/instructions.md.";
}

}  // namespace
}  // namespace kerr::report
