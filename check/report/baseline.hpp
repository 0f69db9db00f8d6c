// The file of --check-baseline: an earlier report as JSON. What it holds is not reported again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kerr::check {

struct Baseline {
  struct Known {
    std::string rule;
    std::string what;
  };
  std::string name;                 // for messages
  std::map<uint64_t, Known> known;  // by fingerprint
};

/// Throws std::invalid_argument that names `name`, and where and what is wrong.
Baseline parse_baseline(std::string_view text, const std::string& name);

}  // namespace kerr::check
