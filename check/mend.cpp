#include "check/mend.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "arch/noc_registers.hpp"
#include "emu/observe/agent_names.hpp"

namespace kerr::check {

namespace {

using namespace arch::niu;

constexpr std::array<std::string_view, kLanes> kConditions{"C1", "C2", "C3", "C0", "C4", "C11", "C9"};  // of STALLWAIT

// The counter that tells when the part is over; -1: none does.
int counter_of(const Transfer& t, Part part) {
  switch (part) {
    case Part::Source: return t.kind == Class::PostedWrite ? kMstPostedWrReqSent : kMstNonpostedWrReqSent;
    case Part::Data:
    case Part::Target: return t.kind == Class::Atomic ? kMstAtomicRespReceived : kMstRdRespReceived;
    case Part::Atomic: return kMstAtomicRespReceived;
    default: return t.kind == Class::PostedWrite ? -1 : kMstWrAckReceived;
  }
}

std::string_view issued_text(int counter) {
  switch (counter) {
    case kMstRdRespReceived: return "the reads issued";
    case kMstWrAckReceived: return "the acknowledgements to come";
    case kMstAtomicRespReceived: return "the answers to come";
    default: return "the writes issued";
  }
}

// A clock that has waited until the part is over, as far as a counter tells of it.
void wait_until_over(Clock& c, const Transfer& t, Place place, Part part) {
  const auto raise = [&](uint32_t component, uint32_t number) {
    if (number != 0) c.raise(Event{place, component, number});
  };
  switch (counter_of(t, part)) {
    case -1: return;
    case kMstWrAckReceived: return raise(component::arrived(t.noc), t.acknowledged);
    default: return raise(component::done(t.noc, t.kind), t.number);
  }
}

std::string name_of(const Stamp& s) {
  return std::string(s.place == kHostPlace ? "the host" : emu::name(tile_of(s.place), s.agent));
}

// Whether `c` knows of something that the issuer has done behind the request: a signal that came too early.
bool signalled_behind(const Clock& c, const Transfer& t, Place place) {
  if (!is_hart(t.issuer) || t.clock == nullptr) return false;
  const uint32_t own = component::hart(hart_index(t.issuer));
  return c.knows(Event{place, own, t.clock->at(place, own) + 1});
}

Advice advise_of_transfer(const Stamp& first, const Stamp& then, Clock c, const Transfer& t,
                          const TransferDirectory& transfers) {
  Advice out;
  const int counter = counter_of(t, first.part);
  out.order.push_back(fmt::format("nothing waits for request {} of NoC {} between the two", t.request, t.noc));
  if (counter == -1) {
    out.mend.text = "nothing tells of the arrival of a posted write: ask for the acknowledgement";
    return out;
  }
  out.mend.text = fmt::format("wait until {} equals {}", counter_text(t.noc, counter), issued_text(counter));
  const bool by_issuer = then.place == first.place && then.agent == t.issuer;
  if (!by_issuer && signalled_behind(c, t, first.place)) {
    out.mend.text += fmt::format(", before {} signals", name_of(first));
  } else if (!by_issuer) {
    out.mend.text += fmt::format(", then signal {}, which has to wait for that", name_of(then));
    if (t.clock) c.join(t.clock);
  }
  wait_until_over(c, t, first.place, first.part);
  out.mend.verified = View(c).knows(first, transfers);
  return out;
}

}  // namespace

std::string counter_text(int noc, int counter) {
  const auto id = [&](int base, std::string_view what) {
    return fmt::format("NIU_MST_{}_ID({}) of NoC {}", what, counter - base, noc);
  };
  const auto text = [&](std::string_view what) { return fmt::format("NIU_MST_{} of NoC {}", what, noc); };
  switch (counter) {
    case kMstRdRespReceived: return text("RD_RESP_RECEIVED");
    case kMstWrAckReceived: return text("WR_ACK_RECEIVED");
    case kMstAtomicRespReceived: return text("ATOMIC_RESP_RECEIVED");
    case kMstNonpostedWrReqSent: return text("NONPOSTED_WR_REQ_SENT");
    case kMstPostedWrReqSent: return text("POSTED_WR_REQ_SENT");
    default: break;
  }
  if (counter >= kMstWriteReqsOutgoingId) return id(kMstWriteReqsOutgoingId, "WRITE_REQS_OUTGOING");
  return id(kMstReqsOutstandingId, "REQS_OUTSTANDING");
}

Advice advise(const Stamp& first, const Stamp& then, const Clock& knows, const TransferDirectory& transfers) {
  if (is_transfer(first.part)) {
    const Transfer* const t = transfers.find(first.place, first.number);
    return t == nullptr ? Advice{} : advise_of_transfer(first, then, knows, *t, transfers);
  }
  if (first.part != Part::Agent) return {};
  Clock c = knows;
  Advice out;
  c.raise(first.event());
  out.mend.verified = View(c).knows(first, transfers);
  if (first.place != kHostPlace && component::is_lane(first.component)) {
    const Lane lane = component::lane_of(first.component);
    out.order.push_back(fmt::format("nothing waits for the {} of {}", name(lane), emu::name(first.agent)));
    out.mend.text = fmt::format("STALLWAIT on {} before the signal, or a load of FFE80004 that is used",
                                kConditions[static_cast<size_t>(lane)]);
    return out;
  }
  if (first.place == kHostPlace && first.component == component::kHostCombined) {
    out.order.push_back("the host's store is write-combined, and nothing flushes it");
    out.mend.text = "PcieDevice::flush(), or a read from the device, between the store and what tells of it";
    return out;
  }
  const bool met = knows.at(first.place, first.component) > 1;
  out.order.push_back(met ? fmt::format("what {} knows of {} is from before that access", name_of(then), name_of(first))
                          : fmt::format("{} has not waited for anything of {}", name_of(then), name_of(first)));
  out.mend.text = fmt::format("let {} signal behind it, and {} wait for that", name_of(first), name_of(then));
  return out;
}

std::string wait_text(const Transfer& t, Part part, const Wait& wait, const std::string& at) {
  const std::string what = fmt::format("the wait for {} at {}", counter_text(wait.noc, wait.counter), at);
  const int counter = counter_of(t, part);
  if (wait.cycle < t.cycle) return what + " comes before the request";
  const bool other = wait.noc != t.noc || (wait.counter < kMstReqsOutstandingId && wait.counter != counter);
  if (other) return what + " does not cover it";
  if (wait.counter >= kMstReqsOutstandingId && (wait.counter - kMstReqsOutstandingId) % 16 != t.id)
    return what + fmt::format(" does not cover it: its id is {}", t.id);
  return what + " does not ask for all of them";
}

}  // namespace kerr::check
