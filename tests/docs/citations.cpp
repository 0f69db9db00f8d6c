#include "tests/docs/citations.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace kerr {
namespace {

namespace fs = std::filesystem;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '/' || c == '.';
}

// "7", "7.6" or "A.1" at the beginning of the text; nothing if it is part of something longer.
std::string number_at(std::string_view text) {
  size_t n = 0;
  if (n + 1 < text.size() && std::isupper(static_cast<unsigned char>(text[0])) && text[1] == '.') n = 2;
  const size_t first = n;
  while (n < text.size() && digit(text[n])) ++n;
  if (n == first) return "";
  while (n + 1 < text.size() && text[n] == '.' && digit(text[n + 1])) {
    ++n;
    while (n < text.size() && digit(text[n])) ++n;
  }
  if (n < text.size() && (std::isalpha(static_cast<unsigned char>(text[n])) || text[n] == '_')) return "";
  return std::string(text.substr(0, n));
}

std::string without(std::string_view text, char removed) {
  std::string result(text);
  std::erase(result, removed);
  return result;
}

// A heading without the number before it.
std::string_view title(std::string_view heading) {
  const std::string number = number_at(heading);
  if (number.empty()) return heading;
  heading.remove_prefix(number.size());
  while (!heading.empty() && (heading.front() == '.' || heading.front() == ' ')) heading.remove_prefix(1);
  return heading;
}

std::string anchor_of(std::string_view heading) {
  std::string result;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      result += '-';
    }
  }
  return result;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_source(const fs::path& path) {
  static const std::vector<std::string> kinds = {".cpp", ".hpp", ".def",   ".h",  ".c", ".inc",
                                                 ".md",  ".txt", ".cmake", ".sh", ".S"};
  return std::find(kinds.begin(), kinds.end(), path.extension().string()) != kinds.end();
}

// Text without what marks a comment at the beginning of a line.
std::string_view comment_text(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '/' || line.front() == '#')) line.remove_prefix(1);
  return line;
}

class Check {
 public:
  explicit Check(const fs::path& root) : root_(root) {}

  void file(const fs::path& path) {
    const std::string text = read(path);
    if (text.find(".md") == std::string::npos) return;
    std::istringstream lines(text);
    std::string line, next;
    bool more = static_cast<bool>(std::getline(lines, line));
    for (int number = 1; more; ++number, line = next) {
      more = static_cast<bool>(std::getline(lines, next));
      where_ = fs::relative(path, root_).string() + ":" + std::to_string(number);
      folder_ = path.parent_path();
      if (line.find(".md") != std::string::npos) check(line, more ? next : "", path.extension() == ".md");
    }
  }

  std::vector<std::string> wrong;

 private:
  void check(const std::string& line, const std::string& next, bool is_page) {
    fs::path beside = is_page ? folder_ : fs::path();  // where names without a folder are looked for
    for (const Citation& c : citations(line, next)) {
      const bool from_root = c.page.starts_with("docs/") || c.page.starts_with("tests/");
      if (!from_root && beside.empty()) continue;
      fs::path path = (from_root ? root_ : beside) / c.page;
      if (!from_root && !fs::exists(path)) path = root_ / "docs" / c.page;  // hardware/tile.md
      // Only the pages of docs/hardware have numbers: those of the other folders name them without theirs.
      if (is_page && !from_root && !c.sections.empty() && fs::exists(root_ / "docs/hardware" / c.page)) {
        path = root_ / "docs/hardware" / c.page;
      }
      // Other projects have a docs folder too, and docs/hardware cites them.
      const bool others = !from_root || (is_page && folder_.filename() == "hardware");
      if (others && !fs::exists(path)) continue;
      const Page* page = this->page(path);
      if (page == nullptr) {
        complain(c.page + " does not exist");
        continue;
      }
      if (from_root) beside = path.parent_path();
      for (const std::string& h : c.headings) {
        if (!page->has_heading(h)) complain(c.page + " has no heading \"" + h + "\"");
      }
      for (const std::string& s : c.sections) {
        if (!page->has_section(s)) complain(c.page + " has no section " + s);
      }
    }
    if (!is_page) return;
    for (const std::string& link : links(line)) {
      const size_t hash = link.find('#');
      const std::string name = link.substr(0, hash);
      if (name.empty()) continue;
      const fs::path path = folder_ / name;
      if (!fs::exists(path)) {
        complain("the link to " + link + " leads nowhere");
      } else if (hash != std::string::npos && !page(path)->has_anchor(link.substr(hash + 1))) {
        complain("the link to " + link + " names no heading");
      }
    }
  }

