#include "check/report/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "check/report/json.hpp"
#include "check/report/sarif.hpp"
#include "check/report/text.hpp"
#include "emu/options.hpp"
#include "isa/text/parts.hpp"

namespace kerr::check {

namespace {

using Complain = EnvironmentCheck::Complain;

constexpr std::array<std::string_view, 3> kOfLoopPrograms{"bounds", "definition", "paths"};  // python/kerr/_tinygrad.py

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

Watching::Mode mode_of(const std::string& text, const Complain& complain) {
  Watching::Mode mode = Watching::Mode::Off;
  if (text.empty()) return mode;
  for (const std::string_view word : isa::text::parts(text, ',')) {
    if (word == "1") {
      mode = Watching::Mode::All;
    } else if (word == "memory") {
      mode = Watching::Mode::Memory;
    } else if (word != "0" &&
               std::find(kOfLoopPrograms.begin(), kOfLoopPrograms.end(), word) == kOfLoopPrograms.end()) {
      complain(fmt::format(
          "KERR_CHECK is '{}', of which '{}' is not 0, 1 or memory (of tinygrad's device: bounds, definition or paths)",
          text, word));
    }
  }
  return mode;
}

Format format_of(const std::string& text, const Complain& complain) {
  if (text == "json") return Format::Json;
  if (text == "sarif") return Format::Sarif;
  if (!text.empty() && text != "text")
    complain(fmt::format("KERR_CHECK_FORMAT is '{}', not text, json or sarif", text));
  return Format::Text;
}

// What `parse` makes of a file's bytes.
template <class Parse>
auto parsed_file(const char* name, const Complain& complain, Parse parse)
    -> std::optional<decltype(parse(std::string(), std::string()))> {
  const std::string path = variable(name);
  if (path.empty()) return std::nullopt;
  try {
    return parse(content_of(path), path);
  } catch (const std::invalid_argument& error) {
    complain(fmt::format("{}: {}", name, error.what()));
    return std::nullopt;
  }
}

}  // namespace

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) throw std::invalid_argument(fmt::format("'{}' cannot be read", path));
  return bytes;
}

std::string written(const Report& report, Format format, const Places& places, size_t limit, std::string_view version) {
  if (format == Format::Json) return json(report, places).dump(1) + "\n";
  if (format == Format::Sarif) return sarif(report, places, version).dump(1) + "\n";
  return text(report, places, limit);
}

std::optional<EnvironmentCheck> EnvironmentCheck::read(const Complain& complain) {
  EnvironmentCheck out;
  out.watching.mode = mode_of(variable("KERR_CHECK"), complain);
  if (!out.watching.on()) return std::nullopt;
  out.output = variable("KERR_CHECK_OUTPUT");
  out.format = format_of(variable("KERR_CHECK_FORMAT"), complain);
  out.rules = parsed_file("KERR_CHECK_SUPPRESSIONS", complain, parse_rules_file);
  out.baseline = parsed_file("KERR_CHECK_BASELINE", complain, parse_baseline);
  out.limit = emu::number_in_environment("KERR_CHECK_LIMIT", 0, 1'000'000, complain).value_or(kUsualLimit);
  if (out.rules) out.watching.annotations = out.rules->annotations;
  return out;
}

void EnvironmentCheck::write(Findings findings, const std::vector<arch::Board>& boards) const noexcept {
  try {
    write_report(std::move(findings), boards);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kerr: check: the report cannot be made: %s\n", error.what());
  }
}

void EnvironmentCheck::write_report(Findings findings, const std::vector<arch::Board>& boards) const {
  const Report report = report_of(std::move(findings), rules ? &*rules : nullptr, baseline ? &*baseline : nullptr);
  const std::string text = written(report, format, Places(boards), limit, "");
  static std::mutex one_at_a_time;
  static bool written_before = false;  // by this process
  std::lock_guard lock(one_at_a_time);
  std::FILE* const file =
      output.empty() ? stderr : std::fopen(output.c_str(), written_before && format == Format::Text ? "a" : "w");
  if (file == nullptr) {
    std::fprintf(stderr, "kerr: check: KERR_CHECK_OUTPUT '%s' cannot be written: %s\n", output.c_str(),
                 std::strerror(errno));
    return;
  }
  written_before = true;
  std::fwrite(text.data(), 1, text.size(), file);
  const bool whole = std::fflush(file) == 0 && std::ferror(file) == 0;
  if (file != stderr) std::fclose(file);
  if (!whole) std::fprintf(stderr, "kerr: check: KERR_CHECK_OUTPUT '%s' is not whole\n", output.c_str());
  if (!output.empty()) std::fputs(summary(report).c_str(), stderr);
}

}  // namespace kerr::check
