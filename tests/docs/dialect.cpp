#include "tests/docs/dialect.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

namespace kerr {
namespace {

namespace fs = std::filesystem;

size_t line_of(std::string_view text, size_t position) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(position), '\n'));
}

}  // namespace

std::vector<std::string> other_dialects(std::string_view text) {
  static const std::regex integer(R"(\bstd::(u?int(8|16|32|64)_t|size_t|u?intptr_t|ptrdiff_t)\b)");
  static const std::regex scoped(R"(\benum\s+(class|struct)\s+(\w+)[^{};]*\{([^}]*)\})");
  static const std::regex constant(R"(\bk[A-Z]\w*)");
  using Matches = std::regex_iterator<std::string_view::const_iterator>;
  std::vector<std::string> found;
  for (auto m = Matches(text.begin(), text.end(), integer); m != Matches(); ++m) {
    found.push_back(std::to_string(line_of(text, static_cast<size_t>(m->position()))) + ": " + m->str() +
                    " is written " + m->str(1));
  }
  for (auto m = Matches(text.begin(), text.end(), scoped); m != Matches(); ++m) {
    const std::string body = m->str(3);
    for (auto name = std::sregex_iterator(body.begin(), body.end(), constant); name != std::sregex_iterator(); ++name) {
      // What an enumerator is equal to may be a constant.
      const std::string before = body.substr(0, static_cast<size_t>(name->position()));
      const size_t word = before.find_last_not_of(" \t\n");
      if (word != std::string::npos && before[word] != ',') continue;
      found.push_back(std::to_string(line_of(text, static_cast<size_t>(m->position()))) + ": " + name->str() + " of " +
                      m->str(2) + " is written " + name->str().substr(1));
    }
  }
  return found;
}

std::vector<std::string> other_dialects_under(const fs::path& root) {
  std::vector<std::string> all;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      if (name == "build" || name.starts_with('.')) it.disable_recursion_pending();
      continue;
    }
    const std::string extension = it->path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    std::ifstream file(it->path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& what : other_dialects(text)) {
      all.push_back(it->path().lexically_relative(root).string() + ":" + what);
    }
  }
  return all;
}

}  // namespace kerr
