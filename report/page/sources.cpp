#include "report/page/sources.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace kerr::report {

namespace {

constexpr uintmax_t kLargestFile = 4u << 20;
constexpr size_t kLongestLine = 200, kMostFiles = 200;

bool is_source(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 10> endings{".c",   ".cc",  ".cpp", ".cxx", ".h",
                                                     ".hpp", ".inc", ".def", ".s",   ".S"};
  return std::ranges::find(endings, std::string_view(path.extension().native())) != endings.end();
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!is_source(path) || !std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) > kLargestFile)
    return {};
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    lines.push_back(first == std::string::npos ? "" : line.substr(first, std::min(last + 1 - first, kLongestLine)));
  }
  return lines;
}

}  // namespace

std::string Sources::line(const std::string& file, uint32_t number) {
  auto found = files_.find(file);
  if (found == files_.end()) {
    if (files_.size() == kMostFiles) return {};
    found = files_.emplace(file, lines_of(file)).first;
  }
  return number >= 1 && number <= found->second.size() ? found->second[number - 1] : std::string();
}

}  // namespace kerr::report
