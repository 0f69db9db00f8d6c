#include "check/stamp.hpp"

namespace kerr::check {

Stamp stamp_of(const Transfer& transfer, uint64_t packet, Place source, Part part) {
  return {.number = packet,
          .cycle = transfer.cycle,
          .pc = transfer.pc,
          .word = transfer.word,
          .place = source,
          .part = part,
          .agent = transfer.issuer};
}

bool View::knows(const Stamp& stamp, const TransferDirectory& transfers) const {
  if (stamp.part == Part::Nobody) return true;
  if (stamp.part == Part::Agent) return knows(stamp.event());
  if (stamp.place == own_place && stamp.number == own_packet) return true;
  const Transfer* const transfer = transfers.find(stamp.place, stamp.number);
  return transfer == nullptr || knows(*transfer, stamp.place, stamp.part);
}

bool View::knows(const Transfer& t, Place place, Part part) const {
  const auto over = [&](uint32_t c, uint32_t number) { return number != 0 && knows(Event{place, c, number}); };
  if (!t.returns_here) return true;  // whoever gets the answer is not modelled
  // An answer comes when all is done. It is counted with all answers, or with those of its id.
  if (over(component::id_over(t.noc, t.id), t.over)) return true;
  if (t.kind == Class::Write && over(component::arrived(t.noc), t.acknowledged)) return true;
  const bool in_order = t.in_channel != 0 && knows(Event{place, t.channel, t.in_channel});
  switch (part) {
    case Part::Source:
      return over(component::done(t.noc, t.kind), t.number) || over(component::id_left(t.noc, t.id), t.left) ||
             in_order;
    case Part::Arrival: return in_order;
    case Part::Data: return over(component::done(t.noc, t.kind), t.number);
    case Part::Target: return over(component::done(t.noc, t.kind), t.number) || (t.linked && in_order);
    default: return over(component::done(t.noc, t.kind), t.number) || in_order;
  }
}

}  // namespace kerr::check
