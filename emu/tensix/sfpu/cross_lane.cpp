// Moves between lanes and between registers.   docs/hardware/tensix-math.md 10.7, 10.8
#include <fmt/format.h>

#include <utility>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr unsigned kColumns = 8;  // lanes of a row
constexpr std::uint32_t kEnableDestIndex = 1u << 2, kExchangeSrcBSrcC = 1u << 8;

// Lanes in which VD gets the smaller value, by instr_mod1 of SFPSWAP; none from 9 on.
constexpr std::uint32_t kSmallerInVd[] = {0,          0xFFFFFFFF, 0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                          0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000};

}  // namespace

// LRegs 0..3 and 4..7: a 4 x 4 transposition over register and lane row, in each column. A half of an exchange
// happens if its destination lane is enabled.
Issue Sfpu::exec(int, const SFPTRANSP& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  const std::array<LReg, kLRegs> old = lregs_;
  for (unsigned base = 0; base < kGeneral; base += 4) {
    for (unsigned r = 0; r < 4; ++r) {
      for_each_enabled([&](unsigned lane) {
        const unsigned row = lane / kColumns;
        lregs_[base + r][lane] = old[base + row][r * kColumns + lane % kColumns];
      });
    }
  }
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPSWAP& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  const bool with_index = lane_config_ & kEnableDestIndex;
  const unsigned writable = with_index ? 4 : kGeneral;
  LReg &d = lregs_[i.lreg_dest], &c = lregs_[i.lreg_src_c];
  LReg &d_index = lregs_[4 + (i.lreg_dest & 3)], &c_index = lregs_[4 + (i.lreg_src_c & 3)];
  const std::uint32_t smaller_in_vd = i.instr_mod1 < std::size(kSmallerInVd) ? kSmallerInVd[i.instr_mod1] : 0;
  for_each_enabled([&](unsigned lane) {
    bool swap = true;
    if (i.instr_mod1 != 0) {
      const bool c_smaller = sfpu_order(c[lane]) < sfpu_order(d[lane]);
      swap = smaller_in_vd >> lane & 1 ? c_smaller : !c_smaller;
      if (lane_config_ & kExchangeSrcBSrcC) swap = !swap;
    }
    if (!swap) return;
    const std::uint32_t old_d = d[lane], old_c = c[lane];
    if (i.lreg_dest < writable) d[lane] = old_c;
    if (i.lreg_src_c < writable) c[lane] = old_d;
    if (with_index) std::swap(d_index[lane], c_index[lane]);
  });
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPSHFT2& i) {
  enum : unsigned { kShiftRegisters, kShiftRegistersAndRows, kShiftRegistersAndRotate, kRotate, kShift, kShiftBits };
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  const LReg source = lregs_[i.lreg_src_c], first = lregs_[0];
  const auto left_neighbour = [](unsigned lane) { return lane % kColumns == 0 ? lane + kColumns - 1 : lane - 1; };
  switch (i.instr_mod1) {
    case kShiftRegisters:
    case kShiftRegistersAndRows:
    case kShiftRegistersAndRotate:
      for_each_enabled([&](unsigned lane) {
        for (unsigned r = 0; r < 3; ++r) lregs_[r][lane] = lregs_[r + 1][lane];
        lregs_[3][lane] = i.instr_mod1 == kShiftRegisters          ? 0
                          : i.instr_mod1 == kShiftRegistersAndRows ? (lane < 24 ? first[lane + kColumns] : 0)
                                                                   : source[left_neighbour(lane)];
      });
      return Issue::done();
    case kRotate: return compute(i, [&](unsigned lane) { return source[left_neighbour(lane)]; });
    case kShift: return compute(i, [&](unsigned lane) { return lane % kColumns == 0 ? 0 : source[lane - 1]; });
    case kShiftBits:
      return compute(i, [&](unsigned lane) {
        const std::uint32_t value = lregs_[i.imm12 & 15][lane];  // VB
        const auto amount = static_cast<std::int32_t>(source[lane]);
        return amount >= 0 ? value << (amount & 31) : value >> (static_cast<unsigned>(-std::int64_t{amount}) & 31);
      });
    default: return Issue::unsupported(fmt::format("SFPSHFT2 with instr_mod1 = {} is not modelled", i.instr_mod1));
  }
}

}  // namespace kerr::emu::tensix
