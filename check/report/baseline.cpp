#include "check/report/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace kerr::check {

namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 64;

// Its message, without what nlohmann's library says before it.
std::string reason_of(const Json::parse_error& error) {
  const std::string text = error.what();
  const size_t begin = text.find("syntax error");
  return begin == std::string::npos ? text : text.substr(begin);
}

Json parsed(std::string_view text, const std::string& name) {
  const auto not_too_deep = [&name](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw std::invalid_argument(fmt::format(
          "'{}' is no report of --check-format json: its values are nested more than {} times", name, kDeepest));
    return true;
  };
  try {
    return Json::parse(text, not_too_deep);
  } catch (const Json::parse_error& error) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(std::min(error.byte, text.size())), '\n') + 1;
    throw std::invalid_argument(fmt::format("'{}', line {}, is no JSON: {}", name, line, reason_of(error)));
  } catch (const Json::exception&) {  // a number that nothing holds
    throw std::invalid_argument(
        fmt::format("'{}' is no report of --check-format json: it has a number that is too large", name));
  }
}

const Json& member(const Json& of, const char* name) {
  static const Json nothing = nullptr;
  if (!of.is_object()) return nothing;
  const auto found = of.find(name);
  return found == of.end() ? nothing : *found;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::optional<uint64_t> fingerprint_of(const Json& report) {
  const std::string text = text_of(member(report, "fingerprint"));
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (text.size() != 16 || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Baseline parse_baseline(std::string_view text, const std::string& name) {
  const Json report = parsed(text, name);
  const Json& reports = member(report, "reports");
  if (member(report, "kerr_check") != 1 || !reports.is_array())
    throw std::invalid_argument(
        fmt::format("'{}' is no report of the checker: '--check-format json --check-output FILE' writes one", name));
  Baseline baseline{.name = name};
  for (size_t i = 0; i < reports.size(); ++i) {
    const auto fingerprint = fingerprint_of(reports[i]);
    if (!fingerprint)
      throw std::invalid_argument(
          fmt::format("'{}': report {} has no fingerprint of 16 hexadecimal digits", name, i + 1));
    baseline.known.insert({*fingerprint, {text_of(member(reports[i], "rule")), text_of(member(reports[i], "what"))}});
  }
  return baseline;
}

}  // namespace kerr::check
