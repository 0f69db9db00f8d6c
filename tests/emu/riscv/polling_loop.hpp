// Random polling loops for a LoneHart, in the shapes that compilers give them.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "isa/assembler.hpp"
#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::polling {  // not emu: there a0 is a number

using emu::Hart;
using emu::LoneHart;

/// Polls words of L1 and registers of the bus until one of them differs from what it was, or until a time has passed,
/// notes that in memory, and begins again. In between, in any order: looks at the clock, forward branches, `continue`,
/// inner loops, fences, arithmetic, and calls of functions that lie before or after the loop, call others and keep
/// registers on a stack in local memory.
class PollingLoop {
 public:
  static constexpr uint32_t kCode = 0x1000;
  static constexpr uint32_t kWords = 0x4000;             // 256 bytes, of which some are polled
  static constexpr uint32_t kNotes = 0x5000;             // counted up whenever the loop ends; and when that was
  static constexpr int kClockLow = 44, kClockHigh = 48;  // of the bus

  explicit PollingLoop(uint32_t seed, bool looks_at_clock = true) : random_(seed), looks_at_clock_(looks_at_clock) {
    using namespace isa::reg;
    const isa::Label begin = a_.label();
    a_.j(begin);
    for (int i = pick(3); i > 0; --i) function();
    a_.bind(begin);
    a_.li(sp, static_cast<int32_t>(arch::kLdmBase + 0x800));
    a_.li(s1, static_cast<int32_t>(kWords));
    a_.li(s2, static_cast<int32_t>(LoneHart::kRegisters));
    a_.li(s3, 0);
    a_.lw(s4, s2, kClockLow);
    const isa::Label loop = a_.here();
    const isa::Label done = a_.label();
    if (looks_at_clock_ && chance(2)) time_out(done);
    for (int i = 1 + pick(6); i > 0; --i) piece(loop, 0);
    load(a0);
    a_.bne(a0, s3, done);
    if (chance(2)) piece(loop, 0);
    a_.j(loop);
    a_.bind(done);
    a_.mv(s3, a0);
    a_.li(t0, static_cast<int32_t>(kNotes));
    a_.lw(t1, t0);
    a_.addi(t1, t1, 1);
    a_.sw(t1, t0);
    a_.lw(s4, s2, kClockLow);
    a_.sw(s4, t0, 4);
    a_.j(loop);
    for (const isa::Label& later : later_) {
      a_.bind(later);
      function_body(2);
    }
    code_ = a_.finish(kCode).bytes;
  }

