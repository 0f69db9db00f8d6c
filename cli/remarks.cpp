#include "cli/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/messages.hpp"

namespace kerr::cli {

namespace {

constexpr size_t kMostShown = 32;

}  // namespace

uint64_t count_of_remarks(const OpenDevice& device) {
  return device.emulated ? device.emulated->machine().remarks().remarks.size() : 0;
}

void say_remarks(const emu::Machine::Remarks& remarks) {
  const size_t shown = std::min(remarks.remarks.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) say("remark: " + remarks.remarks[i].text());
  if (const size_t left = remarks.remarks.size() - shown; left != 0 || remarks.further != 0) {
    say(fmt::format("remark: {} more kinds, and {} times of others that a tile had no room for", left, remarks.further));
  }
}

void say_remarks(const OpenDevice& device) {
  if (device.emulated) say_remarks(device.emulated->machine().remarks());
}

}  // namespace kerr::cli
