#include "check/report/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerr::check {

Watch::Watch(const Watching& watching, const std::vector<arch::Board>& boards)
    : watching_(watching), checker_(boards, watching.annotations, watching.code) {}

bool Watch::wants(const Finding& finding) const {
  return watching_.mode == Watching::Mode::All || !needs_order(finding.rule);
}

std::string Watch::reason_to_stop() const {
  if (!watching_.stop) return "";
  const Findings found = checker_.findings();
  const auto error = std::ranges::find_if(
      found.all, [this](const Finding& f) { return text_of(f.rule).level == Level::Error && wants(f); });
  return error == found.all.end() ? "" : fmt::format("{}: {}", name(error->rule), error->what);
}

Findings Watch::findings() const {
  Findings found = checker_.findings();
  std::erase_if(found.all, [this](const Finding& f) { return !wants(f); });
  return found;
}

}  // namespace kerr::check
