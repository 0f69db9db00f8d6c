#include "cli/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/dumps.hpp"
#include "cli/observing.hpp"
#include "cli/version.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/data.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

using jobs::RunHart;
using jobs::RunOutcome;

std::string core_text(arch::NocCoord core) { return fmt::format("({},{})", core.x, core.y); }

std::string hart_text(const RunHart& hart) {
  std::string out = fmt::format("{} {} {}", jobs::hart_name(hart.hart), core_text(hart.core), name_of(hart.end));
  if (hart.end != RunHart::End::Returned) out += fmt::format(" at pc {:#x}", hart.pc);
  if (!hart.where.empty() && hart.end != RunHart::End::Returned) out += fmt::format(", {}", hart.where);
  if (hart.instructions != 0)
    out += fmt::format("; {} instructions in cycles {} to {}", hart.instructions, hart.first_cycle, hart.last_cycle);
  return out;
}

// Harts that do the same are told once.
void print_harts(const RunOutcome& o) {
  std::vector<std::pair<std::string, size_t>> lines;
  const bool detailed = std::ranges::any_of(o.harts, [](const RunHart& h) { return h.instructions != 0; });
  for (const RunHart& hart : o.harts) {
    const bool told = detailed || hart.end != RunHart::End::Returned;
    std::string line = told ? hart_text(hart) : fmt::format("{} returned", jobs::hart_name(hart.hart));
    if (const auto same = std::ranges::find(lines, line, &std::pair<std::string, size_t>::first); same != lines.end()) {
      ++same->second;
    } else {
      lines.emplace_back(std::move(line), 1);
    }
  }
  for (const auto& [line, cores] : lines)
    fmt::print("  hart          {}{}\n", line, cores == 1 ? "" : fmt::format(" on {} cores", cores));
}

void print_dumps(const jobs::RunJob& job, const RunOutcome& o) {
  for (const jobs::RunDump& dump : o.dumps) {
    const jobs::PlacedData& asked = job.dumps[dump.index];
    if (asked.place.area == jobs::Place::Area::Registers) {
      for (const RunHart& hart : o.harts) {
        if (hart.core != *dump.core) continue;
        fmt::print("  registers of {} {}", jobs::hart_name(hart.hart), core_text(hart.core));
        if (!hart.has_registers) {
          fmt::print(": it has executed nothing of its code\n");
          continue;
        }
        fmt::print(", {} pc {:#x}{}{}\n{}",
                   hart.end == RunHart::End::Returned ? "behind its last instruction, at" : "at", hart.pc,
                   hart.where.empty() ? "" : "  ", hart.where, registers_text(hart, "    "));
      }
      continue;
    }
    if (!asked.file.empty()) continue;
    fmt::print("  {}{}\n{}", asked.text, dump.core && !asked.place.core ? " of " + core_text(*dump.core) : "",
               memory_text(asked, dump, "    "));
  }
  for (const jobs::PlacedData& asked : job.dumps)
    if (!asked.file.empty()) fmt::print("  {}\n", asked.text);
}

}  // namespace

void print_text(const jobs::RunJob& job, const jobs::RunOutcome& o) {
  fmt::print("run {}\n", job.name);
  fmt::print("  board         {} ({})\n", o.board, o.device);
  if (!job.bare) fmt::print("  boot          {:.0f} ms, {} device cycles\n", o.boot_s * 1e3, o.boot_cycles);
  fmt::print("  device        {} cycles = {:.1f} us at {} MHz{}\n", o.device_cycles, o.microseconds(o.device_cycles),
             o.clock_mhz, o.timing == "relaxed" ? " (relaxed timing: one cycle an instruction, not a time)" : "");
  fmt::print("  host          {:.2f} s\n", o.run_s);
  fmt::print("{}", text(o));
  print_harts(o);
  print_dumps(job, o);
  fmt::print("{}\n", name_of(o.end));
}

void print_json(const jobs::RunJob& job, const jobs::RunOutcome& o) {
  report::Json harts = report::Json::array(), dumps = report::Json::array();
  for (const RunHart& hart : o.harts) {
    report::Json json = {
        {"hart", jobs::hart_name(hart.hart)}, {"end", name_of(hart.end)}, {"pc", hart.pc}, {"where", hart.where}};
    json["core"].push_back(hart.core.x);
    json["core"].push_back(hart.core.y);
    if (hart.instructions != 0)
      json.update(
          {{"instructions", hart.instructions}, {"first_cycle", hart.first_cycle}, {"last_cycle", hart.last_cycle}});
    if (hart.has_registers) json["registers"] = registers_json(hart);
    harts.push_back(std::move(json));
  }
  for (const jobs::RunDump& dump : o.dumps) {
    const jobs::PlacedData& asked = job.dumps[dump.index];
    if (asked.file.empty() && asked.place.area != jobs::Place::Area::Registers)
      dumps.push_back(memory_json(asked, dump));
  }
  report::Json json = {{"name", job.name},
                       {"end", name_of(o.end)},
                       {"summary", o.summary},
                       {"report", o.report},
                       {"device", o.device},
                       {"board", o.board},
                       {"timing", o.timing.empty() ? report::Json() : report::Json(o.timing)},
                       {"bare", job.bare},
                       {"boot_s", o.boot_s},
                       {"boot_cycles", o.boot_cycles},
                       {"device_cycles", o.device_cycles},
                       {"device_us", o.microseconds(o.device_cycles)},
                       {"run_s", o.run_s}};
  json["harts"] = std::move(harts);
  json["dumps"] = std::move(dumps);
  add_observation(json, o);
  write_json(json);
}

DumpFiles::DumpFiles(const std::vector<jobs::PlacedData>& dumps) {
  for (const jobs::PlacedData& dump : dumps) files_.push_back(std::make_unique<OutputFile>(dump.file));
}

void DumpFiles::write(const jobs::RunJob& job, const jobs::RunOutcome& o) {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i]->wanted()) continue;
    std::vector<std::byte> bytes;
    uint64_t rows = 0;
    bool words = true;
    for (const jobs::RunDump& dump : o.dumps) {
      if (dump.index != i) continue;
      bytes.insert(bytes.end(), dump.bytes.begin(), dump.bytes.end());
      words = words && dump.bytes.size() % 4 == 0;
      ++rows;
    }
    const jobs::PlacedData& asked = job.dumps[i];
    if (asked.file.ends_with(".npy")) {
      files_[i]->write(
          jobs::npy_of(bytes, asked.element.value_or(words ? jobs::Element::U32 : jobs::Element::U8), rows));
    } else {
      files_[i]->write(bytes);
    }
    files_[i]->finish();
  }
}

}  // namespace kerr::cli
