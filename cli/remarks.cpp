#include "cli/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/messages.hpp"

namespace kerr::cli {

namespace {

constexpr size_t kMostShown = 32;

}  // namespace

void say_remarks(const jobs::Remarks& remarks) {
  const size_t shown = std::min(remarks.kinds.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) say("remark: " + remarks.kinds[i]);
  if (const size_t left = remarks.kinds.size() - shown; left != 0 || remarks.further != 0) {
    say(fmt::format("remark: {} more kinds, and {} times of others that a tile had no room for", left, remarks.further));
  }
}

}  // namespace kerr::cli
