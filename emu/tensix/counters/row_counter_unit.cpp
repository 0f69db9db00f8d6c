#include "emu/tensix/counters/row_counter_unit.hpp"

namespace kerr::emu::tensix {
namespace {

void set(uint16_t& counter, uint16_t& cr, unsigned value, unsigned mask) {
  counter = cr = static_cast<uint16_t>(value & mask);
}

void increment(uint16_t& counter, uint16_t& cr, unsigned by, bool from_cr, unsigned mask) {
  if (from_cr) {
    set(counter, cr, cr + by, mask);
  } else {
    counter = static_cast<uint16_t>((counter + by) & mask);
  }
}

constexpr unsigned kSrcMask = 63, kDstMask = 1023;

}  // namespace

// Sets the counters named by bit_mask, to a value or to their carriage return plus a value. Dst can also add to itself
// (rwc_cr bit 3), which acts without its mask bit. Then gives Src banks back.
Issue RowCounterUnit::exec(int thread, const isa::tensix::SETRWC& i) {
  if (const WaitMask due = DueHandOvers::before(due_, i.clear_ab_vld, src_a_, src_b_)) return DueHandOvers::wait(due);
  Rwc& rwc = rwcs_[static_cast<size_t>(thread)];
  if (i.bit_mask & 1) set(rwc.a, rwc.a_cr, i.rwc_a + (i.rwc_cr & 1 ? rwc.a_cr : 0), kSrcMask);
  if (i.bit_mask & 2) set(rwc.b, rwc.b_cr, i.rwc_b + (i.rwc_cr & 2 ? rwc.b_cr : 0), kSrcMask);
  if (i.rwc_cr & 8) {
    set(rwc.dst, rwc.dst_cr, i.rwc_d + rwc.dst, kDstMask);
  } else if (i.bit_mask & 4) {
    set(rwc.dst, rwc.dst_cr, i.rwc_d + (i.rwc_cr & 4 ? rwc.dst_cr : 0), kDstMask);
  }
  if (i.bit_mask & 8) rwc.fidelity = 0;
  if (i.bit_mask & 16) rwc.sp = static_cast<uint16_t>((i.rwc_d << 8 | i.rwc_b << 4 | i.rwc_a) & kDstMask);

  const ThreadConfig& config = config_.thread(thread);
  if (i.clear_ab_vld & 1) src_a_.release(config.flag(arch::thread_config::CLR_DVALID_SrcA_Disable));
  if (i.clear_ab_vld & 2) src_b_.release(config.flag(arch::thread_config::CLR_DVALID_SrcB_Disable));
  return Issue::done();
}

// Steps all three counters; a carriage-return bit steps the carriage return and goes there.
Issue RowCounterUnit::exec(int thread, const isa::tensix::INCRWC& i) {
  Rwc& rwc = rwcs_[static_cast<size_t>(thread)];
  increment(rwc.a, rwc.a_cr, i.rwc_a, i.rwc_cr & 1, kSrcMask);
  increment(rwc.b, rwc.b_cr, i.rwc_b, i.rwc_cr & 2, kSrcMask);
  increment(rwc.dst, rwc.dst_cr, i.rwc_d, i.rwc_cr & 4, kDstMask);
  return Issue::done();
}

// Gives the matrix unit's banks back; reset bit 1 keeps its pointers, reset bit 0 starts all over.
Issue RowCounterUnit::exec(int, const isa::tensix::CLEARDVALID& i) {
  if (i.reset & 1) {
    src_a_.reset_ownership();
    src_b_.reset_ownership();
    return Issue::done();
  }
  if (const WaitMask due = DueHandOvers::before(due_, i.cleardvalid, src_a_, src_b_)) return DueHandOvers::wait(due);
  if (i.cleardvalid & 1) src_a_.clear_valid((i.reset & 2) != 0);
  if (i.cleardvalid & 2) src_b_.clear_valid((i.reset & 2) != 0);
  return Issue::done();
}

Issue RowCounterUnit::exec(int, const isa::tensix::CLREXPHIST&) {
  signals_.clear_histogram();
  return Issue::done();
}

}  // namespace kerr::emu::tensix
