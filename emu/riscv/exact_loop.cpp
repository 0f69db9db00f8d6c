// The loop of exact timing: runs ahead through what no other agent can see.   docs/architecture.md "Inside a tile"
//
// Registers, local memory and code are private. Everything else (L1, registers of the tile, atomics, pushes) is an
// interaction, and happens in the order of (cycle, agent): the loop stops before one that is not due yet. While the hart may be
// interrupted, each instruction is one: an interrupt that was raised before (cycle, hart) comes before what starts at cycle.
#include <algorithm>
#include <bit>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/hart.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;
using namespace arithmetic;

namespace {

constexpr Cycle kUnlimited = kNever;

// What an address reaches, for the time that it takes.   docs/hardware/timing.md 2.3
timing::Region region_of(uint32_t address, uint32_t local_bytes) {
  using timing::Region;
  if (address < L1::kBytes) return Region::L1;
  if (address - arch::kLdmBase < local_bytes) return Region::Local;
  if (address >= arch::kConfigBase) return Region::Coprocessor;
  if (address >= arch::kPcBufBase) return Region::Sync;
  if (address >= arch::kGprBase && address < arch::kInstructionPushBase) return Region::Coprocessor;
  if (address >= arch::kTdmaBase && address < arch::kDebugBase) return Region::Coprocessor;
  if (address >= arch::kLdmSlowBase[0] && address < arch::kNiuBase) return Region::Window;
  return Region::Register;
}

bool reads_coprocessor(const Instruction& i) { return i.csr == isa::csr::kQstatus || i.csr == isa::csr::kBstatus; }

}  // namespace

void Hart::run_exact(Cycle start, Cycle end, const Cycle& limit) {
  if (state_ == State::Running) cycle_ = std::max(cycle_, start);
  limit_ = &limit;
  listen();
  observer_ ? run_ahead<true>(end) : run_ahead<false>(end);
}

// Its enables change by a store of its own, or while it does not run.
void Hart::listen() { listens_ = interrupts_ && interrupts_->enabled(index_); }

template <bool kObserved>
void Hart::run_ahead(Cycle end) {
  if (reference_) {
    exact_loop<Exact::Reference, kObserved>(end);
    return;
  }
  bool goes_on = true;
  while (goes_on) {
    if (alarm() < end) wake(alarm());
    if (state_ != State::Running || cycle_ >= end) return;
    if (parking_ && watch_.watching()) {
      const Cycle until = std::min(end, watch_.until());
      goes_on = exact_loop<Exact::Watching, kObserved>(until);
      if (cycle_ >= watch_.until()) stop_watching();
    } else if (parking_ && watch_.in_recent_loop(pc_, cycle_)) {
      watch_.watch_recent_loop(pc_, cycle_);
    } else {
      const Cycle until = parking_ ? std::min(end, watch_.next_try()) : end;
      if (cycle_ < until) goes_on = exact_loop<Exact::Running, kObserved>(until);
      if (parking_ && cycle_ >= watch_.next_try()) watch_.try_again(cycle_);
    }
  }
}

// The rest of a parked hart's last turn. It reads what has been there all the time.
void Hart::catch_up_exact(Cycle now) {
  const Cycle* const limit = std::exchange(limit_, &kUnlimited);
  const bool listens = std::exchange(listens_, false);  // nothing was pending, or it would not have been parked
  exact_loop<Exact::Running, false>(now);
  limit_ = limit;
  listens_ = listens;
}

// While watching, which is not often.
bool Hart::interacts(const Instruction& i, uint32_t a) const {
  using isa::riscv::Kind;
  switch (isa::riscv::row(i.op).kind) {
    case Kind::Load:
    case Kind::Store: return a + u(i.imm) - arch::kLdmBase >= local_bytes_;
    case Kind::Amo:
    case Kind::Push: return true;
    case Kind::Csr: return reads_coprocessor(i);
    default: return false;
  }
}

