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

}  // namespace kerr::check
