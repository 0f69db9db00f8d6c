// The text of source lines that a report names.   docs/architecture.md "The page"
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kerr::report {

/// Reads source files when they are asked for, each once. Of what is no source code by its name, no file, or too large,
/// nothing is shown: paths come from line tables, and a report is given away.
class Sources {
 public:
  /// The line, without blanks at its ends; empty if the file cannot be read, or has no such line.
  std::string line(const std::string& file, uint32_t number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace kerr::report
