#include "check/report/json.hpp"

#include <fmt/format.h>

#include "check/report/fingerprint.hpp"

namespace kerr::check {

namespace {

using kerr::report::Json;

Json tile_json(arch::NocCoord at) { return Json({at.x, at.y}); }

std::string hexadecimal(uint64_t value) { return fmt::format("{:#x}", value); }

// "dram" and not "DRAM": names of machines.
const char* key(Space space) {
  constexpr const char* keys[] = {"l1",  "dram",   "host",      "register",      "counter", "circular_buffer",
                                  "dst", "source", "semaphore", "configuration", "none"};
  return keys[static_cast<size_t>(space)];
}

Json object_json(const Object& o, const Places& places) {
  Json json = {{"space", key(o.space)},
               {"chip", o.tile.chip},
               {"tile", tile_json(places.of(o.tile))},
               {"raw", Json({o.tile.x(), o.tile.y()})},
               {"address", hexadecimal(o.address)},
               {"bytes", o.bytes}};
  json["name"] = o.name.empty() ? Json() : Json(o.name);
  return json;
}

Json frames_json(const Site& site) {
  Json frames = Json::array();
  for (const Frame& frame : site.frames) {
    Json json = Json::object();
    std::string function = frame.function;
    if (function.ends_with("()")) function.resize(function.size() - 2);
    if (!function.empty()) {
      json["function"] = function;
      json["offset"] = frame.offset;
    }
    if (!frame.file.empty()) {
      json["file"] = frame.file;
      json["line"] = frame.line;
    }
    frames.push_back(json);
  }
  return frames;
}

Json site_json(const char* role, const Site& site, const Places& places) {
  Json json = {{"role", role},
               {"op", site.op},
               {"who", name(site.who)},
               {"chip", site.tile.chip},
               {"tile", tile_json(places.of(site.tile))},
               {"agent", name(site.agent)},
               {"lane", site.lane.empty() ? "hart" : site.lane},
               {"cycle", site.cycle}};
  if (site.pc) json["pc"] = hexadecimal(*site.pc);
  if (site.pc && site.hart != emu::Agent::Host) json["hart"] = name(site.hart);
  if (site.word != 0) {
    json["instruction"] = fmt::format("{:#010x}", site.word);
    json["text"] = instruction_text(site);
  }
  json["frames"] = frames_json(site);
  if (!site.kernel.empty()) json["kernel"] = site.kernel;
  json["detail"] = Json::array();
  for (const std::string& line : site.detail) json["detail"].push_back(line);
  if (site.remote.space != Space::None) json[site.to_remote ? "to" : "from"] = object_json(site.remote, places);
  if (site.where.space != Space::None) json["where"] = object_json(site.where, places);
  return json;
}

Json defect_json(const Defect& defect, const Places& places) {
  const Finding& f = defect.finding;
  Json json = {{"id", defect.id},
               {"rule", name(f.rule)},
               {"level", name(defect.level())},
               {"fingerprint", text_of_fingerprint(defect.fingerprint)},
               {"what", f.what},
               {"object", object_json(f.object, places)}};
  json["accesses"] = Json::array();
  if (f.first) json["accesses"].push_back(site_json("first", *f.first, places));
  json["accesses"].push_back(site_json("then", f.then, places));
  json["order"] = Json::array();
  for (const std::string& line : f.order) json["order"].push_back(line);
  json["mend"] = f.mend.text.empty() ? Json() : Json({{"text", f.mend.text}, {"verified", f.mend.verified}});
  json["outcome"] = name(defect.outcome);
  if (!defect.outcome_text.empty()) json["outcome_text"] = defect.outcome_text;
  json["cycle"] = f.cycle;
  json["count"] = defect.count;
  json["tiles"] = Json::array();
  for (const TileId tile : defect.tiles) json["tiles"].push_back(tile_json(places.of(tile)));
  json["suppressed"] = defect.suppression.has_value();
  if (defect.suppression) json["reason"] = defect.suppression->reason;
  json["known"] = defect.known;
  return json;
}

}  // namespace

Json summary_json(const Report& report) {
  return {{"errors", report.count(Level::Error)},
          {"warnings", report.count(Level::Warning)},
          {"hints", report.count(Level::Hint)},
          {"suppressed", report.suppressed()},
          {"known", report.known()},
          {"gone", report.gone.size()},
          {"findings", report.findings},
          {"accesses", report.accesses},
          {"lost_history", report.lost.total()},
          {"lost", Json({{"readers", report.lost.readers},
                         {"transfers", report.lost.transfers},
                         {"findings", report.lost.findings}})}};
}

Json json(const Report& report, const Places& places) {
  Json out = {{"kerr_check", 1}, {"summary", summary_json(report)}};
  out["reports"] = Json::array();
  for (const Defect& defect : report.defects) out["reports"].push_back(defect_json(defect, places));
  out["unused_suppressions"] = Json::array();
  for (const Suppression& s : report.unused)
    out["unused_suppressions"].push_back(
        {{"line", s.line}, {"rule", s.rule ? name(*s.rule) : "*"}, {"pattern", s.pattern}});
  out["gone"] = Json::array();
  for (const Gone& gone : report.gone)
    out["gone"].push_back(
        {{"fingerprint", text_of_fingerprint(gone.fingerprint)}, {"rule", gone.known.rule}, {"what", gone.known.what}});
  return out;
}

}  // namespace kerr::check
