// The findings of one tile.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "check/finding.hpp"

namespace kerr::check {

/// Keeps the first finding of each pair of sites and counts the others.
class FindingLog {
 public:
  static constexpr size_t kMost = 256;
  static constexpr size_t kNone = ~size_t{0};

  /// What two findings have in common that are the same mistake: the rule, and pc and agent of both sites.
  using Key = std::tuple<Rule, uint32_t, uint8_t, uint32_t, uint8_t, uint32_t>;

  /// True if there was none like it, and there is room: the caller then adds it.
  bool wants(const Key& key);
  void add(Finding finding);
  /// The number of that finding in all(); kNone: there is none.
  size_t number_of(const Key& key) const;
  /// It has turned out what that finding did, here or another time: the worst counts.
  void turned_out(size_t number, Outcome outcome, const std::string& text);

  const std::vector<Finding>& all() const { return all_; }
  uint64_t lost() const { return lost_; }

 private:
  std::vector<Finding> all_;
  std::map<Key, size_t> known_;
  uint64_t lost_ = 0;
};

}  // namespace kerr::check