  void load(LoneHart& lone, emu::Cycle now) const {
    lone.l1.write(kCode, code_);
    lone.time = now;
    lone.hart.release_reset(kCode, now, false);
  }
  uint32_t code_bytes() const { return static_cast<uint32_t>(code_.size()); }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int of) { return pick(of) == 0; }
  isa::Reg temporary() {
    using namespace isa::reg;
    const isa::Reg all[] = {t0, t1, t2, a0, a1, a2};
    return all[pick(6)];
  }

  void load(isa::Reg to) {
    using namespace isa::reg;
    if (chance(3)) return a_.lw(to, s2, 4 * pick(8));
    if (chance(5)) return a_.lbu(to, s1, pick(256));
    a_.lw(to, s1, 4 * pick(64));
  }

  void piece(isa::Label loop, int depth) {
    using namespace isa::reg;
    switch (pick(depth < 2 ? 10 : 4)) {
      case 0: return load(temporary());
      case 1: return a_.fence();
      case 2: return a_.addi(temporary(), zero, pick(100));
      case 3: {
        const isa::Reg r = temporary();
        return load(r), a_.andi(r, r, pick(256));
      }
      case 4: {  // if
        const isa::Label skip = a_.label();
        load(t1);
        chance(2) ? a_.beqz(t1, skip) : a_.bnez(t1, skip);
        for (int i = 1 + pick(3); i > 0; --i) piece(loop, depth + 1);
        return a_.bind(skip);
      }
      case 5: {  // continue
        if (depth != 0) return load(t1);
        load(t1);
        return chance(2) ? a_.beqz(t1, loop) : a_.bnez(t1, loop);
      }
      case 6: return looks_at_clock_ ? look_at_clock() : a_.fence();
      case 7: {  // for
        a_.li(t2, 1 + pick(4));
        const isa::Label top = a_.here();
        load(a1);
        if (chance(2)) load(t1);
        a_.addi(t2, t2, -1);
        return a_.bnez(t2, top);
      }
      default: {
        if (functions_.empty() || chance(2)) {
          later_.push_back(a_.label());
          return a_.jal(ra, later_.back());
        }
        return a_.jal(ra, functions_[static_cast<size_t>(pick(static_cast<int>(functions_.size())))]);
      }
    }
  }

  // Leaves the loop when enough time has passed, in one of the ways in which that is said.
  void time_out(isa::Label done) {
    using namespace isa::reg;
    const int cycles = 1 << pick(16);
    a_.lw(a1, s2, kClockLow);
    if (chance(3)) {  // by way of the stack
      a_.sw(a1, sp, -4);
      if (chance(2)) load(a1);
      a_.lw(a1, sp, -4);
    }
    switch (pick(5)) {
      case 0:  // now - start >= cycles
        a_.sub(a1, a1, s4);
        a_.li(a2, cycles);
        return a_.bgeu(a1, a2, done);
      case 1:  // now >= start + cycles, which goes wrong when the clock wraps
        a_.li(a2, cycles);
        a_.add(a2, a2, s4);
        return a_.bgeu(a1, a2, done);
      case 2:  // !(now - start < cycles)
        a_.sub(a1, a1, s4);
        a_.li(a2, cycles);
        a_.sltu(a1, a1, a2);
        return a_.beqz(a1, done);
      case 3:  // (start + cycles) - now <= 0
        a_.li(a2, cycles);
        a_.add(a2, a2, s4);
        a_.sub(a1, a2, a1);
        return a_.blez(a1, done);
      default:  // 64 bits
        a_.lw(t1, s2, kClockHigh);
        a_.li(a2, cycles);
        a_.add(a2, a2, s4);
        a_.sltu(t2, a2, s4);
        a_.bltu(t2, t1, done);
        return a_.bgtu(a1, a2, done);
    }
  }

  void look_at_clock() {
    using namespace isa::reg;
    a_.lw(t1, s2, chance(4) ? kClockHigh : kClockLow);
    switch (pick(4)) {
      case 0: return a_.srli(t1, t1, 8 + pick(10));
      case 1: return a_.andi(t1, t1, -1 << (6 + pick(6)));
      case 2: return a_.sw(t1, sp, -8);
      default: return;
    }
  }

  void function() {
    const isa::Label label = a_.here();
    function_body(static_cast<int>(functions_.size()));
    functions_.push_back(label);
  }

  // Calls one of the first `callees` functions, if it calls.
  void function_body(int callees) {
    using namespace isa::reg;
    a_.addi(sp, sp, -16);
    a_.sw(ra, sp, 12);
    a_.sw(s3, sp, 8);
    load(a0);
    if (chance(2)) a_.fence();
    callees = std::min(callees, static_cast<int>(functions_.size()));
    if (callees > 0 && chance(2)) a_.jal(ra, functions_[static_cast<size_t>(pick(callees))]);
    a_.lw(s3, sp, 8);
    a_.lw(ra, sp, 12);
    a_.addi(sp, sp, 16);
    a_.ret();
  }

  std::minstd_rand random_;
  const bool looks_at_clock_;
  isa::Assembler a_;
  std::vector<isa::Label> functions_;
  std::vector<isa::Label> later_;
  std::vector<uint8_t> code_;
};

}  // namespace kerr::polling
