#include "loops/scalar/memory.hpp"

#include <bit>

#include "arch/noc_registers.hpp"
#include "isa/riscv/registers.hpp"
#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {

using namespace isa::reg;
namespace niu = arch::niu;

namespace {

constexpr int32_t kReads = niu::kCommandBufferStride, kWrites = 0;  // command buffers 1 and 0
constexpr int32_t kReadCounter = niu::counter_offset(niu::kMstRdRespReceived);
constexpr int32_t kWriteCounter = niu::counter_offset(niu::kMstWrAckReceived);
constexpr int32_t saved(int32_t word) { return Work::Saved + 4 * word; }

constexpr isa::Reg kKept[] = {ra, tp, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11};
constexpr int32_t kKeptBytes = 64;

}  // namespace

MemoryRoutines::MemoryRoutines(isa::Assembler& assembler, uint32_t dram_banks, const Windows& windows)
    : a_(assembler), dram_banks_(dram_banks), windows_(windows), read_(assembler.label("loops.read")) {
  static constexpr const char* kNames[kMemoryRoutines] = {
      "loops.fill",           "loops.fill_folded", "loops.fill_in_order", "loops.fetch_kept", "loops.fetch",
      "loops.fetch_in_order", "loops.place",       "loops.preload",       "loops.flush"};
  for (size_t i = 0; i < kMemoryRoutines; ++i) labels_[i] = a_.label(kNames[i]);
}

isa::Label MemoryRoutines::of(MemoryRoutine routine) {
  used_[static_cast<size_t>(routine)] = true;
  return labels_[static_cast<size_t>(routine)];
}

void MemoryRoutines::enter(uint32_t slots) {
  isa::Assembler& a = a_;
  a.addi(sp, sp, -kKeptBytes);
  int32_t at = 0;
  for (isa::Reg reg : kKept) a.sw(reg, sp, 4 * at++);
  a.sw(gp, sp, 4 * at);
  a.lw(gp, a1, 4 * Arguments::WorkArea);
  a.sw(sp, gp, Work::Stack);
  a.sw(a1, gp, Work::Arguments);
  a.lw(t0, a0);
  a.sw(t0, gp, Work::Hart);
  a.lw(t0, a1, 4 * Arguments::BankTable);
  a.sw(t0, gp, Work::BankTable);
  a.lw(t1, a1, 4 * Arguments::CommandBuffers);
  a.sw(t1, gp, Work::CommandBuffers);
  a.lw(t0, t1, kReadCounter);
  a.sw(t0, gp, Work::ReadsExpected);
  a.lw(t0, t1, kWriteCounter);
  a.sw(t0, gp, Work::WritesExpected);
  a.li(t0, kLineBytes);
  a.sw(zero, t1, kWrites + niu::kTargAddrMid);
  a.sw(zero, t1, kWrites + niu::kRetAddrMid);
  a.li(t2, niu::kCtrlWordWrite);
  a.sw(t2, t1, kWrites + niu::kCtrl);
  a.li(t2, kReads);
  a.add(t1, t1, t2);
  a.sw(zero, t1, niu::kTargAddrMid);
  a.sw(zero, t1, niu::kRetAddrMid);
  a.sw(t0, t1, niu::kAtLenBe);
  a.li(t2, niu::kCtrlWordRead);
  a.sw(t2, t1, niu::kCtrl);
  if (slots != 0) {
    const int32_t bytes = static_cast<int32_t>((4 * slots + 15) & ~15u);
    a.li(t0, -bytes);
    a.add(sp, sp, t0);
    a.li(t0, 2048);
    a.add(fp, sp, t0);
  }
}

void MemoryRoutines::leave() {
  isa::Assembler& a = a_;
  drain();
  a.lw(sp, gp, Work::Stack);
  int32_t at = 0;
  for (isa::Reg reg : kKept) a.lw(reg, sp, 4 * at++);
  a.lw(gp, sp, 4 * at);
  a.addi(sp, sp, kKeptBytes);
  a.ret();
}

// Waits for the acknowledgements of all writes. Changes t5 and t6.
void MemoryRoutines::drain() {
  a_.lw(t6, gp, Work::CommandBuffers);
  a_.lw(t5, gp, Work::WritesExpected);
  const isa::Label top = a_.here();
  a_.lw(t2, t6, kWriteCounter);
  a_.bne(t2, t5, top);
}

