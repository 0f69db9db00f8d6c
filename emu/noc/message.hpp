// What travels between tiles.   docs/architecture.md "Time", docs/hardware/noc.md 3
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "arch/noc_registers.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/noc/payload.hpp"

namespace kerr::emu {

enum class MessageKind : uint8_t {
  ReadRequest,   // `length` bytes at `address` of `destination` are to go to `reply_address` of `reply_tile`
  ReadResponse,  // payload goes to `address` of `destination`, then the counters of its NIU move
  Write,         // payload goes to `address`
  InlineWrite,   // four bytes, `operand`, go to the register at `address`
  WriteAck,
  Atomic,          // `opcode_fields` (NOC_AT_LEN_BE) and `operand` (NOC_AT_DATA) applied at `address`
  AtomicResponse,  // `operand` goes to `address` of `destination`, then the counters move
};

inline constexpr int kMessageKinds = 7;

constexpr bool is_response(MessageKind kind) {
  return kind == MessageKind::ReadResponse || kind == MessageKind::WriteAck || kind == MessageKind::AtomicResponse;
}

constexpr std::string_view name(MessageKind kind) {
  constexpr std::array<std::string_view, kMessageKinds> names{
      "read", "read response", "write", "inline write", "write acknowledgement", "atomic", "atomic response"};
  return names[static_cast<size_t>(kind)];
}

/// The name of a packet: distinct for all packets of a machine since power-on.
struct PacketName {
  TileId source;
  uint64_t packet = ~uint64_t{0};  // none
  friend auto operator<=>(const PacketName&, const PacketName&) = default;
};

/// One packet for one receiver. A multicast is one Message per receiver on one shared payload.
struct Message {
  static constexpr uint64_t kNotSent = ~uint64_t{0};
  static constexpr uint64_t kAllBytes = ~uint64_t{0};
  static constexpr uint8_t kResponseVc = 6;  // class 11: docs/hardware/noc.md 6.1

  Cycle arrival = kNever;  // when it takes effect at the destination (its last flit has come in)
  Cycle sent = 0;          // when its last flit left the source
  TileId source;
  uint8_t noc = 0;
  uint8_t vc = 0;              // docs/hardware/noc.md 6.1
  uint64_t sequence = 0;       // per source tile, in issue order
  uint64_t packet = kNotSent;  // the sequence of its packet's first message: its name, together with `source`

  TileId destination;
  MessageKind kind = MessageKind::Write;
  bool marked = false;         // RESP_MARKED: an ack or a result is wanted
  bool multicast = false;      // one of several messages that are one packet
  bool y_major = false;        // a multicast's tree runs along Y first (BRCST_XY)
  bool static_vc = false;      // `vc` is the sender's choice, not the router's (VC_STATIC)
  bool linked = false;         // of a train of linked requests
  uint8_t transaction_id = 0;  // NOC_PACKET_TAG[13:10]
  TileId request_source;       // of a response: see request()
  uint64_t address = 0;        // in the destination's space
  uint32_t length = 0;         // bytes, of a read request
  uint32_t operand = 0;
  uint32_t opcode_fields = 0;
  uint64_t byte_enables = kAllBytes;  // of a write of 64 bytes: which of them arrive
  bool header_store = false;          // of a write: its first 16 bytes go to `operand` in L1 as well
  TileId reply_tile;                  // where the response goes (docs/hardware/noc.md 3.1)
  uint64_t reply_address = 0;
  uint64_t request_packet = kNotSent;
  Payload payload;

  PacketName name() const { return {source, packet}; }
  /// The packet that a response answers. For observers: neither hashed nor kept in a snapshot, so it is none in a
  /// response that was under way when a machine was saved.
  PacketName request() const { return {request_source, request_packet}; }

  /// The response of this kind to this request; `sent` and the payload are the responder's.
  Message response(MessageKind of) const {
    Message out;
    out.source = destination;
    out.noc = noc;
    out.vc = kResponseVc;
    out.destination = reply_tile;
    out.kind = of;
    out.transaction_id = transaction_id;
    out.address = reply_address;
    out.request_source = source;
    out.request_packet = packet;
    return out;
  }

  void serialize(Archive& archive);
};

/// Flits (64 bytes each) that carry so many bytes.
constexpr uint32_t data_flits(size_t bytes) {
  return static_cast<uint32_t>((bytes + arch::niu::kFlitBytes - 1) / arch::niu::kFlitBytes);
}
/// Those of a message: a header, then the data.   docs/hardware/noc.md 10.2
inline uint32_t flits(const Message& message) {
  return 1 + data_flits(message.payload.size()) + (message.kind == MessageKind::InlineWrite);
}

/// The one total order in which a destination applies what it received: (arrival, source, NoC, sequence).
inline bool earlier(const Message& a, const Message& b) {
  return std::tie(a.arrival, a.source, a.noc, a.sequence) < std::tie(b.arrival, b.source, b.noc, b.sequence);
}

/// Calls write(first, bytes) for each run of bytes that the write `message` brings, until it returns false; so does
/// this.
template <class Write>
bool for_each_enabled_run(const Message& message, Write write) {
  if (message.byte_enables == Message::kAllBytes) return write(size_t{0}, message.payload.size());
  for (size_t at = 0; at < message.payload.size() && at < 64;) {
    const uint64_t rest = message.byte_enables >> at;
    const auto off = static_cast<size_t>(std::countr_zero(rest));
    if (rest == 0 || at + off >= message.payload.size()) break;
    const auto on = std::min<size_t>(std::countr_one(rest >> off), message.payload.size() - at - off);
    if (!write(at + off, on)) return false;
    at += off + on;
  }
  return true;
}

}  // namespace kerr::emu
