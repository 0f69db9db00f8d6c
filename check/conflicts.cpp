// Two accesses that nothing orders, as a finding.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/tile_checker.hpp"
#include "emu/observe/agent_names.hpp"

namespace kerr::check {

using emu::Agent;

namespace {

constexpr std::array<std::string_view, kLanes> kConditions{"C1", "C2", "C3", "C0", "C4", "C11"};  // of STALLWAIT

// The wait that has to come before the transfer's bytes are used.
std::string wait_for(const Transfer& t, Part part) {
  switch (part) {
    case Part::Source:
      return fmt::format("wait until NIU_MST_{}_WR_REQ_SENT of NoC {} equals the writes issued",
                         t.kind == Class::PostedWrite ? "POSTED" : "NONPOSTED", t.noc);
    case Part::Data: return fmt::format("wait until NIU_MST_RD_RESP_RECEIVED of NoC {} equals the reads issued", t.noc);
    case Part::Atomic:
      return fmt::format("wait until NIU_MST_ATOMIC_RESP_RECEIVED of NoC {} equals the answers to come", t.noc);
    case Part::Target: return fmt::format("wait until the read has been answered (NoC {})", t.noc);
    default:
      if (t.kind == Class::PostedWrite)
        return "nothing tells of the arrival of a posted write: ask for the acknowledgement";
      return fmt::format("wait until NIU_MST_WR_ACK_RECEIVED of NoC {} equals the acknowledgements to come", t.noc);
  }
}

}  // namespace

Site::Who TileChecker::who(const Stamp& s) const {
  if (is_transfer(s.part)) return Site::Who::Transfer;
  if (s.place == kHostPlace) return Site::Who::Host;
  if (component::is_lane(s.component)) {
    switch (component::lane_of(s.component)) {
      case Lane::Packer: return Site::Who::Packer;
      case Lane::Unpacker0:
      case Lane::Unpacker1: return Site::Who::Unpacker;
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

void TileChecker::found(Rule rule, const Stamp* first, std::string_view first_op, const Stamp& then,
                        std::string_view then_op, Object object, std::string what) {
  const FindingLog::Key key{rule,
                            first != nullptr ? first->pc : 0,
                            first != nullptr ? first->who() : uint8_t{0},
                            then.pc,
                            then.who(),
                            first != nullptr && first->place != place_ ? first->place : 0};
  if (!log_.wants(key)) return;
  Finding f;
  f.rule = rule;
  f.what = std::move(what);
  f.object = std::move(object);
  if (first != nullptr) f.first = site(*first, first_op);
  f.then = site(then, then_op);
  if (first != nullptr) {
    if (const Transfer* const t = is_transfer(first->part) ? directory_.find(first->place, first->number) : nullptr) {
      f.order.push_back(fmt::format("nothing waits for request {} of NoC {} between the two", t->request, t->noc));
      f.mend.text = wait_for(*t, first->part);
    } else if (component::is_lane(first->component) && first->place == place_) {
      const Lane lane = component::lane_of(first->component);
      f.order.push_back(fmt::format("nothing waits for the {} of {}", name(lane), emu::name(first->agent)));
      if (f.object.space == Space::Source) {
        f.mend.text = fmt::format("STALLWAIT on C4 and {} before the matrix unit uses the bank",
                                  f.object.address < 2 ? "C7" : "C8");
      } else {
        f.mend.text = fmt::format("STALLWAIT on {} before the signal, or a load of FFE80004 that is used",
                                  kConditions[static_cast<size_t>(lane)]);
      }
    }
  }
  f.cycle = f.then.cycle;
  f.tile = view_.tile;
  f.agent = then.agent;
  directory_.names().name(f);
  log_.add(std::move(f));
}

void TileChecker::conflict(const Stamp& earlier, bool earlier_writes, const Stamp& later, bool later_writes,
                           uint64_t address, uint64_t bytes) {
  const auto op = [](const Stamp& s, bool writes) -> std::string_view {
    return s.part == Part::Atomic ? "atomic" : writes ? "write" : "read";
  };
  const Transfer* const t = is_transfer(earlier.part) ? directory_.find(earlier.place, earlier.number) : nullptr;
  const bool own = t != nullptr && earlier.place == later.place && earlier.part != Part::Arrival &&
                   earlier.part != Part::Target && t->issuer == later.agent;
  const Rule rule = own ? Rule::InFlight : Rule::Race;
  std::string name = name_of(address);
  const std::string bytes_text =
      name.empty() ? fmt::format("L1 {:#x}", address) : fmt::format("{} (L1 {:#x})", name, address);
  std::string what =
      own ? fmt::format("{}: {} while a {} of {} bytes is under way", bytes_text, later_writes ? "written" : "read",
                        check::name(t->kind), t->bytes)
          : fmt::format("{}: {}, {} by {} and nothing orders the two", bytes_text, earlier_writes ? "written" : "read",
                        later_writes ? "then written" : "then read", emu::name(view_.tile, later.agent));
  found(rule, &earlier, op(earlier, earlier_writes), later, op(later, later_writes),
        {.space = Space::L1, .tile = view_.tile, .address = address, .bytes = bytes, .name = std::move(name)},
        std::move(what));
}

}  // namespace kerr::check
