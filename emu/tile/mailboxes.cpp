#include "emu/tile/mailboxes.hpp"

namespace kerr::emu {

unsigned Mailboxes::held_by(int from) const {
  unsigned held = 0;
  for (const auto& fifo : fifos_[from]) held += fifo.size();
  return held;
}

Access Mailboxes::push(int from, int to, uint32_t value, BusReply& reply) {
  if (held_by(from) >= arch::kMailboxDepth) {
    reply.wait = wait::kMailbox;
    return Access::Wait;
  }
  board_.about_to_change(wait::kMailbox);
  fifos_[from][to].push(value);
  return Access::Done;
}

Access Mailboxes::pop(int from, int to, BusReply& reply) {
  auto& fifo = fifos_[from][to];
  if (fifo.empty()) {
    reply.wait = wait::kMailbox;
    return Access::Wait;
  }
  board_.about_to_change(wait::kMailbox);
  reply.value = fifo.pop();
  return Access::Done;
}

void Mailboxes::reset(int from) {
  board_.about_to_change(wait::kMailbox);
  for (auto& fifo : fifos_[from]) fifo.clear();
}

}  // namespace kerr::emu
