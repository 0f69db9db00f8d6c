#include "emu/timing/coprocessor_timer.hpp"

#include <algorithm>

#include "isa/tensix/instructions.hpp"

namespace kerr::emu::timing {

using isa::tensix::Field;
using isa::tensix::Opcode;
using isa::tensix::Row;
using isa::tensix::Unit;
namespace resource = isa::tensix::resource;

namespace {

constexpr size_t kUnpack0 = static_cast<size_t>(Unit::Unpack);
constexpr size_t kUnpack1 = kUnpacker1;
constexpr size_t kPack = static_cast<size_t>(Unit::Pack);

size_t unit_of(const Row& row, uint32_t word) {
  if (row.unit == Unit::Unpack && (word >> 23 & 1) != 0) return kUnpack1;
  return static_cast<size_t>(row.unit);
}

// Units of which conditions C0.. of STALLWAIT speak.   docs/hardware/tensix-datapath.md 5
struct Condition {
  uint32_t bit;
  size_t unit;
};
constexpr Condition kConditions[] = {{0x001, static_cast<size_t>(Unit::Scalar)},
                                     {0x002, kUnpack0},
                                     {0x004, kUnpack1},
                                     {0x008, kPack},
                                     {0x010, static_cast<size_t>(Unit::Fpu)},
                                     {0x800, static_cast<size_t>(Unit::Sfpu)},
                                     {0x1000, static_cast<size_t>(Unit::Config)}};
constexpr uint32_t kSrcValid[2] = {0x080, 0x100}, kSrcFree[2] = {0x020, 0x040};
constexpr uint32_t kDefaultConditions = 0x0F;

bool is_wait(Opcode opcode) {
  return opcode == Opcode::STALLWAIT || opcode == Opcode::SEMWAIT || opcode == Opcode::STREAMWAIT;
}

bool has_long_result(Opcode opcode) {
  switch (opcode) {
    case Opcode::SFPMAD:
    case Opcode::SFPADD:
    case Opcode::SFPMUL:
    case Opcode::SFPADDI:
    case Opcode::SFPMULI:
    case Opcode::SFPLUT:
    case Opcode::SFPLUTFP32:
    case Opcode::SFPMUL24: return true;
    default: return false;
  }
}

// SFPSWAP and the lane shifts: the next cycle takes nothing but SFPNOP.
bool takes_two_cycles(const Row& row, uint32_t word) {
  if (row.opcode == Opcode::SFPSWAP) return true;
  if (row.opcode != Opcode::SFPSHFT2) return false;
  const auto mode = isa::tensix::SFPSHFT2::decode(word).instr_mod1;
  return mode >= 2 && mode <= 4;
}

// Which operands of a vector instruction name registers, found once for all.
struct VectorOperands {
  std::array<const Field*, 6> registers{};  // all of them, the result's too
  unsigned count = 0;
  const Field* long_result = nullptr;  // that is there late
};
const std::array<VectorOperands, 256> kVectorOperands = [] {
  std::array<VectorOperands, 256> all;
  for (const Row& row : isa::tensix::rows()) {
    if (row.unit != Unit::Sfpu) continue;
    VectorOperands& operands = all[static_cast<size_t>(row.opcode)];
    for (const char* name : {"lreg_c", "lreg_src_a", "lreg_src_b", "lreg_src_c", "lreg_ind", "lreg_dest"}) {
      if (const Field* field = row.field(name)) operands.registers[operands.count++] = field;
    }
    if (!has_long_result(row.opcode)) continue;
    operands.long_result = row.field("lreg_dest") ? row.field("lreg_dest") : row.field("lreg_ind");
  }
  return all;
}();
const VectorOperands& vector_operands(const Row& row) { return kVectorOperands[static_cast<size_t>(row.opcode)]; }

// Until the unit takes the next instruction, whatever it is.
Cycle occupied(const Row& row, uint32_t word, const Parameters& p) {
  switch (row.opcode) {
    case Opcode::SFPSHFT2: return takes_two_cycles(row, word) ? 2 : 1;
    case Opcode::SHIFTXB: return p.fpu_shiftxb;
    case Opcode::MOVD2A:
    case Opcode::MOVB2A: return p.fpu_move_out;
    case Opcode::MOVD2B: return p.fpu_move_d2b;
    case Opcode::CFGSHIFTMASK: return p.config_shift_mask;
    case Opcode::ATCAS:
    case Opcode::ATINCGETPTR: return p.scalar_compare_and_swap;
    default: return row.cycles;
  }
}

// Cycles of a matrix unit instruction until its result can be used.
Cycle matrix_latency(const Row& row, const Parameters& p) {
  if (row.writes & resource::Dst) return p.fpu_dst_ready;
  return row.opcode == Opcode::MOVD2B || row.opcode == Opcode::MOVB2A ? p.fpu_move_d2b : 1;
}

}  // namespace

Cycle CoprocessorTimer::dst_ready(const Touched& t) const {
  Cycle ready = dst_moves_;
  for (unsigned row = t.dst_first; row < t.dst_first + t.dst_count; row += kBlockRows) {
    ready = std::max(ready, dst_ready_[row / kBlockRows % kBlocks]);
  }
  return ready;
}

// From matrix to vector unit and back on Dst a thread waits until all that the other has begun is through. What was
// measured (4.2: groups of 1 to 32 in turns) also says that a vector instruction right behind a lone one of the matrix
// unit does not.
Cycle CoprocessorTimer::dst_turn(int thread, Unit unit, Cycle start) const {
  const DstAccesses& last = dst_accesses_[static_cast<size_t>(thread)];
  if (unit == Unit::Fpu) return last.vector == 0 ? start : std::max(start, last.vector + p_->dst_turn);
  if (last.matrix == 0) return start;
  const bool lone = last.matrix_before == 0 || last.matrix_before + p_->dst_turn <= start;
  if (start == last.matrix + 1 && lone) return start;
  return std::max(start, last.matrix + p_->dst_turn);
}

void CoprocessorTimer::note_dst_access(int thread, Unit unit, Cycle start) {
  DstAccesses& last = dst_accesses_[static_cast<size_t>(thread)];
  if (unit == Unit::Fpu) {
    last.matrix_before = last.matrix;
    last.matrix = start;
  } else {
    last.vector = start;
  }
}

// How long a MOVA2D occupies the unit; what is left of a half cycle falls to the next one.
Cycle CoprocessorTimer::move_in(const Touched& t) {
  constexpr unsigned kRows = 8;
  if (t.dst_count != kRows) return 1;
  const Cycle halves = p_->fpu_mova2d_half_cycles + owed_half_;
  owed_half_ = halves % 2;
  return halves / 2;
}

void CoprocessorTimer::finish(int thread, size_t unit, Cycle done) {
  Cycle& last = done_[static_cast<size_t>(thread)][unit];
  last = std::max(last, done);
}

void CoprocessorTimer::hold(int thread, unsigned block_mask, Cycle until) {
  held_[static_cast<size_t>(thread)] = {block_mask != 0 ? block_mask : isa::tensix::gate::B6, until};
}

void CoprocessorTimer::stall(int thread, uint32_t word, Cycle start, const Touched& t) {
  const auto i = isa::tensix::STALLWAIT::decode(word);
  const uint32_t conditions = i.wait_res != 0 ? i.wait_res : kDefaultConditions;
  Cycle until = start + 1;
  for (const Condition& c : kConditions) {
    if (conditions & c.bit) until = std::max(until, done_[static_cast<size_t>(thread)][c.unit]);
  }
  for (size_t s = 0; s < 2; ++s) {
    if (conditions & kSrcValid[s]) until = std::max(until, valid_[s][t.before.fpu[s]]);
    if (conditions & kSrcFree[s]) until = std::max(until, free_[s][t.before.unpack[s]]);
  }
  hold(thread, i.stall_res, until + p_->wait_release);
}

Cycle CoprocessorTimer::vector_start(const Row& row, uint32_t word, Cycle start) const {
  const VectorOperands& operands = vector_operands(row);
  for (unsigned n = 0; start < lregs_ready_ && n < operands.count; ++n)
    start = std::max(start, lreg_[operands.registers[n]->get(word) % lreg_.size()]);
  const auto last = static_cast<Opcode>(last_vector_opcode_);
  const bool turns = row.opcode == Opcode::SFPSTORE && last == Opcode::SFPLOAD;
  if (turns && start == last_vector_start_ + 1) start += p_->sfpu_load_store_turn;
  return start;
}

void CoprocessorTimer::vector_done(const Row& row, uint32_t word, Cycle start) {
  if (const Field* result = vector_operands(row).long_result)
    lregs_ready_ = lreg_[result->get(word) % lreg_.size()] =
        start + (row.opcode == Opcode::SFPLUTFP32 ? p_->sfpu_lutfp32_latency : p_->sfpu_long_latency);
  last_vector_opcode_ = static_cast<uint8_t>(row.opcode);
  last_vector_start_ = start;
}

Cycle CoprocessorTimer::executed(int thread, const Row& row, uint32_t word, const Touched& t, UnitWork& work) {
  const size_t unit = unit_of(row, word);
  work.unit = static_cast<uint8_t>(unit);
  work.start = work.came;
  const Cycle next = charge(thread, row, word, t, work);
  work.until = busy_[unit];
  return next;
}

Cycle CoprocessorTimer::charge(int thread, const Row& row, uint32_t word, const Touched& t, UnitWork& work) {
  const Hold& held = held_[static_cast<size_t>(thread)];
  const size_t unit = work.unit;
  const bool wait = is_wait(row.opcode);
  Cycle& start = work.start;
  const auto not_before = [&](Cycle ready, Lacked what) {
    if (ready > start) start = ready, work.lacked = what;
  };
  if (wait || isa::tensix::held_by(row.gate, held.mask)) not_before(held.until, Lacked::Gate);
  if (row.opcode != Opcode::SFPNOP) not_before(busy_[unit], Lacked::Unit);
  const bool on_dst = ((row.reads | row.writes) & resource::Dst) != 0;

  switch (row.unit) {
    case Unit::Fpu: {
      for (size_t s = 0; s < 2; ++s) {
        const auto source = s == 0 ? resource::SrcA : resource::SrcB;
        if (row.reads & source) not_before(valid_[s][t.before.fpu[s]], s == 0 ? Lacked::SrcA : Lacked::SrcB);
      }
      if (t.reads_dst) not_before(dst_ready(t), Lacked::Dst);
      if (on_dst) {
        not_before(dst_turn(thread, Unit::Fpu, start), Lacked::Dst);
        note_dst_access(thread, Unit::Fpu, start);
      }
      if (row.opcode == Opcode::MOVA2D) {
        busy_[unit] = start + move_in(t);
      } else {
        busy_[unit] = start + occupied(row, word, *p_);
        owed_half_ = 0;
      }
      finish(thread, unit, start + matrix_latency(row, *p_));
      if (row.writes & resource::Dst) {
        for (unsigned r = t.dst_first; r < t.dst_first + t.dst_count; r += kBlockRows)
          dst_ready_[r / kBlockRows % kBlocks] = start + p_->fpu_dst_ready;
      }
      if (row.opcode == Opcode::MOVA2D || row.opcode == Opcode::MOVB2D) dst_moves_ = start + p_->fpu_move_in;
      for (size_t s = 0; s < 2; ++s) {
        if (t.after.fpu[s] != t.before.fpu[s]) free_[s][t.before.fpu[s]] = start + p_->source_hand_over;
      }
      return start + 1;
    }
    case Unit::Sfpu:
      not_before(vector_start(row, word, start), Lacked::LReg);
      if (on_dst) {
        not_before(dst_turn(thread, Unit::Sfpu, start), Lacked::Dst);
        note_dst_access(thread, Unit::Sfpu, start);
      }
      vector_done(row, word, start);
      if (row.opcode == Opcode::SFPSTORE) finish(thread, unit, start + p_->sfpu_store_done);
      break;
    case Unit::Unpack: {
      const size_t s = unit == kUnpack0 ? 0 : 1;
      if (row.writes & (resource::SrcA | resource::SrcB))
        not_before(free_[s][t.before.unpack[s]], s == 0 ? Lacked::SrcA : Lacked::SrcB);
      const bool moves = row.opcode == Opcode::UNPACR;
      const Cycle setup = moves ? p_->unpack_setup : 1;
      const Cycle transfer = (t.moved_bytes + p_->unpack_bytes_per_cycle - 1) / p_->unpack_bytes_per_cycle;
      const Cycle done = start + setup + transfer;
      busy_[unit] = done;
      Cycle& other = busy_[s == 0 ? kUnpack1 : kUnpack0];
      if (moves) other = std::max(other, start + setup);
      finish(thread, unit, done);
      if (t.after.unpack[s] != t.before.unpack[s]) valid_[s][t.before.unpack[s]] = done + p_->source_hand_over;
      return start + setup;
    }
    case Unit::Pack: {
      if (t.reads_dst) not_before(dst_ready(t), Lacked::Dst);
      const Cycle transfer = (t.moved_bytes + p_->pack_bytes_per_cycle - 1) / p_->pack_bytes_per_cycle;
      busy_[unit] = start + std::max<Cycle>(1, transfer);
      finish(thread, unit, busy_[unit]);
      return start + 1;
    }
    default: break;
  }
  if (wait) {
    if (row.opcode == Opcode::STALLWAIT) {
      stall(thread, word, start, t);
    } else {
      const unsigned blocked = row.opcode == Opcode::SEMWAIT ? isa::tensix::SEMWAIT::decode(word).stall_res
                                                             : isa::tensix::STREAMWAIT::decode(word).stall_res;
      hold(thread, blocked, start + 1 + p_->wait_release);
    }
  }
  const Cycle cycles = occupied(row, word, *p_);
  busy_[unit] = start + (row.unit == Unit::Misc || row.unit == Unit::Sync ? 0 : cycles);
  if (!wait) finish(thread, unit, start + cycles);
  return start + (row.unit == Unit::Scalar ? std::max<Cycle>(1, cycles) : 1);
}

void CoprocessorTimer::serialize(Archive& a) {
  a(busy_, done_, valid_, free_, dst_ready_, dst_moves_, held_, dst_accesses_, owed_half_, lreg_, lregs_ready_,
    last_vector_opcode_, last_vector_start_);
}

Cycle CoprocessorTimer::vector_start(int thread, const Row& row, uint32_t word, Cycle came) const {
  const Hold& held = held_[static_cast<size_t>(thread)];
  Cycle start = row.opcode == Opcode::SFPNOP ? came : std::max(came, busy_[unit_of(row, word)]);
  if (isa::tensix::held_by(row.gate, held.mask)) start = std::max(start, held.until);
  start = vector_start(row, word, start);
  return ((row.reads | row.writes) & resource::Dst) != 0 ? dst_turn(thread, Unit::Sfpu, start) : start;
}

Cycle vector_stall(uint32_t last, uint32_t word) {
  const Row* const before = isa::tensix::row_of(last);
  const Row* const row = isa::tensix::row_of(word);
  if (before == nullptr || row == nullptr) return 0;
  if (takes_two_cycles(*before, last)) return row->opcode == Opcode::SFPNOP ? 0 : 1;
  const Field* const result = has_long_result(before->opcode) ? vector_operands(*before).long_result : nullptr;
  if (result == nullptr) return 0;
  const VectorOperands& operands = vector_operands(*row);
  for (unsigned n = 0; n < operands.count; ++n) {
    if (operands.registers[n]->get(word) == result->get(last)) return 1;
  }
  return 0;
}

Cycle CoprocessorTimer::finished(int thread) const {
  const Cycle released = held_[static_cast<size_t>(thread)].until;
  Cycle last = released == 0 ? 0 : released - p_->wait_release;
  for (const Cycle done : done_[static_cast<size_t>(thread)]) last = std::max(last, done);
  return last == 0 ? 0 : last - 1 + p_->thread_idle;
}

}  // namespace kerr::emu::timing
