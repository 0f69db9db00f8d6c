#include "kernels/elementwise/flat_repeat.hpp"

#include <bit>

#include "arch/noc_registers.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;

namespace {

// The operand's next element, and how often it has been written. The page's elements that are missing, and where the
// next one goes. Elements that are moved at once, and where they are.
constexpr isa::Reg kIndex = a5, kUsed = a7, kMissing = a6, kTo = s8, kCount = s10, kFrom = s9;
constexpr isa::Reg kColumn = kUsed;  // of rows: in the padded row
constexpr uint32_t kUnrolled = 8;

// `one(i)` moves element i from where the pointers stand; kCount elements in all.
template <class One, class Advance>
void move(Stream& a, One&& one, Advance&& advance) {
  const isa::Label many = a.here();
  const isa::Label few = a.label(), end = a.label();
  a.li(t3, kUnrolled);
  a.bltu(kCount, t3, few);
  for (uint32_t i = 0; i < kUnrolled; ++i) one(i);
  advance(kUnrolled);
  a.addi(kCount, kCount, -static_cast<int32_t>(kUnrolled));
  a.j(many);
  a.bind(few);
  a.beqz(kCount, end);
  const isa::Label next = a.here();
  one(0);
  advance(1);
  a.addi(kCount, kCount, -1);
  a.bnez(kCount, next);
  a.bind(end);
}

}  // namespace

isa::Reg RepeatedOperand::cached() const { return isa::Reg{static_cast<uint8_t>(s4.number + number)}; }

void RepeatedOperand::open(Stream& a) const { a.li(cached(), -1); }

// The element's page comes to L1 unless it is there; kFrom becomes the element's address.
void RepeatedOperand::bring(Stream& a, const DramTiles& dram, isa::Reg base) const {
  const isa::Label there = a.label();
  a.slli(kFrom, kIndex, std::countr_zero(element_bytes));
  a.add(kFrom, kFrom, kOffset);
  a.srli(t0, kFrom, std::countr_zero(kFlatPageBytes));
  a.beq(t0, cached(), there);
  a.mv(cached(), t0);
  a.li(kCount, page);
  dram.read(a, 1, base, kCount);
  dram.read_barrier(a);
  a.bind(there);
  constexpr int kPageBits = std::countr_zero(kFlatPageBytes);
  a.slli(kFrom, kFrom, 32 - kPageBits);
  a.srli(kFrom, kFrom, 32 - kPageBits);
}

// The element behind the operand's last one is its first.
void RepeatedOperand::count(Stream& a) const {
  const isa::Label inside = a.label();
  a.li(t1, shape.period);
  a.bne(kIndex, t1, inside);
  a.li(kIndex, 0);
  a.bind(inside);
}

void RepeatedOperand::repeat(Stream& a) const {
  const bool wide = element_bytes == 4;
  a.li(t1, page);
  a.add(kFrom, kFrom, t1);
  wide ? a.lw(t0, kFrom) : a.lhu(t0, kFrom);
  a.li(t1, shape.run);
  a.sub(kCount, t1, kUsed);
  a.minu(kCount, kCount, kMissing);
  a.sub(kMissing, kMissing, kCount);
  a.add(kUsed, kUsed, kCount);
  move(
      a,
      [&](uint32_t i) {
        const auto at = static_cast<int32_t>(i * element_bytes);
        wide ? a.sw(t0, kTo, at) : a.sh(t0, kTo, at);
      },
      [&](uint32_t n) { a.addi(kTo, kTo, static_cast<int32_t>(n * element_bytes)); });
  const isa::Label same = a.label();
  a.li(t1, shape.run);
  a.bne(kUsed, t1, same);
  a.li(kUsed, 0);
  a.addi(kIndex, kIndex, 1);
  count(a);
  a.bind(same);
}

// Copies up to the end of the operand's page, of the operand, or of the result's page.
void RepeatedOperand::copy(Stream& a) const {
  a.li(t1, kFlatPageBytes);
  a.sub(t1, t1, kFrom);
  a.srli(kCount, t1, std::countr_zero(element_bytes));
  a.minu(kCount, kCount, kMissing);
  a.li(t1, shape.period);
  a.sub(t1, t1, kIndex);
  a.minu(kCount, kCount, t1);
  move_elements(a);
  count(a);
}

// kCount elements, from byte kFrom of the operand's page on.
void RepeatedOperand::move_elements(Stream& a) const {
  const bool wide = element_bytes == 4;
  a.sub(kMissing, kMissing, kCount);
  a.add(kIndex, kIndex, kCount);
  a.li(t1, page);
  a.add(kFrom, kFrom, t1);
  move(
      a,
      [&](uint32_t i) {
        const auto at = static_cast<int32_t>(i * element_bytes);
        const isa::Reg temp = i % 2 == 0 ? t0 : t1;
        wide ? a.lw(temp, kFrom, at) : a.lhu(temp, kFrom, at);
        wide ? a.sw(temp, kTo, at) : a.sh(temp, kTo, at);
      },
      [&](uint32_t n) {
        const auto bytes = static_cast<int32_t>(n * element_bytes);
        a.addi(kFrom, kFrom, bytes);
        a.addi(kTo, kTo, bytes);
      });
}

