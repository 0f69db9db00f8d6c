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

/// Polls words of L1 and registers of the bus until one of them differs from what it was, notes that in memory, and begins again.
/// In between, in any order: forward branches, `continue`, inner loops, fences, arithmetic, and calls of functions that lie before
/// or after the loop, call others and keep registers on a stack in local memory.
class PollingLoop {
 public:
  static constexpr std::uint32_t kCode = 0x1000;
  static constexpr std::uint32_t kWords = 0x4000;  // 256 bytes, of which some are polled
  static constexpr std::uint32_t kNotes = 0x5000;  // counted up whenever the loop ends

  explicit PollingLoop(std::uint32_t seed) : random_(seed) {
    using namespace isa::reg;
    const isa::Label begin = a_.label();
    a_.j(begin);
    for (int i = pick(3); i > 0; --i) function();
    a_.bind(begin);
    a_.li(sp, static_cast<std::int32_t>(Hart::kLocalBase + 0x800));
    a_.li(s1, static_cast<std::int32_t>(kWords));
    a_.li(s2, static_cast<std::int32_t>(LoneHart::kRegisters));
    a_.li(s3, 0);
    const isa::Label loop = a_.here();
    const isa::Label done = a_.label();
    for (int i = 1 + pick(6); i > 0; --i) piece(loop, 0);
    load(a0);
    a_.bne(a0, s3, done);
    if (chance(2)) piece(loop, 0);
    a_.j(loop);
    a_.bind(done);
    a_.mv(s3, a0);
    a_.li(t0, static_cast<std::int32_t>(kNotes));
    a_.lw(t1, t0);
    a_.addi(t1, t1, 1);
    a_.sw(t1, t0);
    a_.j(loop);
    for (const isa::Label& later : later_) {
      a_.bind(later);
      function_body(2);
    }
    code_ = a_.finish(kCode).bytes;
  }

  void load(LoneHart& lone) const {
    lone.l1.write(kCode, code_);
    lone.hart.release_reset(kCode, 0, false);
  }
  std::uint32_t code_bytes() const { return static_cast<std::uint32_t>(code_.size()); }

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
    switch (pick(depth < 2 ? 9 : 4)) {
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
      case 6: {  // for
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
        return a_.jal(ra, functions_[static_cast<std::size_t>(pick(static_cast<int>(functions_.size())))]);
      }
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
    if (callees > 0 && chance(2)) a_.jal(ra, functions_[static_cast<std::size_t>(pick(callees))]);
    a_.lw(s3, sp, 8);
    a_.lw(ra, sp, 12);
    a_.addi(sp, sp, 16);
    a_.ret();
  }

  std::minstd_rand random_;
  isa::Assembler a_;
  std::vector<isa::Label> functions_;
  std::vector<isa::Label> later_;
  std::vector<std::uint8_t> code_;
};

}  // namespace kerr::polling
