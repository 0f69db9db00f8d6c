#include "check/niu_counters.hpp"

#include "arch/noc_registers.hpp"

namespace kerr::check {

namespace {

using namespace arch::niu;
using emu::Message;
using emu::MessageKind;

Class class_of(const Message& message) {
  switch (message.kind) {
    case MessageKind::ReadRequest: return Class::Read;
    case MessageKind::Atomic: return Class::Atomic;
    default: return message.marked ? Class::Write : Class::PostedWrite;
  }
}

}  // namespace

void NiuCounters::issued(const Message& m, int command_buffer, uint32_t corners, Transfer& t, uint32_t& next_channel) {
  t.kind = class_of(m);
  t.noc = static_cast<uint8_t>(noc_);
  t.id = m.transaction_id & 15;
  t.vc = m.vc;
  t.request = ++requests_;
  t.linked = m.linked;
  t.multicast = m.multicast;
  t.remote_tile = m.destination;
  t.remote = m.address;
  const bool answered = t.kind != Class::PostedWrite && m.marked;
  t.returns_here = !answered || m.reply_tile == m.source;
  if (t.returns_here) {
    const auto c = static_cast<size_t>(t.kind);
    if (t.kind != Class::Atomic || answered) t.number = ++of_class_[c];
    if (answered) t.over = ++over_[t.id];
    if (answered && t.kind == Class::Write) t.acknowledged = ++acknowledged_;
    if (t.kind == Class::Write || t.kind == Class::PostedWrite) {
      t.left = ++left_[t.id];
      by_buffer_[c].extend(command_buffer, t.number);
      by_vc_[c].extend(m.static_vc ? m.vc : -2 - static_cast<int>(t.number & 0xFFFF), t.number);
    }
    if (answered && m.multicast) uncountable_ |= 1u << t.id;
  }
  // Requests of one static VC, or linked, to one destination; of other VCs the model assumes as much. Edges: channel,
  // channel-atomic, dram-order.
  const ChannelKey key{m.vc, m.multicast, m.multicast ? corners : place_of(m.destination), m.y_major};
  Channel& channel = channels_[key];
  if (channel.used == 0) channel.component = next_channel++;
  t.channel = channel.component;
  t.in_channel = ++channel.used;
}

void NiuCounters::expects(const Message& m) {
  if (!m.marked || m.reply_tile != m.source) return;
  if (m.kind == MessageKind::Write || m.kind == MessageKind::InlineWrite) ++acknowledgements_;
  if (m.kind == MessageKind::Atomic) ++atomic_answers_;
}

std::optional<uint32_t> NiuCounters::final_value(int counter) const {
  const auto of = [&](Class c) { return base_[static_cast<size_t>(c)] + class_number(c); };
  switch (counter) {
    case kMstRdRespReceived: return of(Class::Read);
    case kMstNonpostedWrReqSent: return of(Class::Write);
    case kMstPostedWrReqSent: return of(Class::PostedWrite);
    case kMstWrAckReceived: return acknowledgements_;
    case kMstAtomicRespReceived: return atomic_answers_;
    default: break;
  }
  if (counter >= kMstReqsOutstandingId && counter < kMstReqsOutstandingId + 16) return 0;
  if (counter >= kMstWriteReqsOutgoingId && counter < kMstWriteReqsOutgoingId + 16) return 0;
  return std::nullopt;
}

void NiuCounters::acquire(Clock& reader, int counter, uint32_t value) const {
  const std::optional<uint32_t> last = final_value(counter);
  if (!last) return;
  if (counter == kMstNonpostedWrReqSent) return acquire_sources(reader, Class::Write, value, *last);
  if (counter == kMstPostedWrReqSent) return acquire_sources(reader, Class::PostedWrite, value, *last);
  if (value != *last) return;
  if (counter >= kMstWriteReqsOutgoingId) {  // edge: id-outgoing
    const int id = counter - kMstWriteReqsOutgoingId;
    reader.raise(component::id_left(noc_, id), left_[static_cast<size_t>(id)]);
  } else if (counter >= kMstReqsOutstandingId) {  // edge: id-outstanding
    const int id = counter - kMstReqsOutstandingId;
    if ((uncountable_ >> id & 1) == 0) reader.raise(component::id_over(noc_, id), over_[static_cast<size_t>(id)]);
  } else if (counter == kMstRdRespReceived) {  // edge: read-barrier
    reader.raise(component::done(noc_, Class::Read), class_number(Class::Read));
  } else if (counter == kMstWrAckReceived) {  // edge: write-acknowledged
    reader.raise(component::arrived(noc_), acknowledged_);
  } else {  // edge: atomic-barrier
    reader.raise(component::done(noc_, Class::Atomic), class_number(Class::Atomic));
  }
}

void NiuCounters::acquire_sources(Clock& reader, Class c, uint32_t value, uint32_t last) const {
  const uint32_t done = component::done(noc_, c);
  if (value == last) {  // edge: write-flush
    reader.raise(done, class_number(c));
    return;
  }
  // Edge: write-flush-prefix. All that is not known to have left was issued by one buffer, or on one static VC.
  const auto i = static_cast<size_t>(c);
  const uint32_t next = reader.at(done) + 1;
  if (static_cast<int32_t>(last - value) < 0 || (by_buffer_[i].first > next && by_vc_[i].first > next)) return;
  reader.raise(done, value - base_[i]);
}

void NiuCounters::resynchronise(int counter, uint32_t value) {
  const auto to = [&](Class c) { base_[static_cast<size_t>(c)] = value - class_number(c); };
  switch (counter) {
    case kMstRdRespReceived: return to(Class::Read);
    case kMstNonpostedWrReqSent: return to(Class::Write);
    case kMstPostedWrReqSent: return to(Class::PostedWrite);
    case kMstWrAckReceived: acknowledgements_ = value; return;
    case kMstAtomicRespReceived: atomic_answers_ = value; return;
    default: return;
  }
}

void NiuCounters::cleared(uint32_t ids) { uncountable_ &= ~ids; }

}  // namespace kerr::check
