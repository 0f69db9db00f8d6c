// Two accesses that nothing orders, as a finding.
#include <fmt/format.h>

#include <utility>

#include "check/mend.hpp"
#include "check/outcome.hpp"
#include "check/tile_checker.hpp"
#include "emu/observe/agent_names.hpp"

namespace kerr::check {

using emu::Agent;

Site::Who TileChecker::who(const Stamp& s) const {
  if (is_transfer(s.part)) return Site::Who::Transfer;
  if (s.place == kHostPlace) return Site::Who::Host;
  if (component::is_lane(s.component)) {
    switch (component::lane_of(s.component)) {
      case Lane::Packer: return Site::Who::Packer;
      case Lane::Unpacker0:
      case Lane::Unpacker1: return Site::Who::Unpacker;
      case Lane::Mover: return Site::Who::Mover;
      default: return Site::Who::Thread;
    }
  }
  return is_thread(s.agent) ? Site::Who::Thread : Site::Who::Hart;
}

Site TileChecker::site(const Stamp& s, std::string_view op) const {
  Site out;
  out.op = op;
  out.who = who(s);
  out.tile = s.place == kHostPlace ? view_.tile : tile_of(s.place);
  out.agent = s.agent;
  out.hart = is_thread(s.agent) ? hart_of_thread(s.agent) : s.agent;
  out.cycle = s.cycle;
  if (s.pc != Actor::kNoPc && s.agent != Agent::Host) out.pc = s.pc;
  out.word = s.word;
  if (out.who == Site::Who::Transfer) {
    if (const Transfer* const t = directory_.find(s.place, s.number)) describe(out, *t);
  } else if (component::is_lane(s.component) && s.place != kHostPlace) {
    out.lane = name(component::lane_of(s.component));
  }
  return out;
}

std::string TileChecker::name_of(uint64_t address) const { return buffers_.name_of(address); }

namespace {

// Two accesses, of which the clocks know what is missing between them.
bool lacks_a_wait(Rule rule) {
  switch (rule) {
    case Rule::Race:
    case Rule::InFlight:
    case Rule::CbIncomplete:
    case Rule::CbEarlyPop:
    case Rule::CbTwoProducers:
    case Rule::CbTwoConsumers:
    case Rule::NocLeft:
    case Rule::NocBusyBuffer: return true;
    default: return false;
  }
}

// Rules whose two accesses may have happened in either order.
bool has_outcome(Rule rule) {
  switch (rule) {
    case Rule::SfpuGap:
    case Rule::ConfigLive:
    case Rule::GprLive:
    case Rule::SemInitRace:
    case Rule::MopLive: return true;
    case Rule::NocBusyBuffer: return false;
    default: return lacks_a_wait(rule);
  }
}

}  // namespace

size_t TileChecker::found(Rule rule, const Stamp* first, std::string_view first_op, const Stamp& then,
                          std::string_view then_op, Object object, std::string what) {
  const FindingLog::Key key{rule,
                            first != nullptr ? first->pc : 0,
                            first != nullptr ? first->who() : uint8_t{0},
                            then.pc,
                            then.who(),
                            first != nullptr && first->place != place_ ? first->place : 0};
  const auto did = [&] {
    const size_t number = log_.number_of(key);
    if (first != nullptr && has_outcome(rule)) find_outcome(number, *first, first_op, then, then_op);
    return number;
  };
  if (!log_.wants(key)) return did();
  Finding f;
  f.rule = rule;
  f.what = std::move(what);
  f.object = std::move(object);
  if (first != nullptr) f.first = site(*first, first_op);
  f.then = site(then, then_op);
  if (first != nullptr && lacks_a_wait(rule)) {
    Advice advice = advise(*first, then, knowledge_of(then), directory_);
    f.order = std::move(advice.order);
    f.mend = std::move(advice.mend);
    if (f.object.space == Space::Source && component::is_lane(first->component))
      f.mend.text = fmt::format("STALLWAIT on C4 and {} before the matrix unit uses the bank",
                                f.object.address < 2 ? "C7" : "C8");
    if (std::string wait = last_wait(*first, then); !wait.empty()) f.order.push_back(std::move(wait));
  }
  if (f.mend.text.empty()) f.mend.text = text_of(rule).mend;
  f.cycle = f.then.cycle;
  f.tile = view_.tile;
  f.agent = then.agent;
  directory_.names().name(f);
  log_.add(std::move(f));
  return did();
}

void TileChecker::find_outcome(size_t finding, const Stamp& first, std::string_view first_op, const Stamp& then,
                               std::string_view then_op) {
  const Transfer* const t = is_transfer(first.part) ? directory_.find(first.place, first.number) : nullptr;
  const RunOutcome did = outcome_of(first, first_op == "read", then, then_op, t);
  log_.turned_out(finding, did.outcome, did.text);
  if (did.pending && first.place == place_ && finding != FindingLog::kNone)
    pending_.push_back({finding, first.number, then, then_op});
}

// Data of a read, or the answer to a write or an atomic.
void TileChecker::answer_came(Transfer& t, uint64_t packet, Cycle cycle) {
  t.came = cycle;
  std::erase_if(pending_, [&](const Pending& p) {
    if (p.packet != packet) return false;
    const Transfer* const second = p.then.part == Part::Data ? transfers_.find(p.then.number) : nullptr;
    const RunOutcome did = outcome_of_answer(t, p.then, p.then_op, second);
    log_.turned_out(p.finding, did.outcome, did.text);
    return true;
  });
}

void TileChecker::hand_on(size_t finding, const Stamp& earlier, uint64_t address, uint64_t bytes) {
  constexpr size_t kMost = 64;
  std::erase_if(handed_on_, [&](const HandedOn& h) { return h.address == address && h.by.same_agent(earlier); });
  if (handed_on_.size() >= kMost) handed_on_.pop_front();
  handed_on_.push_back({finding, earlier, address, bytes});
}

bool TileChecker::follows_from_another(const Stamp& earlier, std::string_view earlier_op, const Stamp& later,
                                       std::string_view later_op, uint64_t address) {
  for (const HandedOn& h : handed_on_) {
    if (!h.by.same_agent(earlier) || h.by.number < earlier.number || address - h.address >= h.bytes) continue;
    const Transfer* const t = is_transfer(earlier.part) ? directory_.find(earlier.place, earlier.number) : nullptr;
    const RunOutcome did = outcome_of(earlier, earlier_op == "read", later, later_op, t);
    if (did.outcome == Outcome::Harmful) log_.turned_out(h.finding, did.outcome, did.text);
    return true;
  }
  return false;
}

Clock TileChecker::knowledge_of(const Stamp& s) const {
  if (is_transfer(s.part)) {
    Clock out(s.place);
    const Transfer* const t = directory_.find(s.place, s.number);
    if (t == nullptr) return out;
    out.join(t->clock);
    if (t->in_channel > 1) out.raise(Event{s.place, t->channel, t->in_channel - 1});
    return out;
  }
  if (s.place == kHostPlace) return host_.clock.clock();
  if (is_thread(s.agent)) return threads_[static_cast<size_t>(thread_index(s.agent))].clock;
  if (is_hart(s.agent)) return harts_[static_cast<size_t>(hart_index(s.agent))].clock();
  return Clock(place_);
}

// The last wait of who has asked for `first`, if that was a hart of this tile.
std::string TileChecker::last_wait(const Stamp& first, const Stamp& then) const {
  if (!is_transfer(first.part) || first.place != place_ || !is_hart(first.agent)) return {};
  const Transfer* const t = transfers_.find(first.number);
  const auto& wait = waits_[static_cast<size_t>(hart_index(first.agent))];
  if (t == nullptr || !wait || wait->cycle > then.cycle) return {};
  Site at;
  at.who = Site::Who::Hart;
  at.tile = view_.tile;
  at.agent = at.hart = first.agent;
  at.cycle = wait->cycle;
  at.pc = wait->pc;
  at.word = wait->word;
  directory_.names().name(at);
  const std::string where = at.frames.empty() || at.frames.back().line == 0
                                ? fmt::format("pc {:#010x}", wait->pc)
                                : fmt::format("{}:{}", at.frames.back().file, at.frames.back().line);
  return wait_text(*t, first.part, *wait, where);
}

void TileChecker::conflict(const Stamp& earlier, bool earlier_writes, const Stamp& later, bool later_writes,
                           uint64_t address, uint64_t bytes) {
  if (is_declared(Annotation::Kind::Private, address, bytes) ||
      is_declared(Annotation::Kind::Monotonic, address, bytes))
    return;
  const auto op = [](const Stamp& s, bool writes) -> std::string_view {
    return s.part == Part::Atomic ? "atomic" : writes ? "write" : "read";
  };
  if (!handed_on_.empty() &&
      follows_from_another(earlier, op(earlier, earlier_writes), later, op(later, later_writes), address))
    return;
  const Transfer* const t = is_transfer(earlier.part) ? directory_.find(earlier.place, earlier.number) : nullptr;
  const bool own = t != nullptr && earlier.place == later.place && earlier.part != Part::Arrival &&
                   earlier.part != Part::Target && t->issuer == later.agent;
  const Rule rule = own ? Rule::InFlight : Rule::Race;
  std::string name = name_of(address);
  const std::string bytes_text =
      name.empty() ? fmt::format("L1 {:#x}", address) : fmt::format("{} (L1 {:#x})", name, address);
  std::string what =
      own ? fmt::format("{}: {} while {} {} of {} bytes is under way", bytes_text, later_writes ? "written" : "read",
                        t->kind == Class::Atomic ? "an" : "a", check::name(t->kind), t->bytes)
          : fmt::format("{}: {}, {} by {} and nothing orders the two", bytes_text, earlier_writes ? "written" : "read",
                        later_writes ? "then written" : "then read", emu::name(view_.tile, later.agent));
  found(rule, &earlier, op(earlier, earlier_writes), later, op(later, later_writes),
        {.space = Space::L1, .tile = view_.tile, .address = address, .bytes = bytes, .name = std::move(name)},
        std::move(what));
}

}  // namespace kerr::check
