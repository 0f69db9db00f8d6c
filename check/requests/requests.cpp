// Requests of kernels that are wrong together with others: linked, under one id, or on another hart's NoC.
#include "arch/noc_registers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

std::optional<SharedCounters::Counter> SharedCounters::of_index(int index) {
  using namespace arch::niu;
  switch (index) {
    case kMstRdRespReceived: return Counter::Reads;
    case kMstNonpostedWrReqSent: return Counter::Writes;
    case kMstPostedWrReqSent: return Counter::PostedWrites;
    case kMstWrAckReceived: return Counter::Acknowledgements;
    case kMstAtomicRespReceived: return Counter::Atomics;
    default: return std::nullopt;
  }
}

SharedCounters::Counter SharedCounters::of_class(Class c) {
  switch (c) {
    case Class::Read: return Counter::Reads;
    case Class::Write: return Counter::Writes;
    case Class::PostedWrite: return Counter::PostedWrites;
    default: return Counter::Atomics;
  }
}

namespace {

Object counter_object(emu::TileId tile, SharedCounters::Counter c) {
  using namespace arch::niu;
  constexpr int kIndex[] = {kMstRdRespReceived, kMstNonpostedWrReqSent, kMstPostedWrReqSent, kMstWrAckReceived,
                            kMstAtomicRespReceived};
  return {.space = Space::Counter,
          .tile = tile,
          .address = static_cast<uint64_t>(kIndex[static_cast<size_t>(c)]),
          .bytes = 4};
}

}  // namespace

// A packet has been issued; `goes_on`: its train of linked requests does.
void TileChecker::check_request(const Actor& a, const Transfer& t, uint64_t packet, bool goes_on) {
  if (!is_hart(a.agent)) return;
  trains_[t.noc] = goes_on ? packet : CommandBuffer::kNone;
  if (t.over != 0 && !t.multicast && ids_[t.noc].issued(t.id)) {
    const Stamp by = stamp_of(t, packet, place_, t.kind == Class::Read ? Part::Data : Part::Arrival);
    found(Rule::NocTrid, nullptr, "", by, "request",
          {.space = Space::Counter,
           .tile = view_.tile,
           .address = static_cast<uint64_t>(arch::niu::kMstReqsOutstandingId + t.id),
           .bytes = 1},
          "more than 255 requests of one id, and nobody has waited for any of them");
  }
  const int h = hart_index(a.agent);
  if (!counts_alone(h) || !t.returns_here) return;
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  request_moves(by, t.noc, SharedCounters::of_class(t.kind));
  if (t.kind == Class::Write && t.acknowledged != 0)
    request_moves(by, t.noc, SharedCounters::Counter::Acknowledgements);
}

void TileChecker::request_moves(const Stamp& by, int noc, SharedCounters::Counter counter) {
  const int h = hart_index(by.agent);
  shared_.use(noc, counter, h).moved = by;
  const Stamp& waited = shared_.use(noc, counter, 1 - h).waited;
  if (waited.part == Part::Nobody || View(hart(h).clock()).knows(waited, directory_)) return;
  found(Rule::NocShared, &waited, "barrier", by, "request", counter_object(view_.tile, counter),
        "a request moves a counter for whose equality the other hart waits");
}

// A wait for the equality of a counter has ended.
void TileChecker::check_wait(const Actor& a, int noc, SharedCounters::Counter counter) {
  const int h = hart_index(a.agent);
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).reads());
  shared_.use(noc, counter, h).waited = by;
  const Stamp& moved = shared_.use(noc, counter, 1 - h).moved;
  if (moved.part == Part::Nobody || View(hart(h).clock()).knows(moved, directory_)) return;
  found(Rule::NocShared, &moved, "request", by, "barrier", counter_object(view_.tile, counter),
        "a hart waits for the equality of a counter that the other hart's requests move");
}

// A kernel returns. docs/hardware/noc.md 3.7
void TileChecker::check_open_trains(const Stamp& then) {
  for (const uint64_t packet : trains_) {
    const Transfer* const t = packet != CommandBuffer::kNone ? transfers_.find(packet) : nullptr;
    if (t == nullptr || t->issuer != then.agent) continue;
    const Stamp first = stamp_of(*t, packet, place_, Part::Source);
    found(Rule::NocLinked, &first, "request", then, "return",
          {.space = Space::Counter, .tile = view_.tile, .address = t->noc, .bytes = 0},
          "a kernel ends behind a linked request: the train has no end");
  }
}

}  // namespace kerr::check
