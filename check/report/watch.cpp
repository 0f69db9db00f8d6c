#include "check/report/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerr::check {

bool needs_order(Rule rule) {
  switch (rule) {
    case Rule::Race:
    case Rule::InFlight:
    case Rule::CbIncomplete:
    case Rule::CbEarlyPop:
    case Rule::CbTwoProducers:
    case Rule::CbTwoConsumers:
    case Rule::NocLeft:
    case Rule::NocBusyBuffer:
    case Rule::NocTrid:
    case Rule::FlagUnwaited: return true;
    default: return false;
  }
}

Watch::Watch(const Watching& watching, const std::vector<arch::Board>& boards)
    : watching_(watching), checker_(boards) {}

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
