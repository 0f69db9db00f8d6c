#include "emu/timing/hart_timer.hpp"

#include <algorithm>
#include <bit>

namespace kerr::emu::timing {

using isa::riscv::Instruction;
using isa::riscv::Kind;

namespace {

constexpr uint32_t kGranuleBytes = 16;

bool is_load(Kind kind) { return kind == Kind::Load || kind == Kind::Amo; }

Kind kind_of(const Instruction& i) { return isa::riscv::row(i.op).kind; }

}  // namespace

Cycle HartTimer::load_latency(Region region) const {
  switch (region) {
    case Region::None: return p_->hart_alu_latency;
    case Region::Local: return p_->hart_load_local;
    case Region::L1: return p_->hart_load_l1;
    case Region::Register: return p_->hart_load_register;
    case Region::Coprocessor: return p_->hart_load_coprocessor;
    case Region::Sync: return p_->hart_load_sync;
    case Region::Window: return p_->hart_load_window;
  }
  return p_->hart_load_register;
}

// The exact function of the dividend is not known: one cycle a bit lies between the two measured ends.
Cycle HartTimer::division(uint32_t dividend, uint32_t divisor) const {
  if (divisor <= 1) return p_->hart_div_trivial;
  const Cycle bits = static_cast<Cycle>(std::bit_width(dividend));
  return std::clamp(1 + bits, p_->hart_div_least, p_->hart_div_most);
}

Cycle HartTimer::start_of(const Instruction& i) const {
  const isa::riscv::RegisterNumbers r = isa::riscv::register_numbers(i);
  Cycle start = std::max({next_, ready_[r.rs1], ready_[r.rs2], ready_[r.rs3]});
  start = std::max(start, retired_[entry_] + p_->hart_retire_release);  // the one eight before
  if (is_load(kind_of(i))) start = std::max(start, loads_[load_]);
  return start;
}

// A load of bytes that are still in the store queue is done that much later.
Cycle HartTimer::behind_stores(Cycle start, const Effect& effect) const {
  Cycle from = start;
  for (const QueuedStore& store : stores_) {
    if (store.granule == effect.address / kGranuleBytes && store.drained > start)
      from = store.drained + (effect.region == Region::L1);
  }
  return from;
}

// Returns when the store has a place in the queue.
Cycle HartTimer::queue_store(Cycle start, const Effect& effect) {
  const bool l1 = effect.region == Region::L1;
  if (!l1 && effect.region != Region::Local) return start;  // drains in a cycle
  const uint32_t granule = effect.address / kGranuleBytes;
  for (QueuedStore& store : stores_) {
    if (store.granule != granule || store.drained <= start) continue;
    return start;  // merged
  }
  QueuedStore& place = stores_[store_];
  const QueuedStore& before = stores_[(store_ + kStores - 1) % kStores];
  const Cycle accepted = l1 ? std::max(start, place.drained) : start;
  const Cycle drain = l1 ? p_->hart_store_drain_l1 : p_->hart_store_drain_local;
  place = {granule, l1 ? std::max(accepted, before.drained) + drain : accepted + drain};
  store_ = (store_ + 1) % kStores;
  return accepted;
}

// When the store queue is empty and every load has its result.   docs/hardware/tile.md 1.8
Cycle HartTimer::settled(Cycle start) const {
  for (const QueuedStore& store : stores_) start = std::max(start, store.drained);
  for (const Cycle load : loads_) start = std::max(start, load);
  return start;
}

// Never seen: backwards is taken, forwards is not. Afterwards as the last time. The silicon's policy is not known.
bool HartTimer::mispredicted(const Effect& effect, int32_t offset) {
  uint32_t& entry = branches_[effect.pc / 4 % kBranches];
  const bool known = (entry & ~3u) == effect.pc && entry != 0;
  const bool guess = known ? entry & 1 : offset < 0;
  entry = effect.pc | (effect.taken ? 1 : 2);
  return guess != effect.taken;
}

void HartTimer::started(const Instruction& i, Cycle start, const Effect& effect) {
  const Kind kind = kind_of(i);
  Cycle occupied = 1, done = start + p_->hart_alu_latency;
  Cycle serial = 0;
  switch (kind) {
    case Kind::Mul: done = start + p_->hart_mul_latency; break;
    case Kind::Float: done = start + p_->hart_float_latency; break;
    case Kind::Div:
      occupied = division(effect.dividend, effect.divisor);
      done = start + occupied;
      break;
    case Kind::Load:
      done = std::max(behind_stores(start, effect), effect.late) + load_latency(effect.region);
      loads_[load_] = done;
      load_ = (load_ + 1) % kLoads;
      break;
    case Kind::Amo:
      done = settled(start) + p_->hart_amo;
      loads_[load_] = done;
      load_ = (load_ + 1) % kLoads;
      break;
    case Kind::Store: occupied = queue_store(start, effect) - start + 1; break;
    case Kind::Fence: serial = done = settled(start) + p_->hart_serialise; break;
    case Kind::Csr:
    case Kind::System: serial = done = start + p_->hart_serialise; break;
    case Kind::Branch:
      if (mispredicted(effect, i.imm)) occupied += p_->hart_mispredict;
      break;
    case Kind::Push:
      if (!effect.fused) break;
      next_ = start;  // the last one of the group counts for all
      return;
    default: break;
  }
  last_retired_ = std::max(last_retired_ + 1, done);
  retired_[entry_] = last_retired_;
  entry_ = (entry_ + 1) % kEntries;
  next_ = std::max(start + occupied, serial);
  if (const unsigned rd = isa::riscv::register_numbers(i).rd; rd != 0) ready_[rd] = done;
}

void HartTimer::shift(Cycle cycles) {
  next_ += cycles;
  last_retired_ += cycles;
  for (Cycle& t : ready_) t += cycles;
  for (Cycle& t : retired_) t += cycles;
  for (Cycle& t : loads_) t += cycles;
  for (QueuedStore& store : stores_) store.drained += cycles;
}

void HartTimer::serialize(Archive& a) {
  a(next_, ready_, retired_, loads_, stores_);
  a.below(kEntries, entry_);
  a.below(kLoads, load_);
  a.below(kStores, store_);
  a(last_retired_, branches_);
}

bool HartTimer::repeats(Cycle now, const HartTimer& earlier, Cycle then) const {
  const auto same = [&](Cycle a, Cycle b) { return std::max(a, now) - now == std::max(b, then) - then; };
  const auto same_release = [&](Cycle a, Cycle b) {
    return same(a + p_->hart_retire_release, b + p_->hart_retire_release);
  };
  if (!same(next_, earlier.next_) || !same_release(last_retired_, earlier.last_retired_)) return false;
  for (unsigned r = 0; r < kRegisters; ++r) {
    if (!same(ready_[r], earlier.ready_[r])) return false;
  }
  for (unsigned k = 0; k < kEntries; ++k) {
    if (!same_release(retired_[(entry_ + k) % kEntries], earlier.retired_[(earlier.entry_ + k) % kEntries]))
      return false;
  }
  for (unsigned k = 0; k < kLoads; ++k) {
    if (!same(loads_[(load_ + k) % kLoads], earlier.loads_[(earlier.load_ + k) % kLoads])) return false;
  }
  for (unsigned k = 0; k < kStores; ++k) {
    const QueuedStore& a = stores_[(store_ + k) % kStores];
    const QueuedStore& b = earlier.stores_[(earlier.store_ + k) % kStores];
    if (!same(a.drained, b.drained) || (a.drained > now && a.granule != b.granule)) return false;
  }
  return branches_ == earlier.branches_;
}

}  // namespace kerr::emu::timing
