#include "cli/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/syntax/syntax.hpp"
#include "isa/text/parts.hpp"
#include "isa/text/whole_number.hpp"
#include "kernels/format.hpp"

namespace kerr::cli {

namespace {

using isa::text::parts;

constexpr size_t kMostSizes = 1000;
constexpr const char* kHow = "sizes are written 256, 128:2048:*2, 64:256:+64 or MxNxK, with commas between them";

uint32_t size_of(std::string_view option, std::string_view part, std::string_view text) {
  const auto number = isa::text::whole_number(text);
  if (!number) throw UsageError(fmt::format("{} {}: '{}' is no size; {}", option, part, text, kHow));
  if (*number < 1 || *number > kernels::kLargestSize)
    throw UsageError(fmt::format("{} {}: sizes are from 1 to {}, not {}", option, part, kernels::kLargestSize, text));
  return static_cast<uint32_t>(*number);
}

SweepSize single(uint32_t size) { return {.text = fmt::format("{}", size), .m = size, .n = size, .k = size}; }

void add_range(std::string_view option, std::string_view part, const std::vector<std::string_view>& ends,
               std::vector<SweepSize>& all) {
  if (ends.size() != 3 || ends[2].empty())
    throw UsageError(fmt::format("{} {}: a range has a first size, a last one and a step: 128:2048:*2", option, part));
  const uint32_t first = size_of(option, part, ends[0]), last = size_of(option, part, ends[1]);
  const bool times = ends[2].front() == '*', plus = ends[2].front() == '+';
  const uint32_t step = size_of(option, part, ends[2].substr(times || plus ? 1 : 0));
  if (times && step == 1) throw UsageError(fmt::format("{} {}: times 1 never arrives", option, part));
  if (first > last) throw UsageError(fmt::format("{} {}: the range begins above its end", option, part));
  for (uint64_t size = first; size <= last && all.size() <= kMostSizes; size = times ? size * step : size + step)
    all.push_back(single(static_cast<uint32_t>(size)));
}

}  // namespace

std::vector<SweepSize> sweep_sizes(std::string_view option, std::string_view text) {
  std::vector<SweepSize> all;
  for (const std::string_view part : parts(text, ',')) {
    if (part.empty()) throw UsageError(fmt::format("{} {}: a size is missing beside a comma", option, text));
    if (const auto ends = parts(part, ':'); ends.size() > 1) {
      add_range(option, part, ends, all);
    } else if (const auto sides = parts(part, 'x'); sides.size() == 3) {
      all.push_back({.text = std::string(part),
                     .m = size_of(option, part, sides[0]),
                     .n = size_of(option, part, sides[1]),
                     .k = size_of(option, part, sides[2])});
    } else {
      all.push_back(single(size_of(option, part, part)));
    }
    if (all.size() > kMostSizes) throw UsageError(fmt::format("{} {}: more than {} sizes", option, text, kMostSizes));
  }
  return all;
}

std::vector<std::string> words_of(std::string_view option, std::string_view text) {
  std::vector<std::string> all;
  for (const std::string_view part : parts(text, ',')) {
    if (part.empty()) throw UsageError(fmt::format("{} {}: a word is missing beside a comma", option, text));
    if (std::ranges::find(all, part) != all.end()) throw UsageError(fmt::format("{}: {} is there twice", option, part));
    all.emplace_back(part);
  }
  return all;
}

}  // namespace kerr::cli
