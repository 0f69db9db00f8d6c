#include "tests/docs/quotes.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace kerr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "<!-- from ", kEnd = " -->", kFence = "```";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether the block's lines stand one below the other in the text.
bool holds(const std::string& text, const std::string& block) {
  return ("\n" + text).find("\n" + block) != std::string::npos;
}

// The first line of the block with which it is no longer in the text.
std::string first_strange_line(const std::string& text, const std::string& block) {
  std::istringstream lines(block);
  std::string line, so_far;
  while (std::getline(lines, line)) {
    so_far += line + "\n";
    if (!holds(text, so_far)) return line;
  }
  return line;
}

}  // namespace

std::vector<Quote> quotes_of(std::string_view page) {
  std::vector<Quote> quotes;
  std::istringstream lines{std::string(page)};
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) continue;
    const std::string file = line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
    quotes.push_back({number, file, ""});
    if (!std::getline(lines, line)) break;
    ++number;
    if (!line.starts_with(kFence)) continue;
    while (std::getline(lines, line) && ++number && !line.starts_with(kFence)) quotes.back().block += line + "\n";
  }
  return quotes;
}

std::vector<std::string> wrong_quotes(const fs::path& root) {
  std::vector<std::string> wrong;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      if (name == "build" || name.starts_with('.')) it.disable_recursion_pending();
      continue;
    }
    if (it->path().extension() != ".md") continue;
    for (const Quote& quote : quotes_of(read(it->path()))) {
      const std::string where = it->path().lexically_relative(root).string() + ":" + std::to_string(quote.line) + ": ";
      const std::string text = read(root / quote.file);
      if (quote.block.empty()) {
        wrong.push_back(where + "no block of code follows");
      } else if (text.empty()) {
        wrong.push_back(where + "there is no " + quote.file);
      } else if (!holds(text, quote.block)) {
        wrong.push_back(where + quote.file + " does not go on with: " + first_strange_line(text, quote.block));
      }
    }
  }
  return wrong;
}

}  // namespace kerr
