#include "report/page/run_shown.hpp"

#include "arch/memory_map.hpp"
#include "emu/noc/message.hpp"
#include "report/page/code_listing.hpp"
#include "report/page/packed.hpp"
#include "report/page/packed_timeline.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::report {

namespace {

bool is_off(const arch::Harvesting& h, arch::NocCoord raw) {
  switch (arch::tile_class(raw)) {
    case arch::TileClass::Tensix: return !arch::tensix_column_good(h, raw.x);
    case arch::TileClass::Dram: return (h.dram_banks >> arch::dram_port(raw).bank & 1) == 0;
    default: return false;
  }
}

Json tiles_json(const arch::Harvesting& h) {
  Json out = Json::array();
  for (int node = 0; node < arch::kGridTiles; ++node) {
    const emu::TileId id{0, static_cast<uint8_t>(node)};
    const arch::NocCoord raw{static_cast<uint8_t>(id.x()), static_cast<uint8_t>(id.y())};
    const arch::NocCoord known_as = arch::logical_id(h, raw);
    Json tile = Json::object();
    tile["kind"] = arch::name_of(arch::tile_class(raw));
    tile["x"] = known_as.x;
    tile["y"] = known_as.y;
    if (is_off(h, raw)) tile["off"] = true;
    if (arch::tile_class(raw) == arch::TileClass::Dram) tile["bank"] = arch::dram_port(raw).bank;
    out.push_back(std::move(tile));
  }
  return out;
}

Json launches_json(const Profile& profile, int chip, Cycle begin) {
  Json out = Json::array();
  for (const ProfiledLaunch& launch : profile.launches()) {
    if (launch.chip != chip) continue;
    Json one = Json::object();
    one["program"] = launch.program;
    one["told"] = static_cast<int64_t>(launch.cycle) - static_cast<int64_t>(begin);
    Json nodes = Json::array(), buffers = Json::array();
    for (const uint8_t node : launch.nodes) nodes.push_back(node);
    for (const auto& buffer : launch.circular_buffers) {
      Json of = Json::object();
      of["id"] = buffer.id;
      of["address"] = buffer.address;
      of["bytes"] = buffer.bytes;
      of["pages"] = buffer.pages;
      of["page_bytes"] = buffer.page_bytes;
      buffers.push_back(std::move(of));
    }
    one["nodes"] = std::move(nodes);
    one["buffers"] = std::move(buffers);
    out.push_back(std::move(one));
  }
  return out;
}

Json names_json() {
  Json agents = Json::array(), units = Json::array(), kinds = Json::array();
  for (int a = 0; a < emu::kAgents; ++a) agents.push_back(emu::name(static_cast<emu::Agent>(a)));
  for (size_t u = 0; u < emu::kUnits; ++u) units.push_back(unit_name(u));
  for (int k = 0; k < emu::kMessageKinds; ++k) kinds.push_back(emu::name(static_cast<emu::MessageKind>(k)));
  Json out = Json::object();
  out["agents"] = std::move(agents);
  out["units"] = std::move(units);
  out["packets"] = std::move(kinds);
  return out;
}

// What is another on each chip.
void add_chip(Json& out, const RunShown& run, int chip) {
  const RunShown::Chip& of = run.chips[static_cast<size_t>(chip)];
  std::string bytes;
  ReasonTable reasons;
  pack_tracks(bytes, *run.timeline, chip, run.begin, run.end, reasons);
  pack_packets(bytes, *run.timeline, chip, run.begin, run.end);
  pack_path(bytes, of.path, reasons);
  pack_credits(bytes, *run.profile, chip, run.begin, run.end);
  Json code = code_listing(*run.profile, chip, bytes);
  out["board"] = of.board;
  out["tiles"] = tiles_json(of.harvesting);
  out["reasons"] = Json(reasons.names());
  out["launches"] = launches_json(*run.profile, chip, run.begin);
  out["further_launches"] = run.profile->further_launches();  // of all chips
  out["code"] = std::move(code);
  out["data_bytes"] = bytes.size();
  out["data"] = base64(compressed(bytes));
}

}  // namespace

Json json(const RunShown& run) {
  Json out = Json::object();
  out["kerr_report"] = kRunShownVersion;
  out["title"] = run.title;
  out["version"] = run.version;
  out["timing"] = run.timing;
  out["clock_mhz"] = run.clock_mhz;
  out["begin"] = run.begin;
  out["end"] = run.end;
  out["columns"] = arch::kGridColumns;
  out["rows"] = arch::kGridRows;
  out["names"] = names_json();
  out["failure"] = run.failure;
  out["account"] = run.account;
  out["check"] = run.check;
  out["remarks"] = Json(run.remarks);
  add_chip(out, run, 0);
  Json more = Json::array();
  for (int chip = 1; chip < static_cast<int>(run.chips.size()); ++chip) {
    Json one = Json::object();
    add_chip(one, run, chip);
    more.push_back(std::move(one));
  }
  if (run.chips.size() > 1) out["more_chips"] = std::move(more);
  return out;
}

}  // namespace kerr::report
