// A difference as people read it, and as programs do.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check/report/places.hpp"
#include "diff/difference.hpp"
#include "emu/noc/message.hpp"
#include "report/json.hpp"

namespace kerr::diff {

namespace {

using check::grouped;
constexpr size_t kMostTiles = 4;

bool is_packet(const Event& e) { return e.kind == Event::Kind::Packet || e.kind == Event::Kind::Comes; }

// "load of L1 0x0000_82C0 gives 0x7"
std::string what(const Event& e, const check::Places& places) {
  const std::string_view space = e.address < arch::kL1Bytes ? "L1" : "register";
  switch (e.kind) {
    case Event::Kind::Load: return fmt::format("loads {} {}: {:#x}", space, check::address_text(e.address), e.value);
    case Event::Kind::Store:
      return fmt::format("stores {:#x} to {} {}", e.value, space, check::address_text(e.address));
    case Event::Kind::Atomic:
      return fmt::format("atomic on {} {} makes {:#x}", space, check::address_text(e.address), e.value);
    case Event::Kind::Push: return fmt::format("pushes {:#010x} to T{}", e.value, e.address);
    case Event::Kind::Issue: return fmt::format("issues {:#010x}", e.value);
    case Event::Kind::Packet:
    case Event::Kind::Comes: break;
  }
  return fmt::format("{} {} {}, address {}", name(static_cast<emu::MessageKind>(e.message)),
                     e.kind == Event::Kind::Comes ? "from" : "to", places.text(e.other),
                     check::address_text(e.address));
}

std::string line(char run, const std::optional<Parting::Side>& side, const check::Places& places) {
  if (!side) return fmt::format("    {}  does no more there\n", run);
  std::string out = fmt::format("    {}  {}", run, what(side->event, places));
  for (const std::string& more : {check::function_text(side->site), check::file_text(side->site)})
    if (!more.empty()) out += "   " + more;
  if (side->site.pc) out += fmt::format("   pc {:#010x}", *side->site.pc);
  if (const std::string code = check::instruction_text(side->site); !code.empty()) out += "  " + code;
  return out + fmt::format("   cycle {}\n", grouped(side->event.cycle));
}

// What kind of difference that is.
std::string sentence(const Parting& p) {
  if (!p.a || !p.b) return "it goes on in one of them only";
  const Event &a = p.a->event, &b = p.b->event;
  if (a.kind != b.kind || a.pc != b.pc) return is_packet(a) ? "another packet comes" : "it takes another way";
  if (a.word != b.word) return "it executes other code";
  if (a.address != b.address || a.bytes != b.bytes || a.message != b.message || a.other != b.other)
    return is_packet(a) ? "another packet" : "another address";
  return is_packet(a) ? "the packet brings other bytes" : "another value";
}

std::string text_of(const Parting& p, const check::Places& places) {
  std::string out = fmt::format("{} {}: {}\n", places.text(p.place.tile), emu::name(p.place.agent), sentence(p));
  out += line('A', p.a, places) + line('B', p.b, places);
  if (p.a && !p.a->object.empty()) out += fmt::format("    that is {}\n", p.a->object);
  if (p.before) out += "    the last event that was the same:\n" + line('=', p.before, places);
  return out;
}

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (const uint8_t b : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", b);
  return out;
}

// "BRISC (1..4,2)  T0 (2,2)"
std::string agents(const std::vector<Place>& all, const check::Places& places) {
  std::map<emu::Agent, std::vector<emu::TileId>> by_agent;
  for (const Place& p : all) by_agent[p.agent].push_back(p.tile);
  std::string out;
  for (const auto& [agent, tiles] : by_agent)
    out += fmt::format("{}{} {}", out.empty() ? "" : "; ", emu::name(agent), places.rectangles(tiles, 4));
  return out;
}

std::string inputs_text(const Inputs& in) {
  std::string out = fmt::format("inputs  {} are the same", grouped(in.equal));
  if (!in.differ[0]) return out + ": all\n";
  out += "; then\n";
  for (const int i : {0, 1}) {
    out += fmt::format("    {}  {}\n", "AB"[i], in.differ[i]->empty() ? "the log ends" : *in.differ[i]);
  }
  if (!in.detail.empty()) out += fmt::format("    {}\n", in.detail);
  return out;
}

std::string states_text(const States& s, const check::Places& places) {
  if (!s.differ_at) return fmt::format("states  the same up to the end, cycle {}\n", grouped(s.equal_until));
  std::string out = fmt::format("states  the same up to cycle {}; at cycle {} differ\n", grouped(s.equal_until),
                                grouped(*s.differ_at));
  for (size_t i = 0; i < s.bytes.size() && i < kMostTiles; ++i) {
    const OtherBytes& o = s.bytes[i];
    out += fmt::format("    {} L1 {}: {} in A, {} in B\n", places.text(o.tile), check::range_text(o.address, o.bytes),
                       hex(o.a), hex(o.b));
  }
  if (s.bytes.size() > kMostTiles) {
    std::vector<emu::TileId> more;
    for (size_t i = kMostTiles; i < s.bytes.size(); ++i) more.push_back(s.bytes[i].tile);
    out += fmt::format("    L1 of {} more tiles: {}\n", more.size(), places.rectangles(more, 8));
  }
  if (!s.other_tiles.empty()) out += fmt::format("    registers of {}\n", places.rectangles(s.other_tiles, 8));
  if (s.bytes.empty() && s.other_tiles.empty()) out += "    no tile: DRAM, the host's side, or packets under way\n";
  return out;
}

std::string events_text(const Difference& d, const check::Places& places) {
  const Events& e = d.events;
  if (!d.states.differ_at) return "";
  std::string out = fmt::format("events  {} are the same from cycle {} on", grouped(e.equal), grouped(e.begin));
  if (!e.first)
    return out + (e.gave_up ? "; then the runs drift apart without a difference\n" : ": all of harts and threads\n");
  out += "; then\n  " + text_of(*e.first, places);
  if (!e.others.empty()) out += fmt::format("    others that part as well: {}\n", agents(e.others, places));
  return out;
}

report::Json json_of(const std::optional<Parting::Side>& side, const check::Places& places) {
  if (!side) return nullptr;
  report::Json out{{"what", what(side->event, places)},
                   {"kind", name(side->event.kind)},
                   {"address", side->event.address},
                   {"value", side->event.value},
                   {"cycle", side->event.cycle}};
  if (side->site.pc) out["pc"] = *side->site.pc;
  if (const std::string f = check::function_text(side->site); !f.empty()) out["function"] = f;
  if (const std::string f = check::file_text(side->site); !f.empty()) out["line"] = f;
  if (!side->object.empty()) out["object"] = side->object;
  return out;
}

report::Json json_of(const std::optional<Parting>& p, const check::Places& places) {
  if (!p) return nullptr;
  return {{"tile", places.text(p->place.tile)},
          {"agent", emu::name(p->place.agent)},
          {"difference", sentence(*p)},
          {"a", json_of(p->a, places)},
          {"b", json_of(p->b, places)},
          {"before", json_of(p->before, places)},
          {"equal", p->equal}};
}

}  // namespace

std::string text(const Difference& d) {
  const check::Places places(d.inputs.of[0].machine.options().boards);
  std::string out;
  for (const int i : {0, 1}) {
    out += fmt::format("{}  {}: {}, {} inputs, the last at cycle {}\n", "AB"[i], i == 0 ? d.a : d.b,
                       d.inputs.of[i].machine.board_names(), grouped(d.inputs.count[i]), grouped(d.inputs.end[i]));
  }
  if (d.none()) {
    return out + fmt::format("the same: {} inputs, and all states up to cycle {}\n", grouped(d.inputs.equal),
                             grouped(d.states.equal_until));
  }
  out += inputs_text(d.inputs) + states_text(d.states, places) + events_text(d, places);
  if (d.events.data) out += "first other bytes on their way\n  " + text_of(*d.events.data, places);
  return out;
}

report::Json json(const Difference& d) {
  const check::Places places(d.inputs.of[0].machine.options().boards);
  report::Json differ = nullptr;
  if (d.inputs.differ[0])
    differ = {{"a", *d.inputs.differ[0]}, {"b", *d.inputs.differ[1]}, {"detail", d.inputs.detail}};
  report::Json bytes = report::Json::array();
  for (const OtherBytes& o : d.states.bytes) {
    bytes.push_back(
        {{"tile", places.text(o.tile)}, {"address", o.address}, {"bytes", o.bytes}, {"a", hex(o.a)}, {"b", hex(o.b)}});
  }
  report::Json states{{"equal_until", d.states.equal_until}, {"l1", bytes}};
  if (d.states.differ_at) states["differ_at"] = *d.states.differ_at;
  return {{"same", d.none()},
          {"a", d.a},
          {"b", d.b},
          {"inputs", {{"equal", d.inputs.equal}, {"first_difference", differ}}},
          {"states", states},
          {"events",
           {{"equal", d.events.equal},
            {"begin", d.events.begin},
            {"gave_up", d.events.gave_up},
            {"first_difference", json_of(d.events.first, places)},
            {"first_other_bytes", json_of(d.events.data, places)}}}};
}

}  // namespace kerr::diff
