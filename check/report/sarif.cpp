#include "check/report/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "check/report/fingerprint.hpp"

namespace kerr::check {

namespace {

using kerr::report::Json;

const char* level_text(Level level) {
  return level == Level::Error ? "error" : level == Level::Warning ? "warning" : "note";
}

Json message(std::string_view text) { return Json({{"text", text}}); }

// A relative reference (RFC 3986): what no path of a URI has is percent-encoded. A folder of its own stays behind
// "file://".
std::string uri(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// The kernel's own line, not that of what was inlined there.
Json location(const Site& site) {
  Json out = Json::object();
  const Frame* const frame = site.frames.empty() ? nullptr : &site.frames.back();
  if (frame != nullptr && !frame->file.empty()) {
    out["physicalLocation"] = Json({{"artifactLocation", Json({{"uri", uri(frame->file)}})}});
    if (frame->line != 0) out["physicalLocation"]["region"] = Json({{"startLine", frame->line}});
  }
  const std::string name = frame != nullptr && !frame->function.empty() ? frame->function : site.kernel;
  if (!name.empty())
    out["logicalLocations"].push_back({{"name", name}, {"kind", name == site.kernel ? "module" : "function"}});
  return out;
}

std::string text_of(const Site& site, const Places& places) {
  return fmt::format("{} by {} {} at cycle {}{}{}", site.op, places.text(site.tile), name(site.agent), site.cycle,
                     site.detail.empty() ? "" : ": ", site.detail.empty() ? "" : site.detail.front());
}

Json rules_json(const std::vector<Rule>& used) {
  Json out = Json::array();
  for (const Rule rule : used) {
    const RuleText& text = kerr::check::text_of(rule);
    out.push_back({{"id", text.name},
                   {"shortDescription", message(text.meaning)},
                   {"help", message(fmt::format("{} {}", text.cause, text.mend))},
                   {"defaultConfiguration", Json({{"level", level_text(text.level)}})}});
  }
  return out;
}

Json result(const Defect& defect, size_t rule_index, const Places& places, bool baseline) {
  const Finding& f = defect.finding;
  std::string text = f.what;
  for (const std::string& line : f.order) text += "\n" + line;
  if (!f.mend.text.empty()) text += "\nMend: " + f.mend.text;
  Json json = {{"ruleId", name(f.rule)},
               {"ruleIndex", rule_index},
               {"level", level_text(defect.level())},
               {"message", message(text)},
               {"partialFingerprints", Json({{"kerrCheck/v1", text_of_fingerprint(defect.fingerprint)}})},
               {"occurrenceCount", defect.count}};
  json["locations"] = Json::array();
  if (Json at = location(f.then); at.dump(0) != "{}") json["locations"].push_back(std::move(at));
  if (f.first) {
    Json at = location(*f.first);
    at["id"] = 1;
    at["message"] = message(text_of(*f.first, places));
    json["relatedLocations"].push_back(std::move(at));
  }
  if (defect.suppression)
    json["suppressions"].push_back({{"kind", "external"}, {"justification", defect.suppression->reason}});
  if (baseline) json["baselineState"] = defect.known ? "unchanged" : "new";
  return json;
}

}  // namespace

Json sarif(const Report& report, const Places& places, std::string_view version) {
  std::vector<Rule> used;
  for (const Defect& defect : report.defects)
    if (std::ranges::find(used, defect.finding.rule) == used.end()) used.push_back(defect.finding.rule);
  std::ranges::sort(used);
  Json results = Json::array();
  for (const Defect& defect : report.defects) {
    const auto index = static_cast<size_t>(std::ranges::find(used, defect.finding.rule) - used.begin());
    results.push_back(result(defect, index, places, !report.baseline_name.empty()));
  }
  Json driver = {{"name", "kerr"}, {"version", version}};
  driver["rules"] = rules_json(used);
  Json run = {{"tool", Json({{"driver", driver}})}, {"columnKind", "utf16CodeUnits"}};
  run["results"] = results;
  Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  out["runs"].push_back(run);
  return out;
}

}  // namespace kerr::check
