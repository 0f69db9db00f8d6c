#include "check/servers.hpp"

#include <fmt/format.h>

#include <utility>

#include "arch/grid.hpp"
#include "check/mend.hpp"
#include "check/outcome.hpp"

namespace kerr::check {

using emu::AccessKind;
using emu::MessageKind;

namespace {

int bank_of(emu::TileId tile) {
  return arch::dram_port({static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())}).bank;
}
bool is_pcie(emu::TileId tile) {
  for (const arch::NocCoord at : arch::kPcieTiles) {
    if (at.x == tile.x() && at.y == tile.y()) return true;
  }
  return false;
}

}  // namespace

Shadow& Servers::bank(int chip, int n) {
  std::unique_ptr<Shadow>& found = banks_[{chip, n}];
  if (!found) found = std::make_unique<Shadow>(0);
  return *found;
}

void Servers::forget(int chip) {
  std::erase_if(banks_, [&](const auto& entry) { return entry.first.first == chip; });
}

LostHistory Servers::lost() const {
  LostHistory out{.findings = log_.lost()};
  for (const auto& [key, shadow] : banks_) out.readers += shadow->lost();
  return out;
}

void Servers::served(const emu::Message& m, emu::Cycle cycle) {
  const Place from = place_of(m.source);
  const Transfer* const t = directory_.find(from, m.packet);
  if (t == nullptr) return;
  if (is_pcie(m.destination)) {
    // Nobody sees the host look at its own memory: all that it does next may rely on what has come. Edge: host-sees.
    if (m.kind == MessageKind::ReadRequest) return;
    host_.clock.acquire([&](Clock& c) {
      c.join(t->clock);
      c.raise(Event{from, t->channel, t->in_channel});
    });
    host_.publish();
    return;
  }
  const int n = bank_of(m.destination);
  if (n < 0) return;
  const View view(*t, from, m.packet);
  const bool reads = m.kind == MessageKind::ReadRequest;
  const Stamp by = stamp_of(*t, m.packet, from, reads ? Part::Target : Part::Arrival);
  check_lifetime(by, *t, m.destination, m.address, reads ? m.length : t->bytes, reads, cycle);
  const int chip = m.destination.chip;
  if (reads) {
    bank(chip, n).read(m.address, m.length, by, view, directory_,
                       [&](const Stamp& e, bool wrote, uint64_t at, uint64_t to) {
                         conflict(e, wrote, by, false, m.destination, n, at, to - at, cycle);
                       });
    return;
  }
  emu::for_each_enabled_run(m, [&](size_t first, size_t count) {
    bank(chip, n).write(m.address + first, count, by, view, directory_,
                        [&](const Stamp& e, bool wrote, uint64_t at, uint64_t to) {
                          conflict(e, wrote, by, true, m.destination, n, at, to - at, cycle);
                        });
    return true;
  });
}

// Edge: host-order.
void Servers::host_accessed(const emu::Actor& a, AccessKind kind, uint64_t address, uint64_t bytes) {
  const int n = bank_of(a.tile);
  if (n < 0 || bytes == 0) return;
  const bool reads = kind == AccessKind::Load;
  Event event{kHostPlace, component::kHost, reads ? host_.clock.reads() : host_.clock.stores()};
  if (!reads) event = host_.store();
  const Stamp by = stamp_of(a, kHostPlace, event.component, event.number);
  View view(host_.clock.clock());
  view.extra = {kHostPlace, component::kHostCombined, event.number};
  const auto races = [&](const Stamp& e, bool wrote, uint64_t at, uint64_t to) {
    conflict(e, wrote, by, !reads, a.tile, n, at, to - at, a.cycle);
  };
  Shadow& shadow = bank(a.tile.chip, n);
  if (reads) {
    shadow.read(address, bytes, by, view, directory_, races);
  } else {
    shadow.write(address, bytes, by, view, directory_, races);
  }
  host_.publish();
}

