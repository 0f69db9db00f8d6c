#include "emu/tile/mailboxes.hpp"

#include "emu/observe/state_hash.hpp"

namespace kerr::emu {

unsigned Mailboxes::held_by(int from) const {
  unsigned held = 0;
  for (const auto& fifo : fifos_[from]) held += fifo.size();
  return held;
}

Access Mailboxes::push(int from, int to, std::uint32_t value, BusReply& reply) {
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

void Mailboxes::clear(int from) {
  board_.about_to_change(wait::kMailbox);
  for (auto& fifo : fifos_[from]) fifo.clear();
}

std::uint64_t Mailboxes::state_hash() const {
  StateHash hash;
  for (const auto& row : fifos_) {
    for (const auto& fifo : row) {
      hash.add(fifo.size());
      for (unsigned i = 0; i < fifo.size(); ++i) hash.add(fifo.at(i));
    }
  }
  return hash.value();
}

}  // namespace kerr::emu
