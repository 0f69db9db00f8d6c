// Atomics on L1. In each word MemHierSel is ignored: LLK and the ISA pages disagree on which value means L1, and there
// is nothing else that it could mean (tensix-datapath.md 14.4).
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "arch/bytes.hpp"
#include "emu/tensix/scalar/scalar_unit.hpp"

namespace kerr::emu::tensix {
namespace {

uint64_t quad_at(const Gpr& gpr, int thread, unsigned reg) { return uint64_t{gpr.read(thread, reg)} * 16; }

}  // namespace

// The comparison has failed: it is made again when the line of L1 changes. Until it succeeds the unit is busy, so the
// other threads' instructions for it wait too.
Issue ScalarUnit::retry(int thread, uint32_t address, const char* why) {
  l1_.attributes()[address / L1::kLineBytes] |= L1::kWatched;
  holds_.set_retrying(thread, address / L1::kLineBytes);
  return Issue::wait(wait::kL1, why);
}

// Adds a register to the low WrapVal + 1 bits of a word of L1; the register gets the old word.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATINCGET& i) {
  const uint64_t exact = quad_at(gpr_, thread, i.addr_reg) + i.sel32b * 4;
  if (!L1::contains(exact, 4)) return beyond_l1(exact, 4);
  const auto address = static_cast<uint32_t>(exact);
  const uint32_t mask = static_cast<uint32_t>((uint64_t{2} << i.wrap_val) - 1);
  const uint32_t old = l1_.load<uint32_t>(address);
  l1_.update(address, arch::as_uint8((old & ~mask) | ((old + gpr_.read(thread, i.in_out_reg)) & mask)));
  gpr_.write(thread, i.in_out_reg, old);
  return Issue::done();
}

// A FIFO has a read counter in its first word and a write counter in its second, WrapVal bits each. Odd words wait
// while it is full, even ones while it is empty; then the selected word gets 2^IncrVal added (or nothing) within its
// low WrapVal bits, and the register its old value.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATINCGETPTR& i) {
  const uint64_t exact = quad_at(gpr_, thread, i.addr_reg);
  if (!L1::contains(exact, 16)) return beyond_l1(exact, 16);
  const auto fifo = static_cast<uint32_t>(exact);
  l1_.will_read(fifo, 8);
  const uint32_t size = l1_.load<uint32_t>(fifo + 4) - l1_.load<uint32_t>(fifo);
  const uint32_t capacity = i.wrap_val != 0 ? 1u << (i.wrap_val - 1) : 0x8000;
  const bool pushes = i.sel32b & 1;
  if (pushes && size != 0 && size % capacity == 0) return retry(thread, fifo, "the FIFO in L1 is full");
  if (!pushes && size == 0) return retry(thread, fifo, "the FIFO in L1 is empty");

  const uint32_t address = fifo + 4 * i.sel32b;
  const uint32_t mask = (1u << i.wrap_val) - 1;
  const uint32_t old = l1_.load<uint32_t>(address);
  const uint32_t increment = i.no_incr ? 0 : 1u << i.incr_val;
  l1_.update(address, arch::as_uint8((old & ~mask) | ((old + increment) & mask)));
  gpr_.write(thread, i.result_reg, old);
  holds_.set_free();
  return Issue::done();
}

// Replaces the selected ones of eight 16-bit lanes. With SingleDataReg the other three registers count as zero.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATSWAP& i) {
  const uint64_t exact = quad_at(gpr_, thread, i.addr_reg);
  if (!L1::contains(exact, 16)) return beyond_l1(exact, 16);
  const auto address = static_cast<uint32_t>(exact);
  std::array<uint16_t, 8> lanes;
  std::memcpy(lanes.data(), l1_.data() + address, sizeof lanes);
  unsigned first = 8, end = 0;
  for (unsigned lane = 0; lane < 8; ++lane) {
    if (!(i.swap_mask >> lane & 1)) continue;
    const unsigned reg = (i.data_reg & ~3u) + lane / 2;
    const uint32_t data = i.single_data_reg && reg != i.data_reg ? 0 : gpr_.read(thread, reg);
    lanes[lane] = static_cast<uint16_t>(data >> lane % 2 * 16);
    first = std::min(first, lane);
    end = lane + 1;
  }
  if (first < end) l1_.update(address + 2 * first, arch::as_uint8(std::span(lanes).subspan(first, end - first)));
  return Issue::done();
}

// Waits until a word of L1 is the four-bit CmpVal, and makes it SwapVal.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATCAS& i) {
  const uint64_t exact = quad_at(gpr_, thread, i.addr_reg) + i.sel32b * 4;
  if (!L1::contains(exact, 4)) return beyond_l1(exact, 4);
  const auto address = static_cast<uint32_t>(exact);
  if (l1_.load<uint32_t>(address) != i.cmp_val) {
    l1_.will_read(address, 4);
    return retry(thread, address, "the word in L1 does not have the value that it compares with");
  }
  l1_.update(address, arch::as_uint8(uint32_t{i.swap_val}));
  holds_.set_free();
  return Issue::done();
}

}  // namespace kerr::emu::tensix
