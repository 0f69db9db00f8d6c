// The rows of 'kerr sweep': one verified run each, as text, CSV, JSON and a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/check.hpp"
#include "report/json.hpp"

namespace kerr::cli {

struct SweepRow {
  struct Measured {
    uint32_t cores = 0;
    uint64_t device_cycles = 0;
    double macs_per_cycle = 0;  // of products; 0: it has none
    graph::Verdict verdict{};
    double pcc = 0, relative_error = 0;
    uint64_t hash = 0;
  };

  double x = 0;            // its place on the axis of sizes
  std::string size, line;  // as it was asked for, and the line of the picture that it belongs to
  std::vector<std::pair<std::string, std::string>> job;  // "in" is "bf16"; the same names in all rows
  std::optional<Measured> measured;                      // none: it could not be run
  std::string error;                                     // why
};

struct SweepTable {
  std::string title;     // "kerr sweep matmul, exact timing"
  bool is_time = false;  // cycles of exact timing
  std::vector<SweepRow> rows;
};

/// A head and a line for each row, for people.
std::string sweep_head(const SweepTable& table);
std::string sweep_line(const SweepRow& row);
/// RFC 4180: a line of names, then one for each row; fields of rows that could not be run are empty but for `error`.
std::string sweep_csv(const SweepTable& table);
std::string sweep_svg(const SweepTable& table);
report::Json sweep_json(const SweepTable& table);

/// 0: all verified, or right as far as it can be told; 1: one is wrong; 2: one could not be run.
int sweep_status(const SweepTable& table);

}  // namespace kerr::cli
