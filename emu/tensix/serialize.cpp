// What a snapshot holds of a coprocessor; its shared state says so in state/*.hpp.   docs/architecture.md "Snapshots"
#include "emu/snapshot/archive.hpp"
#include "emu/tensix/parts.hpp"

namespace kerr::emu {

uint64_t Coprocessor::state_hash() const { return hash_of(*this); }
void Coprocessor::serialize(Archive& a) { a(*parts_); }

void Coprocessor::Parts::serialize(Archive& a) {
  a(threads, state, holds, gates, tt_sync, debug_owned);
  a.machinery(turn_start);
  a(fpu, sfpu, packer);
  a.machinery(timed, timer, remarks);
  if (a.loading() && holds.retrying() != tensix::UnitHolds::kNobody) l1.attributes()[holds.retried_line()] |= L1::kWatched;
}

void CoprocessorThread::serialize(Archive& a) {
  a(front, has_current, halted, current, instructions, idle, waited, last_vector, last_vector_at);
  a.machinery(waits_for, fruitless_looks);
  if (!a.hashing()) a.literal(why);
}

namespace tensix {

void FrontEnd::serialize(Archive& a) {
  a(first_, mop_, second_, replay_, clock_, pulled_, taken_, mops_queued_, stuck_, problem_);
}

void MopExpander::serialize(Archive& a) {
  a(config_, zmask_high_, expanding_, nested_, sampled_, ready_);
  a.below(ready_.size() + 1, ready_first_);
  a.below(ready_.size() + 1, ready_count_);
  a.require(ready_first_ <= ready_count_, "a MOP has given out more words than it made");
  a.require(!expanding_ || ready_first_ < ready_count_, "a MOP goes on without words");
  a(iterations_left_, mask_, outer_left_, inner_count_, inner_done_, pass_started_, current_, flip_);
}

// Between two instructions: what lives inside one (before_, mad_new_) is not there. Who was tried last, and when, depends on how
// often a waiting instruction is tried.
void Sfpu::serialize(Archive& a) {
  a(lregs_, flags_, stack_);
  a.below(kStackDepth + 1, stack_size_);
  a(lane_config_, macros_, prng_, enabled_, seed_writes_);
  a(busy_, queue_, swapped_last_cycle_, result_old_);
  if (result_old_ || a.surveying()) a(mad_old_);
  a.below(kThreads, macro_thread_);
  a.machinery(thread_, now_, last_cycle_);
  a.require(thread_ >= 0 && thread_ < kThreads, "an instruction of a thread that does not exist");
}

}  // namespace tensix
}  // namespace kerr::emu
