// No file holds the marks that a merge leaves where it could not decide.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace kerr {
namespace {

namespace fs = std::filesystem;

// "3", "17": lines that begin with a mark.
std::vector<size_t> marked_lines(std::string_view text) {
  std::vector<size_t> found;
  size_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const std::string_view rest = text.substr(begin);
    for (const char mark : {'<', '|', '>'}) {
      if (rest.starts_with(std::string(7, mark) + ' ')) found.push_back(line);
    }
    begin += rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1;
  }
  return found;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Merges, LeaveNoMarksInAnyTextFile) {
  std::string all;
  size_t files = 0;
  for (auto it = fs::recursive_directory_iterator(KERR_SOURCE_DIR); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name == "build" || name == "mine" || name == ".git" || name == ".cache"))
      it.disable_recursion_pending();
    if (!it->is_regular_file()) continue;
    const std::string text = content(it->path());
    if (text.find('\0') != std::string::npos) continue;
    ++files;
    for (const size_t line : marked_lines(text))
      all += it->path().lexically_relative(KERR_SOURCE_DIR).string() + ":" + std::to_string(line) + "\n";
  }
  EXPECT_EQ(all, "");
  EXPECT_GT(files, 1000u) << "it has read the wrong folder";
}

TEST(Merges, AreFoundByTheirMarks) {
  const std::string ours(7, '<'), base(7, '|'), theirs(7, '>');
  EXPECT_EQ(marked_lines("a\n" + ours + " HEAD\nb\n" + base + " base\n=======\nc\n" + theirs + " branch\n"),
            (std::vector<size_t>{2, 4, 7}));
  EXPECT_EQ(marked_lines("a " + ours + " b\n" + theirs + "\n=======\n"), std::vector<size_t>{});
}

}  // namespace
}  // namespace kerr