Site Servers::site(const Stamp& s, std::string_view op, emu::TileId tile) const {
  Site out;
  out.op = op;
  out.cycle = s.cycle;
  out.word = s.word;
  out.agent = out.hart = s.agent;
  if (s.place == kHostPlace) {
    out.who = Site::Who::Host;
    out.tile = tile;
    return out;
  }
  out.who = Site::Who::Transfer;
  out.tile = tile_of(s.place);
  if (s.pc != emu::Actor::kNoPc) out.pc = s.pc;
  if (is_thread(s.agent)) out.hart = hart_of_thread(s.agent);
  if (const Transfer* const t = directory_.find(s.place, s.number)) describe(out, *t);
  return out;
}

// A kernel uses memory that no buffer has.
void Servers::check_lifetime(const Stamp& by, const Transfer& t, emu::TileId tile, uint64_t address, uint64_t bytes,
                             bool reads, emu::Cycle cycle) {
  const DeviceMemory::Freed* const freed = directory_.memory(tile.chip).freed_dram(address, bytes);
  if (freed == nullptr) return;
  const KnownLaunch* const launch = directory_.launch_of(by.place, t.issuer);
  if (launch == nullptr) return;
  const bool runs = launch->note().id <= freed->last_launch;  // it was launched before
  const Rule rule = runs ? Rule::FreedInUse : Rule::UseAfterFree;
  if (!log_.wants({rule, by.pc, by.who(), 0, 0, 0})) return;
  Finding f;
  f.rule = rule;
  f.what = runs ? fmt::format("buffer {} was freed while program '{}' ran, which {} it", freed->buffer,
                              launch->note().program, reads ? "reads" : "writes")
                : fmt::format("buffer {} was freed before program '{}' began, which {} it", freed->buffer,
                              launch->note().program, reads ? "reads" : "writes");
  f.object = {.space = Space::Dram, .tile = tile, .address = address, .bytes = bytes};
  f.then = site(by, reads ? "read" : "write", tile);
  if (runs) {
    f.first = f.then;
    f.then = {};
    f.then.op = "free";
    f.then.who = Site::Who::Host;
    f.then.tile = tile;
    f.then.cycle = freed->cycle;
  }
  f.cycle = cycle;
  f.tile = tile;
  f.agent = by.agent;
  directory_.names().name(f);
  log_.add(std::move(f));
}

void Servers::conflict(const Stamp& earlier, bool earlier_writes, const Stamp& later, bool later_writes,
                       emu::TileId tile, int n, uint64_t address, uint64_t bytes, emu::Cycle cycle) {
  if (!log_.wants({Rule::Race, earlier.pc, earlier.who(), later.pc, later.who(), 0})) return;
  Finding f;
  f.rule = Rule::Race;
  f.what = fmt::format("DRAM bank {} {:#x}: {}, {} and nothing orders the two", n, address,
                       earlier_writes ? "written" : "read", later_writes ? "then written" : "then read");
  f.object = {.space = Space::Dram, .tile = tile, .address = address, .bytes = bytes};
  f.first = site(earlier, earlier_writes ? "write" : "read", tile);
  f.then = site(later, later_writes ? "write" : "read", tile);
  Clock knows = host_.clock.clock();
  if (later.place != kHostPlace) {
    const Transfer* const t = directory_.find(later.place, later.number);
    knows = Clock(later.place);
    if (t != nullptr) knows.join(t->clock);
  }
  const RunOutcome did =
      outcome_of(earlier, !earlier_writes, later, later_writes ? "write" : "read",
                 is_transfer(earlier.part) ? directory_.find(earlier.place, earlier.number) : nullptr);
  f.outcome = did.outcome;
  f.outcome_text = did.text;
  Advice advice = advise(earlier, later, knows, directory_);
  f.order = std::move(advice.order);
  f.mend = std::move(advice.mend);
  f.cycle = cycle;
  f.tile = tile;
  f.agent = later.agent;
  directory_.names().name(f);
  log_.add(std::move(f));
}

}  // namespace kerr::check
