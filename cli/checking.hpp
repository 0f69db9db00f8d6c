// --check and its kind: what a run does although it was fine.   docs/reference/checker.md
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "check/report/environment.hpp"
#include "check/report/report.hpp"
#include "cli/files.hpp"
#include "cli/syntax/syntax.hpp"
#include "jobs/observation.hpp"

namespace kerr::cli {

struct CheckingOptions {
  /// Under the heading "Check". `excludes`: options that were declared before it.
  void declare(Syntax& syntax, std::initializer_list<const char*> excludes = {"--library", "--device"});
  /// Reads the files. Throws UsageError, and std::invalid_argument that names file and line.
  jobs::CheckSpec spec() const;
  void add_inputs(std::vector<NamedFile>& inputs) const;
  void add_outputs(std::vector<NamedFile>& outputs) const;

  check::Watching::Mode mode = check::Watching::Mode::Off;
  check::Format format = check::Format::Text;
  std::string output, suppressions, baseline;
  size_t limit = check::kUsualLimit;
  int exit_status = 3;
  bool stop = false;
};

/// The report of one run. Made before it: a file that cannot be written is refused at once.
class CheckOutput {
 public:
  explicit CheckOutput(const CheckingOptions& options) : options_(options), file_(options.output) {}

  /// Prints it on standard error, or writes the file and prints the summary.
  void write(const check::Report& report, const std::vector<arch::Board>& boards);

 private:
  const CheckingOptions& options_;
  OutputFile file_;
};

}  // namespace kerr::cli
