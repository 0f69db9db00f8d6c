// What a snapshot holds of a tile.   docs/architecture.md "Snapshots"
#include "emu/snapshot/archive.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::emu {

uint64_t Tile::state_hash() { return hash_of(*this); }

// Parked harts first go to where spinning would have left them, so that neither file nor hash tells how they were run.
void Tile::serialize(Archive& a) {
  if (!a.loading()) agents_.catch_up();
  a(l1_, sequence_);
  a.machinery(inbox_, outbox_, faults_);
  a(agents_, harts_, coprocessor_, nius_, streams_, mailboxes_, pc_bufs_, tdma_, pic_, reset_, debug_, map_);
  if (ethernet_) a(*ethernet_);
}

// Between windows, when only the host acts.
void Agents::serialize(Archive& a) {
  a.machinery(time_, quantum_start_, message_cycle_, armed_, thread_cycle_);
  a.require(exact_ || time_ % kQuantumCycles == 0, "the time of a tile is not the end of a quantum");
}

void StreamRegisters::serialize(Archive& a) {
  bool made = bank_ != nullptr;
  a(made);
  if (a.loading() && made) bank_ = std::make_unique<Bank>();
  Bank none;
  a(bank_ ? *bank_ : none);
}

}  // namespace kerr::emu