// Like execute(). False: the next instruction is an interaction that is not due yet.
template <Hart::Exact kMode, bool kObserved>
bool Hart::exact_loop(Cycle end) {
  constexpr bool kWatching = kMode == Exact::Watching;
  constexpr bool kReference = kMode == Exact::Reference;
  constexpr uint32_t kNoLine = 1;
  const DecodedLine* line = nullptr;
  uint32_t line_base = kNoLine;
  uint64_t changes = code_.changes();
  Instruction decoded;

  const auto due = [this] { return cycle_ < *limit_; };
  while (cycle_ < end && state_ == State::Running && (!kWatching || watch_.watching())) {
    const bool listens = listens_ && !in_handler_;
    if (listens) [[unlikely]] {
      if (!due()) return false;
      if (!retries_ && interrupts_->pending(index_)) {
        interrupt(interrupts_->next_handler(index_));
        continue;
      }
    }
    const uint32_t pc = pc_;
    const uint32_t base = pc & ~(L1::kLineBytes - 1);
    const bool cached = caches();
    if (cached) [[unlikely]] {
      if (!can_fetch(pc)) return true;
      if (!fetch_cached(pc, decoded)) return true;
      if (kWatching && base != line_base) note_code_line(pc / L1::kLineBytes);
      line_base = base;
    } else if (kReference) {
      if (!can_fetch(pc)) return true;
      decoded = isa::riscv::decode(l1_.load<uint32_t>(pc));
    } else if (base != line_base || pc % 4 != 0 || changes != code_.changes()) {
      if (!can_fetch(pc)) return true;
      line = code_.line(pc / L1::kLineBytes);
      line_base = base;
      changes = code_.changes();
      if (kWatching) note_code_line(pc / L1::kLineBytes);
    }
    const Instruction& i = kReference || cached ? decoded : line->instructions[pc % L1::kLineBytes / 4];
    const uint32_t a = x_[i.rs1];
    const uint32_t b = x_[i.rs2];
    const uint32_t imm = u(i.imm);
    uint32_t next = pc + 4;
    uint32_t d = 0;
    bool writes = true;
    bool taken = false;
    if (const Cycle start = timer_.start_of(i); start > cycle_) {
      cycle_ = start;
      if (cycle_ >= end) return true;
      if (listens) continue;  // it may be interrupted until it starts
    }
    timing::HartTimer::Effect effect{.dividend = a, .divisor = b, .pc = pc};
    const auto reaches = [&](uint32_t address) {
      effect.address = address;
      effect.region = region_of(address, local_bytes_);
    };
    const uint32_t word = kObserved ? l1_.load<uint32_t>(pc) : 0;  // it may overwrite itself

    if constexpr (kWatching) {
      if (watch_.noting()) {
        if (!due() && interacts(i, a)) return false;
        note(i, a, b);
      }
    }

    switch (i.op) {
#define ALU(op, value) \
  case Op::op: d = (value); break;
#define BRANCH(op, condition)      \
  case Op::op:                     \
    writes = false;                \
    if (!(condition)) break;       \
    next = pc + imm, taken = true; \
    break;
#define LOAD(op, type)                                    \
  case Op::op:                                            \
    if (!is_private(a + imm) && !due()) return false;     \
    reaches(a + imm);                                     \
    late_ = 0;                                            \
    if (!load(a + imm, sizeof(type), d)) return true;     \
    if (kObserved) tell_load(a + imm, sizeof(type));      \
    effect.late = late_;                                  \
    d = static_cast<uint32_t>(static_cast<type>(d)); \
    break;
#define STORE(op, type)                                                              \
  case Op::op:                                                                       \
    writes = false;                                                                  \
    if (!is_private(a + imm) && !due()) return false;                                \
    reaches(a + imm);                                                                \
    if (!store(a + imm, sizeof(type), b)) return true;                               \
    if (effect.region == timing::Region::Register) listen();                         \
    if (kObserved) tell_store(a + imm, sizeof(type));                                \
    break;
#include "emu/riscv/semantics.def"

      case Op::Auipc: d = pc + imm; break;
      case Op::Jal: d = next, next = pc + imm, taken = true; break;
      case Op::Jalr: d = next, next = (a + imm) & ~1u, taken = true; break;

      case Op::Fence:
      case Op::FenceI: writes = false; break;

      case Op::AmoswapW:
      case Op::AmoaddW:
      case Op::AmoxorW:
      case Op::AmoandW:
      case Op::AmoorW:
      case Op::AmominW:
      case Op::AmomaxW:
      case Op::AmominuW:
      case Op::AmomaxuW:
        if (!due()) return false;
        reaches(a);
        if (kObserved && atomic_word(a)) tell_load(a, 4);
        if (!amo(i, d)) return true;
        break;

      case Op::Csrrw:
      case Op::Csrrs:
      case Op::Csrrc:
      case Op::Csrrwi:
      case Op::Csrrsi:
      case Op::Csrrci:
        if (reads_coprocessor(i) && !due()) return false;
        if (!csr(i, d)) return true;
        break;

      case Op::Mret:
        if (!leave_handler(next)) return true;
        writes = false;
        break;

      case Op::Ttinsn:
        if (!due()) return false;
        if (!push(imm)) return true;
        effect.fused = fuses_pushes() && pc % kFetchBytes != kFetchBytes - 4 &&
                       (kReference || cached ? isa::riscv::is_ttinsn(l1_.load<uint32_t>(next))
                                             : line->instructions[next % L1::kLineBytes / 4].op == Op::Ttinsn);
        writes = false;
        break;

      case Op::Flw:
        if (!is_private(a + imm) && !due()) return false;
        reaches(a + imm);
        late_ = 0;
        if (!load(a + imm, 4, d)) return true;
        if (kObserved) tell_load(a + imm, 4);
        f_[i.rd] = d;
        effect.late = late_;
        writes = false;
        break;
      case Op::Fsw:
        if (!is_private(a + imm) && !due()) return false;
        reaches(a + imm);
        if (!store(a + imm, 4, f_[i.rs2])) return true;
        if (effect.region == timing::Region::Register) listen();
        if (kObserved) tell_store(a + imm, 4);
        writes = false;
        break;

      default:
        if (!floating(i)) return true;
        writes = false;
        break;
    }

    if (writes && i.rd != 0) x_[i.rd] = d;
    if constexpr (kObserved) observer_->retired(actor(), pc, word);
    effect.taken = taken;
    timer_.started(i, cycle_, effect);
    cycle_ = timer_.next();
    retries_ = false;
    ++instructions_;
    pc_ = next;
    if constexpr (kWatching) {
      if (taken && next <= pc) {
        const PollWatch::Jump jump = watch_.jump(pc, next, x_, local_.data(), cycle_, instructions_, &timer_);
        if (jump == PollWatch::Jump::Repeats) {
          park();
          return true;
        }
        if (jump == PollWatch::Jump::Begins) line_base = kNoLine;  // the line is a part of the turn
      }
    }
  }
  return true;
}

}  // namespace kerr::emu
