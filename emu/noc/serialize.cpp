// What a snapshot holds of the NoC.   docs/architecture.md "Snapshots"
#include <algorithm>

#include "arch/noc_registers.hpp"
#include "emu/noc/exact_fabric.hpp"
#include "emu/noc/message.hpp"
#include "emu/noc/niu.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

// Receivers of a multicast get a copy each; sharing one saves time and changes nothing.
void Payload::serialize(Archive& a) {
  std::uint32_t bytes = static_cast<std::uint32_t>(size());
  a.below(arch::niu::kMaxPacketBytes + 1, bytes);
  if (a.loading() && bytes != 0) *this = Payload(bytes);
  if (bytes != 0) a.raw_bytes(a.loading() ? data() : const_cast<std::uint8_t*>(this->bytes().data()), bytes);
}

void Message::serialize(Archive& a) {
  a(arrival, sent, source);
  a.below(arch::kNocs, noc);
  a(vc, sequence, packet, destination);
  a.below(static_cast<std::uint64_t>(MessageKind::AtomicResponse) + 1, kind);
  a(marked, multicast, y_major, static_vc, linked);
  a.below(16, transaction_id);
  a(address);
  a.below(arch::niu::kMaxPacketBytes + 1, length);
  a(operand, opcode_fields, byte_enables, header_store, reply_tile, reply_address, payload);
}

std::uint64_t Niu::state_hash() const { return hash_of(*this); }

void Niu::serialize(Archive& a) {
  a(buffers_, config_, counters_, rtz_source_, train_open_, inject_free_at_, held_until_);
  a.below(kPacketsHeld, oldest_held_);
  a(packets_sent_, bytes_sent_);
  a.machinery(respond_free_at_);
}

void ExactFabric::Packet::serialize(Archive& a) {
  a.list(receivers, arch::kGridTiles);
  std::array<std::uint8_t, arch::kGridTiles> stopping{};
  for (std::size_t i = 0; i < stopping.size(); ++i) stopping[i] = stops[i];
  a(stopping);
  for (std::size_t i = 0; i < stopping.size(); ++i) stops[i] = stopping[i] != 0;
  a(source);
  a.below(arch::kNocs, noc);
  a(y_first, flits, sent, order);
  a.below(arch::kGridColumns, trunk);
  for (std::uint8_t& hops : branch) a.below(arch::kGridColumns, hops);
}

void ExactFabric::serialize(Archive& a) {
  constexpr std::size_t kMost = 1 << 20;
  a.list(packets_, kMost);
  a.list(unused_, kMost);
  a.list(links_, kMost);
  a.list(exits_, kMost);
  a(free_);
  if (!a.loading()) return;
  for (const std::uint32_t slot : unused_) a.require(slot < packets_.size(), "a slot for packets does not exist");
  for (const auto* heap : {&links_, &exits_}) {
    a.require(std::is_heap(heap->begin(), heap->end(), later), "the packets on the links are in no order");
    for (const Event& event : *heap) {
      a.require(event.packet < packets_.size(), "a packet on a link does not exist");
      a.require(event.along_trunk <= packets_[event.packet].trunk && event.along_branch < arch::kGridColumns,
                "a packet is beyond its way");
    }
  }
}

}  // namespace kerr::emu
