// What happens at the ways out of a router.
#include <algorithm>

#include "emu/noc/exact_fabric.hpp"
#include "emu/noc/geometry.hpp"

namespace kerr::emu {

namespace {
bool is_dram(size_t node) {
  return arch::tile_class(NocGeometry::raw_of(static_cast<uint8_t>(node % arch::kGridTiles))) == arch::TileClass::Dram;
}
}  // namespace

VirtualChannel& ExactFabric::channel(size_t index) {
  std::unique_ptr<VirtualChannel>& channel = channels_[index];
  if (!channel)
    channel = std::make_unique<VirtualChannel>(parameters_.noc_channel_flits, index / kVcs % kWays == kFromNiu);
  return *channel;
}

// A packet is granted a channel, and asks for its ways if it is its turn there.
void ExactFabric::enter(size_t index, const Passage& passage, Cycle when) {
  VirtualChannel& to = channel(index);
  const uint32_t number = to.grant(passage);
  for (const bool leaving : {false, true})
    if (to.turn(leaving) == number) ask(index, leaving, when);
}

void ExactFabric::Left::add(Cycle now) {
  before = now - last < 64 ? before << (now - last) | 1 : 1;
  last = now;
}

void ExactFabric::wake(size_t output, Cycle when) {
  Output& out = outputs_[output];
  out.next = std::min(out.next, when);
  Cycle& next = output % kWays == static_cast<size_t>(Way::Exit) ? next_exit_ : next_link_;
  next = std::min(next, when);
}

// Whose turn it is in the channel asks for its ways.
void ExactFabric::ask(size_t index, bool leaving, Cycle when) {
  VirtualChannel& from = channel(index);
  const uint32_t number = from.turn(leaving);
  if (number == VirtualChannel::kNobody) return;
  const Passage& passage = from.passage(number);
  const Packet& packet = packets_[passage.packet];
  for (uint8_t i = 0; i < passage.branches; ++i) {
    const Branch& b = passage.branch[i];
    if (b.leaves() != leaving || b.sent == passage.flits) continue;
    if (packet.multicast && !leaving && b.vc == kNoVc) {
      const auto waiting = static_cast<uint32_t>(index);
      if (std::find(reserving_.begin(), reserving_.end(), waiting) == reserving_.end()) reserving_.push_back(waiting);
      next_reservation_ = std::min(next_reservation_, when);
      return;
    }
    const size_t output = output_of(packet, passage, b.way);
    std::vector<Want>& wants = outputs_[output].wants;
    wants.reserve(kVcs);
    const Want want{static_cast<uint32_t>(index), number, i};
    wants.insert(std::upper_bound(wants.begin(), wants.end(), want,
                                  [](const Want& a, const Want& c) { return a.channel < c.channel; }),
                 want);
    asked_[output % kWays].set(output / kWays);
    if (!leaving && b.vc == kNoVc) ++outputs_[output].heads;
    wake(output, when);
  }
}

// From the one behind channel `after` on, round, until visit() says that it is enough.
template <class Visit>
void ExactFabric::in_turns(const std::vector<Want>& wants, uint32_t after, Visit visit) {
  size_t at = 0;
  while (at < wants.size() && wants[at].channel <= after) ++at;
  for (size_t i = 0; i < wants.size(); ++i, ++at) {
    if (at >= wants.size()) at = 0;
    if (visit(at)) return;
  }
}

// --- links ---------------------------------------------------------------------------------------------------------

void ExactFabric::serve_links(Cycle now) {
  next_link_ = kNever;
  start_packets(now);
  if (next_reservation_ <= now) start_multicasts(now);
  for (unsigned i = 0; i < 2; ++i) {
    const size_t way = (now + i) % 2;  // X and Y take turns to be first at an input that both want
    const std::bitset<kNodes>& asked = asked_[way];
    for (size_t at = asked._Find_first(); at < kNodes; at = asked._Find_next(at)) {
      const size_t output = at * kWays + way;
      if (outputs_[output].next <= now) serve_link(output, now);
      next_link_ = std::min(next_link_, outputs_[output].next);
    }
  }
}

void ExactFabric::serve_link(size_t output, Cycle now) {
  Output& out = outputs_[output];
  if (out.heads != 0) grant(output, now);
  Cycle next = kNever;
  size_t chosen = out.wants.size();
  in_turns(out.wants, out.served, [&](size_t i) {
    const Cycle when = can_send(output, out.wants[i], now);
    if (when <= now) chosen = i;
    next = std::min(next, when);
    return when <= now;
  });
  out.next = kNever;
  if (chosen == out.wants.size()) {
    out.next = next;
  } else {
    out.served = out.wants[chosen].channel;
    send(output, chosen, now);
    if (!out.wants.empty()) wake(output, now + 1);
  }
}

// Heads that are here ask for a channel of the link.
void ExactFabric::grant(size_t output, Cycle now) {
  Output& out = outputs_[output];
  const size_t port = behind(output);
  in_turns(out.wants, out.granted, [&](size_t i) {
    const Want want = out.wants[i];
    const auto [from, passage, branch] = asking(want);
    if (branch.vc != kNoVc || from.ready(passage, 0) > now) return false;
    const Packet& packet = packets_[passage.packet];
    const bool branches = (branch.way == Way::X) == packet.y_first;
    for (Vc buddy = 0; buddy <= packet.buddies; ++buddy) {
      const Vc vc =
          vc_on(packet, passage.along_trunk, passage.along_branch, branches, static_cast<Vc>(packet.vc ^ buddy));
      const size_t index = port * kVcs + vc;
      if (channel(index).taken()) continue;
      branch.vc = vc;
      --out.heads;
      out.granted = want.channel;
      enter(index, passage_at(passage.packet, passage.along_trunk + !branches, passage.along_branch + branches),
            kNever);
      break;
    }
    return false;
  });
}

// From when on, as far as is known now; kNever: not before somebody wakes the output.
Cycle ExactFabric::can_send(size_t output, const Want& want, Cycle now) {
  const auto [from, passage, branch] = asking(want);
  const Cycle ready = from.ready(passage, branch.sent);
  if (branch.vc == kNoVc) return ready <= now ? kNever : ready;
  if (ready == kNever) return kNever;
  const VirtualChannel& to = channel(behind(output) * kVcs + branch.vc);
  if (!to.taken()) return kNever;  // only what a file made up sends without a grant
  const Cycle when = std::max(ready, to.room(now));
  const size_t port = want.channel / kVcs;
  if (when <= now && passage.branches == 1 && (went_on_[port] > now || left_[port].at(now))) return now + 1;
  return when;
}

void ExactFabric::send(size_t output, size_t chosen, Cycle now) {
  const Want want = outputs_[output].wants[chosen];
  const auto [from, passage, branch] = asking(want);
  VirtualChannel& to = channel(behind(output) * kVcs + branch.vc);
  const Packet& packet = packets_[passage.packet];
  const Cycle there = now + parameters_.noc_hop;
  const Passage& next = to.put(now, there);
  for (unsigned i = 0; i < next.branches; ++i) wake(output_of(packet, next, next.branch[i].way), there);
  if (passage.branches == 1) went_on_[want.channel / kVcs] = now + 1;
  took(output, want, now);
  if (branch.sent < passage.flits) return;
  const bool answers = want.channel / kVcs % kWays == kFromNiu && !packet.receivers.empty() &&
                       packet.receivers.front().kind == MessageKind::ReadResponse && is_dram(output / kWays);
  finish(output, chosen, false, now);
  if (answers) read_is_over(output / kWays, now);
}

// The flit is out of the buffer, and its sender will know.
void ExactFabric::took(size_t output, const Want& want, Cycle now) {
  const auto [from, passage, branch] = asking(want);
  if (observer_) note(output, want, now);
  const Cycle known = from.took(passage, branch.sent++, now, parameters_.noc_credit);
  if (known != kNever) wake(before(want.channel / kVcs), known);
}

void ExactFabric::finish(size_t output, size_t chosen, bool leaving, Cycle now) {
  Output& out = outputs_[output];
  const Want want = out.wants[chosen];
  out.wants.erase(out.wants.begin() + static_cast<ptrdiff_t>(chosen));
  if (out.wants.empty()) asked_[output % kWays].reset(output / kWays);
  VirtualChannel& from = channel(want.channel);
  const Cycle empty = from.leave(now + 1);
  if (empty != kNever && !reserving_.empty()) next_reservation_ = std::min(next_reservation_, empty);
  if (from.turn(leaving) != want.passage) ask(want.channel, leaving, now + 1);
}

// --- the ways into the NIUs ----------------------------------------------------------------------------------------

void ExactFabric::serve_exits(Cycle now, std::vector<Message>& delivered) {
  next_exit_ = kNever;
  const auto way = static_cast<size_t>(Way::Exit);
  const std::bitset<kNodes>& asked = asked_[way];
  for (size_t at = asked._Find_first(); at < kNodes; at = asked._Find_next(at)) {
    const size_t output = at * kWays + way;
    if (outputs_[output].next <= now) serve_exit(output, now, delivered);
    next_exit_ = std::min(next_exit_, outputs_[output].next);
  }
}

// From when on a DRAM tile takes another read; kNever: not before one is over.
Cycle ExactFabric::room_for_read(size_t node, Cycle now) {
  Reads& reads = reads_[node];
  const auto later = std::upper_bound(reads.over.begin(), reads.over.end(), now);
  reads.begun -= static_cast<uint32_t>(later - reads.over.begin());
  reads.over.erase(reads.over.begin(), later);
  if (reads.begun < parameters_.dram_reads) return now;
  return reads.over.empty() ? kNever : reads.over.front();
}

// The exits, which are looked at ahead, know it a hop later.
void ExactFabric::read_is_over(size_t node, Cycle now) {
  Reads& reads = reads_[node];
  if (reads.over.size() == reads.begun) return;  // only what a file made up answers what was not asked
  reads.over.push_back(now + parameters_.noc_hop);
  wake(node * kWays + static_cast<size_t>(Way::Exit), now + parameters_.noc_hop);
}

// Packets of one channel do not mix on the way into the NIU (it works on one of each, docs/hardware/noc.md 6.1), but
// for multicasts: these hold channels elsewhere.
void ExactFabric::serve_exit(size_t output, Cycle now, std::vector<Message>& delivered) {
  Output& out = outputs_[output];
  const auto reads = [this, dram = is_dram(output / kWays)](const Packet& packet) {
    return dram && !packet.receivers.empty() && packet.receivers.front().kind == MessageKind::ReadRequest;
  };
  Cycle next = kNever;
  size_t chosen = out.wants.size();
  in_turns(out.wants, out.served, [&](size_t i) {
    const auto [from, passage, branch] = asking(out.wants[i]);
    const Packet& packet = packets_[passage.packet];
    Cycle ready = from.ready(passage, branch.sent);
    if (ready <= now && branch.vc == kNoVc && reads(packet)) ready = room_for_read(output / kWays, now);
    if (ready > now) {
      next = std::min(next, ready);
      return false;
    }
    for (Vc buddy = 0; branch.vc == kNoVc && buddy <= packet.buddies; ++buddy) {
      const Vc vc = static_cast<Vc>((packet.vc ^ buddy) | (out.wants[i].channel % kVcs & kDateline));
      if (!packet.multicast && out.held >> vc & 1) continue;
      branch.vc = vc;
      if (!packet.multicast) out.held = static_cast<uint16_t>(out.held | 1u << vc);
    }
    if (branch.vc != kNoVc) chosen = i;
    return branch.vc != kNoVc;
  });
  out.next = next;
  if (chosen == out.wants.size()) return;
  const Want want = out.wants[chosen];
  out.served = want.channel;
  took(output, want, now);
  left_[want.channel / kVcs].add(now);
  const auto [from, passage, branch] = asking(want);
  if (branch.sent == 1 && reads(packets_[passage.packet])) ++reads_[output / kWays].begun;
  if (branch.sent == passage.flits) {
    const uint32_t packet = passage.packet;
    if (!packets_[packet].multicast) out.held = static_cast<uint16_t>(out.held & ~(1u << branch.vc));
    const size_t node = output / kWays % arch::kGridTiles;
    finish(output, chosen, true, now);
    deliver(packet, static_cast<uint8_t>(node), now + parameters_.noc_router_to_niu, delivered);
  }
  if (!out.wants.empty()) wake(output, now + 1);
}

// --- observing -----------------------------------------------------------------------------------------------------

// Runs of flits, at the latest when a packet's last one has gone.
void ExactFabric::note(size_t output, const Want& want, Cycle now) {
  Output& out = outputs_[output];
  VirtualChannel& from = channel(want.channel);
  const Passage& passage = from.passage(want.passage);
  const Branch& branch = passage.branch[want.branch];
  const Packet& packet = packets_[passage.packet];
  const auto tell = [&] {
    if (out.until == out.since) return;
    const size_t at = output / kWays;
    observer_->link_taken({static_cast<uint8_t>(at / arch::kGridTiles),
                           {packet.source.chip, static_cast<uint8_t>(at % arch::kGridTiles)},
                           branch.way,
                           out.since,
                           out.until,
                           std::exchange(out.waited, 0)});
    out.since = out.until;
  };
  if (out.until != now) {
    tell();
    out.since = now;
  }
  if (branch.sent == 0) out.waited += now - from.ready(passage, 0);
  out.until = now + 1;
  if (branch.sent + 1 == passage.flits) tell();
}

}  // namespace kerr::emu
