#include "emu/observe/state_hash.hpp"
#include "emu/tensix/parts.hpp"

namespace kerr::emu {

std::uint64_t Coprocessor::state_hash() const {
  tensix::State& s = parts_->state;
  StateHash hash;
  for (unsigned b = 0; b < 2; ++b) hash.add(s.config.bank(b).words);
  for (int t = 0; t < kThreads; ++t) {
    hash.add(s.config.thread(t).words);
    for (unsigned r = 0; r < tensix::Gpr::kCount; ++r) hash.add(s.gpr.read(t, r));
    for (int unit = 0; unit < tensix::kAdcUnits; ++unit) {
      for (const tensix::AdcChannel& c : s.adcs.of(t, static_cast<tensix::AdcUnit>(unit)).channel) {
        for (const tensix::AdcCounter& counter : {c.x, c.y, c.z, c.w}) {
          hash.add(counter.value);
          hash.add(counter.cr);
        }
      }
    }
    const tensix::Rwc& rwc = s.rwcs[static_cast<std::size_t>(t)];
    for (const std::uint16_t counter : {rwc.a, rwc.a_cr, rwc.b, rwc.b_cr, rwc.dst, rwc.dst_cr}) hash.add(counter);
    hash.add(rwc.fidelity);
    hash.add(static_cast<std::uint8_t>(rwc.extra_modifier_bit));
    hash.add(parts_->threads[static_cast<std::size_t>(t)].instructions);
    hash.add(static_cast<std::uint8_t>(parts_->idle(t)));
  }
  hash.add(s.context_counters);
  for (unsigned i = 0; i < tensix::Semaphores::kCount; ++i) {
    hash.add(s.semaphores[i].value);
    hash.add(s.semaphores[i].max);
  }
  for (unsigned i = 0; i < tensix::Mutexes::kCount; ++i) hash.add(s.mutexes.holder(i));
  const tensix::PackerSignals& signals = s.packer_signals;
  hash.add(signals.accumulated_size);
  hash.add(signals.last_size);
  hash.add(signals.last_thread);
  hash.add(signals.all_zero_flags);
  hash.add(signals.l1_offset);
  hash.add(signals.exponent_histogram);
  hash.add(signals.largest_exponent);
  hash.add(parts_->holds.retrying());
  hash.add(parts_->debug_owned);
  for (const tensix::TtSync& sync : parts_->tt_sync) hash.add(sync.classes());
  for (tensix::SrcRegister* src : {&s.src_a, &s.src_b}) {
    hash.add(src->unpack_index());
    hash.add(src->fpu_index());
    hash.add(src->row_base);
    for (unsigned b = 0; b < 2; ++b) {
      hash.add(static_cast<std::uint8_t>(src->owner(b)));
      hash.add_bytes(src->bank(b).cells, sizeof(src->bank(b).cells));
    }
  }
  parts_->fpu.hash(hash);
  parts_->sfpu.hash(hash);
  parts_->packer.hash(hash);
  for (unsigned row = 0; row < tensix::Dst::kRows; ++row) {
    hash.add(static_cast<std::uint8_t>(s.dst.valid(row)));
    hash.add_bytes(s.dst.row(row), tensix::Dst::kColumns * sizeof(std::uint16_t));
  }
  return hash.value();
}

}  // namespace kerr::emu
