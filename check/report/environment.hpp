// KERR_CHECK and its kind: a process is checked whose command line knows nothing of it.   docs/reference/checker.md
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/boards.hpp"
#include "check/report/places.hpp"
#include "check/report/report.hpp"
#include "check/report/watch.hpp"

namespace kerr::check {

enum class Format : uint8_t { Text, Json, Sarif };

inline constexpr size_t kUsualLimit = 32;

/// The report as a file of that format holds it. `limit`: of text. `version`: of Kerr.
std::string written(const Report& report, Format format, const Places& places, size_t limit, std::string_view version);

/// The bytes of a file. Throws std::invalid_argument that names it.
std::string content_of(const std::string& path);

/// What the environment asks for.
struct EnvironmentCheck {
  Watching watching;
  std::string output;  // a file; empty: standard error
  Format format = Format::Text;
  std::optional<RulesFile> rules;
  std::optional<Baseline> baseline;
  size_t limit = kUsualLimit;

  /// KERR_CHECK is 1, memory or 0; words that are meant for tinygrad's device (bounds, definition, paths) may stand
  /// beside, behind a comma. KERR_CHECK_OUTPUT, KERR_CHECK_FORMAT, KERR_CHECK_SUPPRESSIONS, KERR_CHECK_BASELINE,
  /// KERR_CHECK_LIMIT, KERR_CHECK_ELF. Nothing if KERR_CHECK does not ask for a check. Tells `complain` what makes no
  /// sense; if that returns, it is as if the variable were not set.
  using Complain = std::function<void(const std::string&)>;
  static std::optional<EnvironmentCheck> read(const Complain& complain);

  /// Writes it where it is asked for; several devices of one process one behind the other. Says on standard error what
  /// could not be written.
  void write(Findings findings, const std::vector<arch::Board>& boards) const noexcept;

 private:
  void write_report(Findings findings, const std::vector<arch::Board>& boards) const;
};

}  // namespace kerr::check
