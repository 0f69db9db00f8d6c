// What kerr run says of a run.
#pragma once

#include <memory>
#include <vector>

#include "cli/files.hpp"
#include "jobs/run/run.hpp"

namespace kerr::cli {

void print_text(const jobs::RunJob& job, const jobs::RunOutcome& outcome);
void print_json(const jobs::RunJob& job, const jobs::RunOutcome& outcome);

/// The files of dumps: made before the run, so that one which cannot be written is refused at once.
class DumpFiles {
 public:
  explicit DumpFiles(const std::vector<jobs::PlacedData>& dumps);
  void write(const jobs::RunJob& job, const jobs::RunOutcome& outcome);

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;  // one for each dump
};

}  // namespace kerr::cli
