#include "host/error.hpp"

#include <algorithm>
#include <utility>

namespace kerr::host {

namespace {

std::string summary_of(Category category, const std::string& sentence) {
  return std::string(category_name(category)) + ": " + sentence;
}

// Nothing of an empty report; no line break at the end.
std::string beginning_of(const std::string& report) {
  std::string out;
  size_t lines = 0, at = 0;
  while (at < report.size() && lines < DeviceError::kLinesInWhat) {
    const size_t end = std::min(report.find('\n', at), report.size());
    out += "\n" + report.substr(at, end - at);
    at = end + 1;
    ++lines;
  }
  if (at < report.size()) out += "\n... (DeviceError::report() has it all)";
  return out;
}

}  // namespace

DeviceError::DeviceError(Category category, const std::string& sentence, std::string report)
    : std::runtime_error(summary_of(category, sentence) + beginning_of(report)),
      category_(category),
      summary_(summary_of(category, sentence)),
      report_(std::move(report)) {}

void host_error(const std::string& sentence) { throw DeviceError(Category::HostError, sentence); }

}  // namespace kerr::host
