#include "cli/tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "cli/version.hpp"

namespace kerr::cli {

namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);  // the first bar
  while (!line.empty()) {
    const size_t end = std::min(line.find('|'), line.size());
    std::string cell(line.substr(0, end));
    std::erase(cell, '`');
    const size_t first = std::min(cell.find_first_not_of(' '), cell.size());
    cells.push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

}  // namespace

report::Json tables_of(std::string_view markdown) {
  report::Json tables = report::Json::array();
  std::string heading;
  std::vector<std::string> columns;
  while (!markdown.empty()) {
    const size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.starts_with("### ")) heading = line.substr(4);
    if (!line.starts_with("|")) {
      columns.clear();
    } else if (columns.empty()) {
      columns = cells_of(line);
      tables.push_back({{"table", heading}, {"rows", report::Json::array()}});
    } else if (!line.starts_with("|---")) {
      report::Json row;
      const std::vector<std::string> cells = cells_of(line);
      for (size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) row[columns[i]] = cells[i];
      tables.back()["rows"].push_back(std::move(row));
    }
  }
  return tables;
}

int print_page(const std::string& markdown, bool json) {
  if (json) {
    write_json("tables", tables_of(markdown));
  } else {
    std::fwrite(markdown.data(), 1, markdown.size(), stdout);
  }
  return 0;
}

}  // namespace kerr::cli