// Page p of a buffer lies in bank p mod D at base + (p / D) * 4096.                              docs/hardware/noc.md
// 7.2
void MemoryRoutines::address_in_bank(isa::Reg offset, isa::Reg address, isa::Reg coordinate, isa::Reg spare) {
  isa::Assembler& a = a_;
  a.srli(address, offset, kPageShift);
  a.li(spare, dram_banks_);
  a.remu(coordinate, address, spare);
  a.divu(address, address, spare);
  a.lw(spare, gp, Work::BankTable);
  a.sh1add(coordinate, coordinate, spare);
  a.lhu(coordinate, coordinate);
  a.slli(address, address, kPageShift);
  a.lw(spare, t1, ObjectWords::Base);
  a.add(address, address, spare);
  a.slli(spare, offset, 32 - kPageShift);
  a.srli(spare, spare, 32 - kPageShift);
  a.add(address, address, spare);
}

// What begins at offset t0, a line or a page, to t2. Changes a0, a1, t5, t6.
void MemoryRoutines::issue_read() {
  isa::Assembler& a = a_;
  address_in_bank(t0, t5, t6, a0);
  a.lw(a1, gp, Work::CommandBuffers);
  a.li(a0, kReads);
  a.add(a1, a1, a0);
  const isa::Label busy = a.here();
  a.lw(a0, a1, niu::kCmdCtrl);
  a.bnez(a0, busy);
  a.sw(t2, a1, niu::kRetAddrLo);
  a.sw(t5, a1, niu::kTargAddrLo);
  a.sw(t6, a1, niu::kTargAddrHi);
  a.li(a0, niu::kCmdCtrlIssue);
  a.sw(a0, a1, niu::kCmdCtrl);
  a.lw(a0, gp, Work::ReadsExpected);
  a.addi(a0, a0, 1);
  a.sw(a0, gp, Work::ReadsExpected);
}

// Until as many reads as a0 says have come back. Changes a1 and t5.
void MemoryRoutines::wait_for_read() {
  a_.lw(a1, gp, Work::CommandBuffers);
  const isa::Label wait = a_.here();
  a_.lw(t5, a1, kReadCounter);
  a_.bne(t5, a0, wait);
  a_.fence();
}

void MemoryRoutines::emit_read() {
  isa::Assembler& a = a_;
  a.bind(read_);
  a.mark_function(read_);
  a.sw(a0, gp, saved(0));
  a.sw(a1, gp, saved(1));
  a.sw(t0, gp, saved(2));
  a.srli(t0, t0, kLineShift);
  a.slli(t0, t0, kLineShift);
  issue_read();
  wait_for_read();
  a.lw(t0, gp, saved(2));
  a.lw(a1, gp, saved(1));
  a.lw(a0, gp, saved(0));
  a.ret();
}

// One write is under way at a time, so that writes arrive in the order of the stores.
void MemoryRoutines::emit_flush() {
  isa::Assembler& a = a_;
  const isa::Label nothing = a.label();
  a.lw(t5, t1, ObjectWords::DirtyLow);
  a.lw(t6, t1, ObjectWords::DirtyHigh);
  a.beq(t5, t6, nothing);
  a.sw(a0, gp, saved(3));
  a.sw(a1, gp, saved(4));
  a.lw(a1, gp, Work::CommandBuffers);
  a.lw(a0, gp, Work::WritesExpected);
  const isa::Label wait = a.here();
  a.lw(t2, a1, kWriteCounter);
  a.bne(t2, a0, wait);
  a.addi(a0, a0, 1);
  a.sw(a0, gp, Work::WritesExpected);
  a.sub(t2, t6, t5);
  a.sw(t2, a1, niu::kAtLenBe);
  a.lw(a0, t1, ObjectWords::WriteLine);
  // Stores have left the queue behind a fence, and L1 has them when a load behind them has come back: then they are
  // sent.
  a.fence();
  a.addi(t6, t6, -1);  //                                                                     docs/hardware/tile.md 1.8
  a.andi(t6, t6, kLineBytes - 1);
  a.add(t6, t6, a0);
  a.lbu(t6, t6);
  a.and_(t6, t6, zero);
  a.add(a0, a0, t6);
  a.andi(t2, t5, kLineBytes - 1);
  a.add(t2, t2, a0);
  a.sw(t2, a1, niu::kTargAddrLo);
  a.xori(a0, a0, kLineBytes);
  a.sw(a0, t1, ObjectWords::WriteLine);
  address_in_bank(t5, t2, t6, a0);
  a.sw(t2, a1, niu::kRetAddrLo);
  a.sw(t6, a1, niu::kRetAddrHi);
  a.li(a0, niu::kCmdCtrlIssue);
  a.sw(a0, a1, niu::kCmdCtrl);
  a.sw(zero, t1, ObjectWords::DirtyLow);
  a.sw(zero, t1, ObjectWords::DirtyHigh);
  a.lw(a1, gp, saved(4));
  a.lw(a0, gp, saved(3));
  a.bind(nothing);
  a.ret();
}

