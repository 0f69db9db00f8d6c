// What arriving packets do.   docs/hardware/noc.md 3.4, 4, 5
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "emu/memory/l1_size.hpp"
#include "emu/noc/atomics.hpp"
#include "emu/noc/niu.hpp"

namespace kerr::emu {

using namespace arch::niu;

namespace {

constexpr size_t kHeaderStoreBytes = 16;  // of a header store

}  // namespace

void Niu::apply(const Message& message, Cycle now) {
  if (message.multicast && opted_out()) return;
  switch (message.kind) {
    case MessageKind::ReadRequest: return receive_read_request(message, now);
    case MessageKind::Write: return receive_write(message, now);
    case MessageKind::InlineWrite: return receive_inline_write(message, now);
    case MessageKind::Atomic: return receive_atomic(message, now);
    case MessageKind::ReadResponse:
    case MessageKind::WriteAck:
    case MessageKind::AtomicResponse: return receive_response(message);
  }
}

bool Niu::opted_out() const {
  const arch::NocCoord own = arch::raw_to_noc(noc_, NocGeometry::raw_of(tile_.node));
  return (config(kRouterCfg1) >> own.x & 1) || (config(kRouterCfg3) >> own.y & 1);
}

// Senders have checked addresses already; requests of the host and of servers come here unchecked.
void Niu::refuse(const Message& message, const Refusal& refusal) {
  host_.report(
      refusal.category, message.address,
      fmt::format("NoC {} {} from {} arrived at {:#x} of {}: {}", noc_, name(message.kind),
                  geometry_.describe(message.source), message.address, geometry_.describe(tile_), refusal.what),
      refusal.advice);
}

void Niu::receive_read_request(const Message& message, Cycle now) {
  const End from{class_of(tile_), message.address};
  const bool registers = space_of(from) == Space::Registers;
  const auto address = static_cast<uint32_t>(message.address);
  if (message.length == 0 || message.length > kMaxPacketBytes ||
      (registers ? address % 4 + message.length > 4
                 : space_of(from) != Space::L1 || !in_l1(tile_, message.address, message.length))) {
    return refuse(message,
                  {FaultCategory::OutOfBounds, fmt::format("{} bytes cannot be read there", message.length), ""});
  }
  Message response = message.response(MessageKind::ReadResponse);
  if (registers) {
    uint32_t value = 0;
    if (host_.load_register(address & ~3u, value) != Access::Done) return;
    value >>= 8 * (address % 4);
    response.payload = Payload(message.length);
    std::memcpy(response.payload.data(), &value, message.length);
  } else {
    l1_.will_read(address, message.length);
    response.payload = Payload(std::span(l1_.data() + address, message.length));
  }
  count_read_answered(data_flits(message.length));
  respond(std::move(response), now, 1 + data_flits(message.length), &timing::Parameters::noc_read_responder);
}

void Niu::receive_write(const Message& message, Cycle now) {
  if (!deliver(message)) return;
  count_write_received(message.marked, data_flits(message.payload.size()));
  acknowledge(message, now);
}

void Niu::receive_inline_write(const Message& message, Cycle now) {
  if (auto refusal = check_inline_write({class_of(tile_), message.address})) return refuse(message, *refusal);
  if (host_.store_register(static_cast<uint32_t>(message.address), message.operand) != Access::Done) return;
  count_write_received(message.marked, 1);
  acknowledge(message, now);
}

void Niu::count_write_received(bool marked, uint32_t flits) {
  count(marked ? kSlvNonpostedWrReqStarted : kSlvPostedWrReqStarted);
  count(marked ? kSlvNonpostedWrDataWordReceived : kSlvPostedWrDataWordReceived, flits);
  count(marked ? kSlvNonpostedWrReqReceived : kSlvPostedWrReqReceived);
}

void Niu::count_read_answered(uint32_t flits) {
  count(kSlvReqAccepted);
  count(kSlvRdReqReceived);
  count(kSlvRdRespSent);
  count(kSlvRdDataWordSent, flits);
}

void Niu::count_host_write(bool posted, size_t bytes) {
  count_write_received(!posted, data_flits(bytes));
  if (!posted) count(kSlvWrAckSent);
}

void Niu::count_host_read(size_t bytes) {
  ++host_reads_;
  host_read_flits_ += data_flits(bytes);
}

uint32_t Niu::counter(int index) const {
  switch (index) {
    case kSlvReqAccepted:
    case kSlvRdReqReceived:
    case kSlvRdRespSent: return counters_[index] + host_reads_;
    case kSlvRdDataWordSent: return counters_[index] + host_read_flits_;
    default: return counters_[index];
  }
}

void Niu::acknowledge(const Message& message, Cycle now) {
  if (!message.marked) return;
  count(kSlvWrAckSent);
  respond(message.response(MessageKind::WriteAck), now, 1, &timing::Parameters::noc_write_ack);
}

void Niu::receive_atomic(const Message& message, Cycle now) {
  if (auto refusal = check_atomic({class_of(tile_), message.address}, message.opcode_fields)) {
    return refuse(message, *refusal);
  }
  const auto target = static_cast<uint32_t>(message.address);
  const uint32_t line = target & ~15u;
  const auto old = l1_.load<uint32_t>(target);
  const AtomicBytes changed = bytes_of_atomic(message.opcode_fields);
  if (message.marked && target - line - changed.first >= changed.count) l1_.will_read(target, 4);
  if (changed.count != 0) {
    std::array<uint8_t, 16> after;
    std::memcpy(after.data(), l1_.data() + line, after.size());
    apply_atomic(after, message.opcode_fields, message.operand);
    l1_.update(line + changed.first, std::span(after).subspan(changed.first, changed.count));
  }
  count(kSlvReqAccepted);
  count(message.marked ? kSlvNonpostedAtomicReceived : kSlvPostedAtomicReceived);
  if (!message.marked) return;
  count(kSlvAtomicRespSent);
  Message response = message.response(MessageKind::AtomicResponse);
  response.operand = old;
  respond(std::move(response), now, 1, &timing::Parameters::noc_atomic_responder);
}

// Data first, then the counters: an agent that sees the count sees the data.
void Niu::receive_response(const Message& message) {
  switch (message.kind) {
    case MessageKind::ReadResponse:
      if (!deliver(message)) return;
      board_.about_to_change(wait::kNiu);
      count(kMstRdDataWordReceived, data_flits(message.payload.size()));
      count(kMstRdRespReceived);
      break;
    case MessageKind::AtomicResponse:
      if (auto refusal = check_atomic_result({class_of(tile_), message.address})) return refuse(message, *refusal);
      l1_.store(static_cast<uint32_t>(message.address), message.operand);
      board_.about_to_change(wait::kNiu);
      count(kMstAtomicRespReceived);
      break;
    default:
      board_.about_to_change(wait::kNiu);
      count(kMstWrAckReceived);
      break;
  }
  finish(message.transaction_id);
}

// OUTSTANDING is an 8-bit counter that wraps: a multicast takes it below what it was.
void Niu::finish(uint8_t transaction_id) {
  uint32_t& outstanding = counters_[kMstReqsOutstandingId + (transaction_id & 15)];
  outstanding = (outstanding - 1) & 0xFF;
  if (outstanding != 0) return;
  rtz_source_ |= 1u << (transaction_id & 15);
  ask_for_interrupt();
}

// The payload of a write or of a read response goes to L1, or to one register.
bool Niu::deliver(const Message& message) {
  const End to{class_of(tile_), message.address};
  const size_t bytes = message.payload.size();
  if (space_of(to) == Space::Registers && bytes == 4 && message.address % 4 == 0) {
    uint32_t value;
    std::memcpy(&value, message.payload.bytes().data(), 4);
    return host_.store_register(static_cast<uint32_t>(message.address), value) == Access::Done;
  }
  if (space_of(to) != Space::L1 || !in_l1(tile_, message.address, bytes)) {
    refuse(message, {FaultCategory::OutOfBounds, fmt::format("{} bytes cannot be written there", bytes), ""});
    return false;
  }
  const auto address = static_cast<uint32_t>(message.address);
  for_each_enabled_run(message, [&](size_t first, size_t count) {
    l1_.write(address + static_cast<uint32_t>(first), message.payload.bytes().subspan(first, count));
    return true;
  });
  if (message.header_store && bytes >= kHeaderStoreBytes && L1::contains(message.operand, kHeaderStoreBytes)) {
    l1_.write(message.operand, message.payload.bytes().first(kHeaderStoreBytes));
  }
  return true;
}

}  // namespace kerr::emu
