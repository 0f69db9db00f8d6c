// The table of docs/guide/expressions.md: both spellings of a row are one graph.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "graph/parse.hpp"
#include "tests/graph/graph_text.hpp"

namespace kerr::graph {
namespace {

Matrix matrix_of(std::string_view name) {
  if (name == "n" || name == "m") return {{64, 96}, Format::Int32};
  if (name == "square") return Shape{64, 64};
  if (name == "x" || name == "y" || name == "z") return Shape{64, 96};
  throw std::invalid_argument("there is no such matrix");
}

// What stands between backticks in a cell.
std::vector<std::string> expressions_of(const std::string& cell) {
  std::vector<std::string> all;
  for (size_t begin = cell.find('`'); begin != std::string::npos; begin = cell.find('`', begin)) {
    const size_t end = cell.find('`', begin + 1);
    std::string expression = cell.substr(begin + 1, end - begin - 1);
    for (size_t at; (at = expression.find("\\|")) != std::string::npos;) expression.erase(at, 1);
    all.push_back(expression);
    begin = end + 1;
  }
  return all;
}

TEST(SpellingsPage, BothSpellingsOfARowAreOneGraph) {
  std::ifstream page(KERR_SOURCE_DIR "/docs/guide/expressions.md");
  size_t rows = 0;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| NumPy, torch")) inside = true;
    if (!line.starts_with("|")) inside = false;
    const size_t middle = line.find("` | `");
    if (!inside || middle == std::string::npos) continue;
    const std::vector<std::string> left = expressions_of(line.substr(0, middle + 1)),
                                   right = expressions_of(line.substr(middle + 2));
    ASSERT_EQ(left.size(), right.size()) << line;
    for (size_t i = 0; i < left.size(); ++i) {
      const Graph a = parse(left[i], matrix_of), b = parse(right[i], matrix_of);
      EXPECT_EQ(text(a, a.result()), text(b, b.result())) << left[i];
      EXPECT_EQ(a.item(a.result()).shape, b.item(b.result()).shape) << left[i];
    }
    ++rows;
  }
  EXPECT_GT(rows, 15u);
}

}  // namespace
}  // namespace kerr::graph
