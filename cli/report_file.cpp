#include "cli/report_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "check/report/json.hpp"
#include "cli/version.hpp"
#include "report/page/page.hpp"
#include "report/page/run_shown.hpp"
#include "report/timeline/critical_path.hpp"

namespace kerr::cli {

namespace {

bool is_page(const std::string& path) {
  if (path.empty() || path.ends_with(".json")) return false;
  if (!path.ends_with(".html"))
    throw std::invalid_argument(fmt::format("'{}' is to be a report: its name must end in .html or .json", path));
  if (!report::has_page()) throw std::invalid_argument(std::string(report::how_to_get_the_page()));
  return true;
}

}  // namespace

ReportFile::ReportFile(const std::string& path) : page_(is_page(path)), file_(path) {}

void ReportFile::write(const jobs::RunShown& run, const ReportTexts& texts, const jobs::DeviceSpec& device) {
  if (!wanted()) return;
  report::RunShown shown{.title = texts.title,
                         .version = version_text(),
                         .timing = device.emulator.exact() ? "exact" : "relaxed",
                         .clock_mhz = device.emulator.parameters.clock_mhz,
                         .timeline = run.timeline.get(),
                         .profile = run.profile.get(),
                         .begin = run.begin,
                         .end = run.end,
                         .failure = texts.failure,
                         .account = texts.account};
  for (const arch::Board& board : device.emulator.boards) {
    const auto chip = static_cast<int>(shown.chips.size());
    shown.chips.push_back({board.name, board.harvesting, {}});
    if (device.emulator.exact())
      shown.chips.back().path = report::critical_path(*run.timeline, run.begin, run.end, chip);
  }
  if (texts.check != nullptr) shown.check = check::json(*texts.check, check::Places(device.emulator.boards));
  if (texts.remarks != nullptr) shown.remarks = texts.remarks->kinds;
  write(report::json(shown).dump(-1));
}

void ReportFile::write(std::string_view run) {
  if (page_)
    file_.write(report::page(run));
  else
    file_.write(run);
  file_.finish();
}

}  // namespace kerr::cli
