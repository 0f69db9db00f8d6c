#include "debug/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/noc/message.hpp"
#include "emu/observe/agent_names.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::debug {

namespace {

using check::grouped;
using emu::Agent;
using emu::Cycle;

struct Row {
  Cycle begin = 0, end = 0;  // equal: a moment
  std::string text;
};

std::string name_of(emu::MessageKind kind) {
  using emu::MessageKind;
  switch (kind) {
    case MessageKind::ReadRequest: return "read request";
    case MessageKind::ReadResponse: return "data of a read";
    case MessageKind::Write: return "write";
    case MessageKind::InlineWrite: return "inline write";
    case MessageKind::WriteAck: return "acknowledgement of a write";
    case MessageKind::Atomic: return "atomic";
    case MessageKind::AtomicResponse: return "answer of an atomic";
  }
  return "packet";
}

std::string time_of(const Row& row) {
  if (row.begin == row.end) return grouped(row.begin);
  return fmt::format("{}..{}", grouped(row.begin), row.end == emu::kNever ? "" : grouped(row.end));
}

}  // namespace

TileWatch::TileWatch(const emu::Options& options, emu::TileId tile, emu::Cycle end)
    : tile_(tile), end_(end), exact_(options.exact()), history_(options.boards) {}

void TileWatch::tile_made(const emu::TileView& view) {
  if (view.tile == tile_) both_.tile_made(view);
}

void TileWatch::retired(const emu::Actor& who, uint32_t pc, uint32_t word) {
  if (sees(who.tile, who.cycle)) both_.retired(who, pc, word);
}

// In relaxed timing nobody tells of the unit's work, which ends what the thread has waited for.
void TileWatch::issued(const emu::Actor& who, uint32_t word) {
  if (!sees(who.tile, who.cycle)) return;
  both_.issued(who, word);
  if (!exact_) timeline_.worked(who, {.came = who.cycle, .start = who.cycle, .until = who.cycle});
}

void TileWatch::accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                         uint32_t value) {
  if (sees(who.tile, who.cycle)) both_.accessed(who, kind, address, bytes, value);
}

void TileWatch::packet_left(const emu::Actor& who, const emu::Message& message, int command_buffer) {
  if (sees(message.source, message.sent)) both_.packet_left(who, message, command_buffer);
}

void TileWatch::packet_arrived(const emu::Message& message) {
  if (sees(message.destination, message.arrival)) both_.packet_arrived(message);
}

void TileWatch::stalled(const emu::Actor& who, const emu::Stall& stall) {
  if (sees(who.tile, who.cycle)) both_.stalled(who, stall);
}

void TileWatch::released(const emu::Actor& who, Agent by) {
  if (sees(who.tile, who.cycle)) both_.released(who, by);
}

void TileWatch::worked(const emu::Actor& who, const emu::UnitWork& work) {
  if (sees(who.tile, who.cycle)) both_.worked(who, work);
}

std::string timeline_text(const report::Timeline& timeline, const std::vector<HartEvent>& events,
                          const check::Places& places, emu::TileId tile, Cycle begin, Cycle end, size_t most) {
  std::vector<Row> rows;
  const auto add = [&](Cycle from, Cycle to, std::string_view who, const std::string& what) {
    if (from >= end || to < begin) return;
    if (to >= end) to = emu::kNever;
    rows.push_back({from, to, fmt::format("{:<12} {}", who, what)});
  };
  if (const report::Node* const node = timeline.node(tile.node, tile.chip)) {
    for (const Agent agent : report::kActing) {
      for (const report::Wait& wait : node->of(agent).waits) {
        std::string what = "waited: " + report::name(wait.reason, wait.credit);
        if (wait.end != emu::kNever && wait.by == Agent::Inbox)
          what += ", ended by a packet";
        else if (wait.end != emu::kNever && wait.by != Agent::Host)
          what += fmt::format(", ended by {}", emu::name(tile, wait.by));
        add(wait.begin, wait.end, emu::name(tile, agent), what);
      }
    }
    for (size_t unit = 0; unit < emu::kUnits; ++unit) {
      if (report::unit_name(unit).empty()) continue;
      for (const report::Span& span : node->units[unit]) add(span.begin, span.end, report::unit_name(unit), "worked");
    }
    for (const report::Arrival& came : node->arrivals) {
      const std::string bytes = came.bytes != 0 ? fmt::format(" of {} bytes", grouped(came.bytes)) : "";
      add(came.arrival, came.arrival, "packet",
          fmt::format("{}{} came from {}, sent at {}", name_of(came.kind), bytes, places.text(came.source),
                      grouped(came.sent)));
    }
  }
  for (const auto& [who, event] : events) add(event.cycle, event.cycle, who, event.text);
  // What goes on comes last.
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return std::pair(row.end, row.begin); });
  std::string out;
  if (rows.size() > most) out += fmt::format("({} before these)\n", check::counted(rows.size() - most, "line"));
  for (size_t i = rows.size() > most ? rows.size() - most : 0; i < rows.size(); ++i)
    out += fmt::format("{:<20} {}\n", time_of(rows[i]), rows[i].text);
  return out;
}

}  // namespace kerr::debug
