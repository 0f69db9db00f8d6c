// What a snapshot holds of the NoC.   docs/architecture.md "Snapshots"
#include <algorithm>
#include <array>
#include <utility>

#include "arch/noc_registers.hpp"
#include "emu/noc/exact_fabric.hpp"
#include "emu/noc/message.hpp"
#include "emu/noc/niu.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

// Receivers of a multicast get a copy each; sharing one saves time and changes nothing.
void Payload::serialize(Archive& a) {
  uint32_t bytes = static_cast<uint32_t>(size());
  a.below(arch::niu::kMaxPacketBytes + 1, bytes);
  if (a.loading() && bytes != 0) *this = Payload(bytes);
  if (bytes != 0) a.raw_bytes(a.loading() ? data() : const_cast<uint8_t*>(this->bytes().data()), bytes);
}

void Message::serialize(Archive& a) {
  a(arrival, sent, source);
  a.below(arch::kNocs, noc);
  a(vc, sequence, packet, destination);
  a.below(static_cast<uint64_t>(MessageKind::AtomicResponse) + 1, kind);
  a(marked, multicast, y_major, static_vc, linked);
  a.below(16, transaction_id);
  a(address);
  a.below(arch::niu::kMaxPacketBytes + 1, length);
  a(operand, opcode_fields, byte_enables, header_store, reply_tile, reply_address, payload);
}

void Niu::serialize(Archive& a) {
  a(buffers_, config_, counters_, rtz_source_, train_open_, inject_free_at_, held_until_);
  a.machinery(host_reads_, host_read_flits_);
  a.below(kPacketsHeld, oldest_held_);
  a(packets_sent_, bytes_sent_);
  a.machinery(respond_free_at_);
}

void ExactFabric::Packet::serialize(Archive& a) {
  a.list(receivers, arch::kGridTiles);
  std::array<uint8_t, arch::kGridTiles> stopping{};
  for (size_t i = 0; i < stopping.size(); ++i) stopping[i] = stops[i];
  a(stopping);
  for (size_t i = 0; i < stopping.size(); ++i) stops[i] = stopping[i] != 0;
  a(source);
  a.below(arch::kNocs, noc);
  a(y_first, multicast, linked);
  a.below(kDateline, vc);
  a(buddies, flits, start, order);
  a.below(arch::kGridColumns, trunk);
  for (uint8_t& hops : branch) a.below(arch::kGridColumns, hops);
}

void ExactFabric::Output::serialize(Archive& a) { a(granted, served, held); }

void ExactFabric::Reads::serialize(Archive& a) {
  a(begun);
  a.list(over, 1 << 20);
  a.require(over.size() <= begun && std::is_sorted(over.begin(), over.end()), "a DRAM tile has ended reads not begun");
}

void ExactFabric::serialize(Archive& a) {
  constexpr size_t kMost = 1 << 20;
  a.list(packets_, kMost);
  a.list(unused_, kMost);
  a.list(pending_, kMost);
  a.list(reserving_, channels_.size());
  a.list(outputs_, kPorts);
  a.list(went_on_, kPorts);
  a.list(left_, kPorts);
  a.list(reads_, kNodes);
  a.require(outputs_.size() == kPorts && went_on_.size() == kPorts && left_.size() == kPorts && reads_.size() == kNodes,
            "a NoC has another number of links");
  std::vector<uint32_t> used;
  for (size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]) used.push_back(static_cast<uint32_t>(i));
  a.list(used, channels_.size());
  for (const uint32_t index : used) {
    a.require(index < channels_.size(), "a virtual channel does not exist");
    a(channel(index));
  }
  if (a.surveying()) {
    VirtualChannel sample(parameters_.noc_channel_flits, false);
    a(sample);
  }
  if (a.loading()) check_and_ask(a);
}

// What a file says of packets fits together as far as the fabric relies on it. The lists of requests are made anew.
void ExactFabric::check_and_ask(Archive& a) {
  for (const auto* list : {&unused_, &pending_})
    for (const uint32_t slot : *list) a.require(slot < packets_.size(), "a slot for packets does not exist");
  a.require(std::is_heap(pending_.begin(), pending_.end(), [this](auto x, auto y) { return later(x, y); }),
            "the packets that start are in no order");
  for (size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]) channels_[i]->for_each_packet([&](const Passage& passage) { check(a, i, passage); });
  for (size_t i = 0; i < reserving_.size(); ++i) {
    const uint32_t index = reserving_[i];
    a.require(index < channels_.size() && channels_[index] && index / kVcs % kWays == kFromNiu,
              "a multicast waits nowhere");
    const uint32_t number = channels_[index]->turn(false);
    a.require(number != VirtualChannel::kNobody && packets_[channels_[index]->passage(number).packet].multicast &&
                  std::find(reserving_.begin(), reserving_.begin() + static_cast<ptrdiff_t>(i), index) ==
                      reserving_.begin() + static_cast<ptrdiff_t>(i),
              "a multicast waits for nothing");
  }
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (!channels_[i]) continue;
    for (const bool leaving : {false, true}) ask(i, leaving, kNever);
  }
}

void ExactFabric::check(Archive& a, size_t index, const Passage& passage) {
  if (!passage.waits(false) && !passage.waits(true)) return;  // has gone, before one that came earlier
  a.require(passage.packet < packets_.size(), "a packet on a link does not exist");
  const Packet& packet = packets_[passage.packet];
  a.require(passage.flits == packet.flits, "a packet on a link has another length");
  a.require(passage.along_trunk <= packet.trunk && passage.along_branch <= packet.branch[passage.along_trunk],
            "a packet is beyond its way");
  a.require(packet.multicast || passage.branches == 1, "a packet for one tile goes several ways");
  std::array<bool, kWays> ways{};
  bool waits = false, granted = false;
  for (unsigned i = 0; i < passage.branches; ++i) {
    const Branch& b = passage.branch[i];
    a.require(!std::exchange(ways[static_cast<size_t>(b.way)], true), "a packet goes one way twice");
    if (b.leaves()) continue;
    (b.vc == kNoVc ? waits : granted) = true;
    const bool branches = (b.way == Way::X) == packet.y_first;
    a.require(branches ? passage.along_branch < packet.branch[passage.along_trunk]
                       : passage.along_branch == 0 && passage.along_trunk < packet.trunk,
              "a packet leaves its way");
  }
  const bool from_niu = index / kVcs % kWays == kFromNiu;
  a.require(!packet.multicast || !waits || (from_niu && !granted), "a multicast has begun without its whole tree");
}

}  // namespace kerr::emu
