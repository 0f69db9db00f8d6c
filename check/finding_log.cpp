#include "check/finding_log.hpp"

#include <utility>

namespace kerr::check {

bool FindingLog::wants(const Key& key) {
  const auto [at, is_new] = known_.try_emplace(key, all_.size());
  if (is_new) {
    if (all_.size() < kMost) return true;
    known_.erase(at);
    ++lost_;
    return false;
  }
  ++all_[at->second].count;
  return false;
}

void FindingLog::add(Finding finding) {
  finding.sequence = all_.size();
  all_.push_back(std::move(finding));
}

size_t FindingLog::number_of(const Key& key) const {
  const auto at = known_.find(key);
  return at != known_.end() ? at->second : kNone;
}

void FindingLog::turned_out(size_t number, Outcome outcome, const std::string& text) {
  if (number >= all_.size() || outcome == Outcome::Unknown) return;
  Finding& f = all_[number];
  if (f.outcome == Outcome::Harmful || f.outcome == outcome) return;
  f.outcome = outcome;
  f.outcome_text = text;
}

}  // namespace kerr::check
