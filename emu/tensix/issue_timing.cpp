// Exact timing: what the timer is told of an executed instruction.   docs/architecture.md "What an instruction costs"
#include <utility>

#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu {

using isa::tensix::Opcode;

namespace {

// An instruction that only writes its rows of Dst does not wait for those that wrote them before.
bool reads_dst(const isa::tensix::Row& row, uint32_t word) {
  switch (row.opcode) {
    case Opcode::ELWADD: return isa::tensix::ELWADD::decode(word).dest_accum_en != 0;
    case Opcode::ELWSUB: return isa::tensix::ELWSUB::decode(word).dest_accum_en != 0;
    default: return (row.reads & isa::tensix::resource::Dst) != 0;
  }
}

}  // namespace

timing::BankPointers Coprocessor::bank_pointers() const {
  const auto byte = [](unsigned index) { return static_cast<uint8_t>(index); };
  return {{byte(state.src_a.unpack_index()), byte(state.src_b.unpack_index())},
          {byte(state.src_a.fpu_index()), byte(state.src_b.fpu_index())}};
}

void Coprocessor::note_before(int thread, const isa::tensix::Row& row) {
  touched.before = bank_pointers();
  if (observer != nullptr) foresee(thread, row);
}

void Coprocessor::note_executed(const isa::tensix::Row& row, const tensix::Issue& answer) {
  if (timed) executed = &row;
  touched.after = bank_pointers();
  touched.dst_first = answer.dst_first();
  touched.dst_count = answer.dst_count();
  touched.moved_bytes = answer.moved_bytes();
}

// After a step at `cycle`. The front end passes on or expands a word a cycle.
Cycle Coprocessor::next_cycle(int thread, Cycle cycle) {
  const isa::tensix::Row* row = std::exchange(executed, nullptr);
  if (row == nullptr) return cycle + 1;
  const uint32_t word = threads[thread].current;
  touched.reads_dst = reads_dst(*row, word);
  UnitWork work{.came = cycle};
  const Cycle next = timer.executed(thread, *row, word, touched, work);
  if (sfpu.busy() && row->unit == isa::tensix::Unit::Sfpu) sfpu.began(work.start);
  if (observer) observer->worked(actor(thread), work);
  return next;
}

}  // namespace kerr::emu
