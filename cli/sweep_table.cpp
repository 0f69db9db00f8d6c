#include "cli/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/verdict.hpp"
#include "report/line_plot.hpp"

namespace kerr::cli {

namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string sweep_head(const SweepTable& table) {
  return fmt::format("{}\n  {:<18} {:<24} {:>6} {:>14} {:>12}  {}\n", table.title, "size", "job", "cores", "cycles",
                     "macs/cycle", "verdict");
}

std::string sweep_line(const SweepRow& row) {
  if (!row.measured) {
    const std::string reason = row.error.substr(0, row.error.find('\n'));  // an expression's place would be below it
    return fmt::format("  {:<18} {:<24} could not be run: {}\n", row.size, row.line,
                       reason.ends_with(':') ? reason.substr(0, reason.size() - 1) : reason);
  }
  const SweepRow::Measured& m = *row.measured;
  return fmt::format("  {:<18} {:<24} {:>6} {:>14} {:>12}  {}\n", row.size, row.line, m.cores, m.device_cycles,
                     m.macs_per_cycle == 0 ? "" : fmt::format("{:.1f}", m.macs_per_cycle), word(m.verdict));
}

std::string sweep_csv(const SweepTable& table) {
  std::string out = "size";
  if (!table.rows.empty())
    for (const auto& [name, value] : table.rows.front().job) out += "," + quoted(name);
  out += ",cores,device_cycles,macs_per_cycle,verdict,pcc,relative_error,hash,error\r\n";
  for (const SweepRow& row : table.rows) {
    out += quoted(row.size);
    for (const auto& [name, value] : row.job) out += "," + quoted(value);
    if (row.measured) {
      const SweepRow::Measured& m = *row.measured;
      out += fmt::format(",{},{},{},{},{},{},{:016x},\r\n", m.cores, m.device_cycles,
                         m.macs_per_cycle == 0 ? "" : fmt::format("{:.3f}", m.macs_per_cycle), word(m.verdict), m.pcc,
                         m.relative_error, m.hash);
    } else {
      out += ",,,,,,,," + quoted(one_line(row.error)) + "\r\n";
    }
  }
  return out;
}

std::string sweep_svg(const SweepTable& table) {
  const bool products =
      std::ranges::any_of(table.rows, [](const SweepRow& r) { return r.size.find('x') != std::string::npos; });
  report::LinePlot plot{.title = table.title,
                        .x_axis = products ? "size: the cube root of M x N x K" : "size",
                        .y_axis = table.is_time ? "device cycles" : "device cycles of relaxed timing: no time",
                        .lines = {}};
  for (const SweepRow& row : table.rows) {
    if (!row.measured) continue;
    auto line = std::ranges::find(plot.lines, row.line, &report::LinePlot::Line::name);
    if (line == plot.lines.end()) line = plot.lines.insert(line, {row.line, {}});
    line->points.push_back({row.x, static_cast<double>(row.measured->device_cycles),
                            fmt::format("{}, {}: {} cycles, {}", row.size, row.line, row.measured->device_cycles,
                                        word(row.measured->verdict))});
  }
  for (report::LinePlot::Line& line : plot.lines)
    std::ranges::stable_sort(line.points, {}, &report::LinePlot::Point::x);
  return report::line_plot_svg(plot);
}

report::Json sweep_json(const SweepTable& table) {
  report::Json rows = report::Json::array();
  for (const SweepRow& row : table.rows) {
    report::Json json = {{"size", row.size}};
    for (const auto& [name, value] : row.job) json[name] = value;
    if (row.measured) {
      const SweepRow::Measured& m = *row.measured;
      json["cores"] = m.cores;
      json["device_cycles"] = m.device_cycles;
      json["macs_per_cycle"] = m.macs_per_cycle == 0 ? report::Json() : report::Json(m.macs_per_cycle);
      json["verdict"] = word(m.verdict);
      json["pcc"] = m.pcc;
      json["relative_error"] = m.relative_error;
      json["hash"] = fmt::format("{:016x}", m.hash);
    } else {
      json["error"] = row.error;
    }
    rows.push_back(std::move(json));
  }
  return {{"sweep", table.title}, {"exact", table.is_time}, {"rows", std::move(rows)}};
}

int sweep_status(const SweepTable& table) {
  int status = 0;
  for (const SweepRow& row : table.rows)
    status = std::max(status, !row.measured ? 2 : row.measured->verdict == graph::Verdict::Wrong ? 1 : 0);
  return status;
}

}  // namespace kerr::cli