// Zeros from column kColumn to the end of the row, or of the result's page; behind the row comes the next one.
void RepeatedOperand::pad(Stream& a) const {
  const bool wide = element_bytes == 4;
  a.li(t1, shape.rows.padded);
  a.sub(kCount, t1, kColumn);
  a.minu(kCount, kCount, kMissing);
  a.sub(kMissing, kMissing, kCount);
  a.add(kColumn, kColumn, kCount);
  move(
      a,
      [&](uint32_t i) {
        const auto at = static_cast<int32_t>(i * element_bytes);
        wide ? a.sw(zero, kTo, at) : a.sh(zero, kTo, at);
      },
      [&](uint32_t n) { a.addi(kTo, kTo, static_cast<int32_t>(n * element_bytes)); });
  const isa::Label inside = a.label();
  a.li(t1, shape.rows.padded);
  a.bne(kColumn, t1, inside);
  a.li(kColumn, 0);
  a.li(t1, shape.rows.pitch - shape.rows.columns);
  a.add(kIndex, kIndex, t1);
  if (shape.rows.pitch != 0) {  // behind the last row the first one comes again
    a.li(t1, shape.period * shape.rows.pitch);
    a.bne(kIndex, t1, inside);
    a.li(kIndex, 0);
  }
  a.bind(inside);
}

void RepeatedOperand::fill_rows(Stream& a, const DramTiles& dram, isa::Reg base) const {
  a.closed([&] {
    const isa::Label next = a.here();
    const isa::Label behind = a.label(), end = a.label();
    a.li(t1, shape.rows.columns);
    a.bgeu(kColumn, t1, behind);
    bring(a, dram, base);
    a.li(t1, kFlatPageBytes);
    a.sub(t1, t1, kFrom);
    a.srli(kCount, t1, std::countr_zero(element_bytes));
    a.minu(kCount, kCount, kMissing);
    a.li(t1, shape.rows.columns);
    a.sub(t1, t1, kColumn);
    a.minu(kCount, kCount, t1);
    a.add(kColumn, kColumn, kCount);
    move_elements(a);
    a.bnez(kMissing, next);
    a.j(end);
    a.bind(behind);
    pad(a);
    a.bnez(kMissing, next);
    a.bind(end);
  });
}

// A read for each piece up to the end of the operand's page, of the operand, or of the result's page.
void RepeatedOperand::fill_by_lines(Stream& a, const DramTiles& dram, isa::Reg base) const {
  constexpr isa::Reg kBytes = kCount, kInPage = kUsed;
  constexpr int kPageBits = std::countr_zero(kFlatPageBytes);
  const int element_bits = std::countr_zero(element_bytes);
  const auto wait_for_command = [&] {
    const isa::Label busy = a.here();
    a.lw(t0, dram.command_buffer, arch::niu::kCmdCtrl);
    a.bnez(t0, busy);
  };
  a.slli(kIndex, kIndex, element_bits);
  a.slli(kMissing, kMissing, element_bits);
  a.closed([&] {
    const isa::Label next = a.here();
    a.add(kFrom, kIndex, kOffset);
    a.slli(kInPage, kFrom, 32 - kPageBits);
    a.srli(kInPage, kInPage, 32 - kPageBits);
    a.srli(t0, kFrom, kPageBits);
    a.add(kFrom, base, kInPage);
    a.sub(kInPage, dram.page, kInPage);
    a.minu(kBytes, kMissing, kInPage);
    a.li(t1, shape.period * element_bytes);
    a.sub(t1, t1, kIndex);
    a.minu(kBytes, kBytes, t1);
    a.mv(kInPage, t0);
    wait_for_command();
    a.sw(kBytes, dram.command_buffer, arch::niu::kAtLenBe);
    a.mv(t0, kInPage);
    dram.read(a, 1, kFrom, kTo);
    a.sub(kTo, kTo, dram.page);
    a.add(kTo, kTo, kBytes);
    a.sub(kMissing, kMissing, kBytes);
    a.add(kIndex, kIndex, kBytes);
    const isa::Label inside = a.label();
    a.li(t1, shape.period * element_bytes);
    a.bne(kIndex, t1, inside);
    a.li(kIndex, 0);
    a.bind(inside);
    a.bnez(kMissing, next);
    wait_for_command();
    a.sw(dram.page, dram.command_buffer, arch::niu::kAtLenBe);
  });
}

void RepeatedOperand::fill(Stream& a, const DramTiles& dram, isa::Reg result_page, isa::Reg base,
                           isa::Reg pointer) const {
  const uint32_t elements = kFlatPageBytes / element_bytes;
  a.comment("repeated operand");
  a.mv(kTo, pointer);
  a.li(kMissing, elements);
  a.mul(t0, result_page, kMissing);
  const bool rows = shape.rows.padded != 0;
  a.li(t1, rows ? shape.rows.padded : shape.run);
  a.remu(kUsed, t0, t1);
  a.divu(t0, t0, t1);
  a.li(t1, shape.period);
  a.remu(kIndex, t0, t1);
  if (rows) {  // in a row's padding the index is that behind its columns
    a.li(t1, shape.rows.pitch);
    a.mul(kIndex, kIndex, t1);
    a.li(t1, shape.rows.columns);
    a.minu(t1, t1, kColumn);
    a.add(kIndex, kIndex, t1);
  }
  if (shape.lines) {
    fill_by_lines(a, dram, base);
  } else if (rows) {
    fill_rows(a, dram, base);
  } else {
    a.closed([&] {
      const isa::Label next = a.here();
      bring(a, dram, base);
      shape.run == 1 ? copy(a) : repeat(a);
      a.bnez(kMissing, next);
    });
  }
  if (!shape.lines) {
    a.lw(t0, kTo, -4);  // the unpacker comes behind the last store
    a.fence();
  }
  a.li(t0, kFlatPageBytes);
  a.add(pointer, pointer, t0);
}

}  // namespace kerr::kernels::elementwise