void MemoryRoutines::emit_fill(bool in_order) {
  isa::Assembler& a = a_;
  a.sw(ra, gp, saved(5));
  if (in_order) {
    a.call(of(MemoryRoutine::Flush));
    drain();
  }
  a.srli(t5, t0, kLineShift);
  a.lw(t6, t1, ObjectWords::LastSet);
  a.and_(t5, t5, t6);
  a.lw(t6, t1, ObjectWords::Tags);
  a.sh3add(t6, t5, t6);
  a.sw(t6, gp, saved(6));
  a.lw(t2, t1, ObjectWords::Lines);
  a.slli(t5, t5, kLineShift);
  a.add(t2, t2, t5);
  a.call(read_);
  a.lw(t6, gp, saved(6));
  a.srli(t5, t0, kLineShift);
  a.sw(t5, t6, 0);
  a.slli(t5, t5, kLineShift);
  a.sub(t5, t2, t5);
  a.sw(t5, t6, 4);
  a.lw(ra, gp, saved(5));
  a.ret();
}

void MemoryRoutines::emit_fill_folded() {
  isa::Assembler& a = a_;
  a.sw(a0, gp, saved(0));
  a.sw(a1, gp, saved(1));
  a.sw(t0, gp, saved(2));
  a.sw(t2, gp, saved(6));
  a.lw(t5, t1, ObjectWords::Tags);
  a.sub(t5, t2, t5);
  a.srli(t5, t5, 3);
  a.lw(t6, t1, ObjectWords::LineShift);
  a.sll(t5, t5, t6);
  a.lw(t2, t1, ObjectWords::Lines);
  a.add(t2, t2, t5);
  a.srl(t0, t0, t6);
  a.sll(t0, t0, t6);
  a.lw(a1, gp, Work::CommandBuffers);
  a.li(a0, kReads);
  a.add(a1, a1, a0);
  a.li(a0, 1);
  a.sll(a0, a0, t6);
  a.sw(a0, a1, niu::kAtLenBe);
  issue_read();
  wait_for_read();
  set_read_bytes(kLineBytes);
  a.sub(t5, t2, t0);
  a.lw(t2, gp, saved(6));
  a.sw(t5, t2, 4);
  a.lw(t6, t1, ObjectWords::LineShift);
  a.srl(t5, t0, t6);
  a.sw(t5, t2, 0);
  a.lw(t0, gp, saved(2));
  a.lw(a1, gp, saved(1));
  a.lw(a0, gp, saved(0));
  a.ret();
}

void MemoryRoutines::emit_fetch_kept() {
  isa::Assembler& a = a_;
  const isa::Label kept = a.label();
  a.sw(ra, gp, saved(5));
  a.srli(t5, t0, kLineShift);
  // Lines that are a power of two apart have different places.
  a.srli(t6, t5, std::countr_zero(windows_.lines_of_each));
  a.xor_(t6, t6, t5);
  a.andi(t6, t6, static_cast<int32_t>(windows_.lines_of_each) - 1);
  a.slli(t6, t6, kLineShift);
  a.add(t2, t2, t6);
  a.li(t6, static_cast<int32_t>(windows_.lines));
  a.add(t6, t6, gp);
  a.sub(t6, t2, t6);
  a.srli(t6, t6, kLineShift - 2);
  a.li(ra, static_cast<int32_t>(windows_.tags));
  a.add(t6, t6, ra);
  a.add(t6, t6, gp);
  a.lw(ra, t6);
  a.beq(ra, t5, kept);
  a.sw(t5, t6);
  a.call(read_);
  a.bind(kept);
  a.andi(t5, t0, kLineBytes - 1);
  a.add(t2, t2, t5);
  a.lw(ra, gp, saved(5));
  a.ret();
}

