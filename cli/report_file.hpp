// --report FILE: the page of a run, or what a page is made of.
#pragma once

#include <string>
#include <string_view>

#include "arch/boards.hpp"
#include "check/report/report.hpp"
#include "cli/files.hpp"
#include "jobs/observation.hpp"

namespace kerr::cli {

/// What a report says beside what was watched.
struct ReportTexts {
  std::string title;             // "kerr matmul 512 512 512"
  std::string failure, account;  // why the run failed: a sentence, and the device's lines
  const check::Report* check = nullptr;
  const jobs::Remarks* remarks = nullptr;
};

/// Made before the run: what cannot be written is refused at once.
class ReportFile {
 public:
  /// `path` ends in .html, or in .json for what 'kerr report' makes the page of; empty: nothing is written. Throws
  /// std::invalid_argument for other endings, and for .html of a kerr that was built without the page.
  explicit ReportFile(const std::string& path);
  bool wanted() const { return file_.wanted(); }
  void write(const jobs::RunShown& run, const ReportTexts& texts, const jobs::DeviceSpec& device);
  /// `run`: what a file.json holds.
  void write(std::string_view run);

 private:
  const bool page_;
  OutputFile file_;
};

}  // namespace kerr::cli
