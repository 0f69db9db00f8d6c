#include "kernels/matmul/rectangles.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kerr::kernels {

std::vector<CoreRows> row_runs(std::span<const arch::NocCoord> workers) {
  std::map<uint8_t, std::set<uint8_t>> columns_of_row;
  for (const arch::NocCoord worker : workers) columns_of_row[worker.y].insert(worker.x);
  std::vector<CoreRows> runs;
  for (auto first = columns_of_row.begin(); first != columns_of_row.end(); ++first) {
    std::set<uint8_t> common = first->second;
    std::vector<uint8_t> ys;
    for (auto row = first; row != columns_of_row.end() && (ys.empty() || row->first == ys.back() + 1); ++row) {
      std::erase_if(common, [&](uint8_t x) { return !row->second.contains(x); });
      ys.push_back(row->first);
      runs.push_back({ys, {common.begin(), common.end()}});
    }
  }
  return runs;
}

std::vector<uint32_t> divisors(uint32_t value) {
  std::vector<uint32_t> all;
  for (uint32_t d = 1; d <= value; ++d) {
    if (value % d == 0) all.push_back(d);
  }
  return all;
}

std::vector<arch::NocCoord> placement(const CoreRows& rows, uint32_t columns) {
  std::vector<arch::NocCoord> cores;
  for (const uint8_t y : rows.ys) {
    for (uint32_t c = 0; c < columns; ++c) cores.push_back({rows.xs[c], y});
  }
  return cores;
}

}  // namespace kerr::kernels