  const Page* page(const fs::path& path) {
    if (!fs::is_regular_file(path)) return nullptr;
    const auto [at, is_new] = pages_.try_emplace(path.string());
    if (is_new) at->second = read_page(read(path));
    return &at->second;
  }

  void complain(const std::string& what) { wrong.push_back(where_ + ": " + what); }

  fs::path root_, folder_;
  std::string where_;
  std::map<std::string, Page> pages_;
};

}  // namespace

bool Page::has_section(std::string_view number) const {
  return std::any_of(headings.begin(), headings.end(), [&](const std::string& h) { return number_at(h) == number; });
}

bool Page::has_heading(std::string_view heading) const {
  const std::string wanted = without(heading, '`');
  return std::any_of(headings.begin(), headings.end(), [&](const std::string& h) {
    const std::string plain = without(h, '`');
    return plain == wanted || title(plain) == wanted;
  });
}

bool Page::has_anchor(std::string_view anchor) const {
  return std::any_of(headings.begin(), headings.end(), [&](const std::string& h) { return anchor_of(h) == anchor; });
}

Page read_page(std::string_view text) {
  Page page;
  std::istringstream lines{std::string(text)};
  std::string line;
  bool code = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) code = !code;
    const size_t depth = line.find_first_not_of('#');
    if (code || depth == 0 || depth == std::string::npos || line[depth] != ' ') continue;
    page.headings.push_back(line.substr(depth + 1));
  }
  return page;
}

std::vector<Citation> citations(std::string_view line, std::string_view next) {
  std::vector<Citation> result;
  for (size_t at = line.find(".md"); at != std::string_view::npos; at = line.find(".md", at + 3)) {
    size_t begin = at;
    while (begin > 0 && in_name(line[begin - 1])) --begin;
    // Pages of other projects are written project:path, and addresses have a colon too.
    if (begin == at || (begin > 0 && line[begin - 1] == ':')) continue;
    Citation c{std::string(line.substr(begin, at + 3 - begin)), {}, {}};
    std::string rest(line.substr(at + 3));
    if (std::count(rest.begin(), rest.end(), '"') % 2 == 1) rest += " " + std::string(comment_text(next));
    std::string_view text = rest;
    while (true) {
      std::string_view item = text;
      for (const std::string_view between : {", ", "; ", " to ", " and ", "-", " "}) {
        if (item.starts_with(between) && !(between == "-" && c.sections.empty())) {
          item.remove_prefix(between.size());
          break;
        }
      }
      if (item.size() == text.size()) break;
      if (item.starts_with('"')) {
        const size_t end = item.find('"', 1);
        if (end == std::string_view::npos) break;
        c.headings.emplace_back(item.substr(1, end - 1));
        text = item.substr(end + 1);
      } else if (const std::string number = number_at(item); !number.empty()) {
        c.sections.push_back(number);
        text = item.substr(number.size());
      } else {
        break;
      }
    }
    result.push_back(std::move(c));
  }
  return result;
}

std::vector<std::string> links(std::string_view line) {
  std::vector<std::string> result;
  for (size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2)) {
    const size_t end = line.find(')', at);
    if (end == std::string_view::npos) break;
    const std::string_view link = line.substr(at + 2, end - at - 2);
    if (link.find("://") == std::string_view::npos && link.find(".") != std::string_view::npos)
      result.emplace_back(link);
  }
  return result;
}

std::vector<std::string> wrong_citations(const fs::path& root) {
  Check check(root);
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    const bool outside = name.starts_with('.') || (it.depth() == 0 && name.starts_with("build"));
    if (it->is_directory()) {
      if (outside) it.disable_recursion_pending();
    } else if (!outside && is_source(it->path())) {
      check.file(it->path());
    }
  }
  std::sort(check.wrong.begin(), check.wrong.end());
  return check.wrong;
}

}  // namespace kerr