void MemoryRoutines::emit_fetch(bool in_order) {
  isa::Assembler& a = a_;
  a.sw(ra, gp, saved(5));
  if (in_order) {
    a.sw(t2, gp, saved(6));
    a.call(of(MemoryRoutine::Flush));
    drain();
    a.lw(t2, gp, saved(6));
  }
  a.call(read_);
  a.andi(t5, t0, kLineBytes - 1);
  a.add(t2, t2, t5);
  a.lw(ra, gp, saved(5));
  a.ret();
}

// Into the interval that waits, or behind it; else that is sent first.
void MemoryRoutines::emit_place() {
  isa::Assembler& a = a_;
  const isa::Label other = a.label(), placed = a.label();
  a.sw(a0, gp, saved(7));
  a.lw(t5, t1, ObjectWords::DirtyLow);
  a.lw(t6, t1, ObjectWords::DirtyHigh);
  a.add(a0, t0, t2);
  a.bltu(t0, t5, other);
  a.bltu(t6, t0, other);
  a.xor_(t2, t0, t5);
  a.srli(t2, t2, kLineShift);
  a.bnez(t2, other);
  a.bgeu(t6, a0, placed);
  a.sw(a0, t1, ObjectWords::DirtyHigh);
  a.bind(placed);
  a.lw(t2, t1, ObjectWords::WriteLine);
  a.andi(t6, t0, kLineBytes - 1);
  a.add(t2, t2, t6);
  a.lw(a0, gp, saved(7));
  a.ret();
  a.bind(other);
  a.sw(ra, gp, saved(8));
  a.call(of(MemoryRoutine::Flush));
  a.lw(ra, gp, saved(8));
  a.sw(t0, t1, ObjectWords::DirtyLow);
  a.sw(a0, t1, ObjectWords::DirtyHigh);
  a.j(placed);
}

// No read is under way. Changes a0 and a1.
void MemoryRoutines::set_read_bytes(uint32_t bytes) {
  a_.lw(a1, gp, Work::CommandBuffers);
  a_.li(a0, kReads);
  a_.add(a1, a1, a0);
  a_.li(a0, bytes);
  a_.sw(a0, a1, niu::kAtLenBe);
}

void MemoryRoutines::emit_preload() {
  isa::Assembler& a = a_;
  a.sw(a0, gp, saved(0));
  a.sw(a1, gp, saved(1));
  a.sw(a2, gp, saved(2));
  a.mv(a2, t2);
  set_read_bytes(1u << kPageShift);
  a.srli(t0, t0, kPageShift);
  a.slli(t0, t0, kPageShift);
  a.lw(t2, t1, ObjectWords::Lines);
  const isa::Label top = a.here();
  issue_read();
  a.li(a1, 1u << kPageShift);
  a.add(t0, t0, a1);
  a.add(t2, t2, a1);
  a.addi(a2, a2, -1);
  a.bnez(a2, top);
  wait_for_read();
  set_read_bytes(kLineBytes);
  a.lw(a2, gp, saved(2));
  a.lw(a1, gp, saved(1));
  a.lw(a0, gp, saved(0));
  a.ret();
}

void MemoryRoutines::emit() {
  // What others call comes after them.
  const auto routine = [&](MemoryRoutine which, auto&& body) {
    if (!used_[static_cast<size_t>(which)]) return;
    const isa::Label label = labels_[static_cast<size_t>(which)];
    a_.bind(label);
    a_.mark_function(label);
    body();
  };
  routine(MemoryRoutine::Fill, [&] { emit_fill(false); });
  routine(MemoryRoutine::FillFolded, [&] { emit_fill_folded(); });
  routine(MemoryRoutine::FillInOrder, [&] { emit_fill(true); });
  routine(MemoryRoutine::FetchKept, [&] { emit_fetch_kept(); });
  routine(MemoryRoutine::Fetch, [&] { emit_fetch(false); });
  routine(MemoryRoutine::FetchInOrder, [&] { emit_fetch(true); });
  routine(MemoryRoutine::Place, [&] { emit_place(); });
  routine(MemoryRoutine::Preload, [&] { emit_preload(); });
  routine(MemoryRoutine::Flush, [&] { emit_flush(); });
  emit_read();
}

}  // namespace kerr::loops::scalar
