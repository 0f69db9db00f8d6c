// Integers, bits and the fields of floats, one cycle each.   docs/hardware/tensix-math.md 10.5
#include <fmt/format.h>

#include <bit>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr std::uint32_t kSign = 0x80000000, kExponent = 0x7F800000, kFraction = 0x7FFFFF;

std::uint32_t sign_extended(std::uint32_t imm12) { return imm12 & 0x800 ? imm12 | 0xFFFFF000 : imm12; }

std::uint32_t shifted(std::uint32_t value, std::int32_t amount, bool arithmetic) {
  if (amount >= 0) return value << (amount & 31);
  const unsigned right = static_cast<unsigned>(-static_cast<std::int64_t>(amount)) & 31;
  return arithmetic ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> right) : value >> right;
}

}  // namespace

Issue Sfpu::exec(int, const SFPIADD& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t b = lregs_[i.lreg_dest][lane], c = lregs_[i.lreg_c][lane];
    const std::uint32_t r = i.instr_mod1 & 1 ? c + sign_extended(i.imm12) : i.instr_mod1 & 2 ? c - b : c + b;
    if (i.lreg_dest < kGeneral) {
      if (!(i.instr_mod1 & 4)) set_flag(lane, r >> 31);
      if (i.instr_mod1 & 8) set_flag(lane, !(flags_ >> lane & 1));
    }
    return r;
  });
}

Issue Sfpu::exec(int, const SFPSHFT& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t b = lregs_[i.lreg_dest][lane], c = lregs_[i.lreg_c][lane];
    const bool immediate = i.instr_mod1 & 1, arithmetic = i.instr_mod1 & 2;
    const std::uint32_t amount = immediate ? sign_extended(i.imm12) : c;
    return shifted(immediate && (i.instr_mod1 & 4) ? c : b, static_cast<std::int32_t>(amount), arithmetic);
  });
}

// AND and OR take a second register at the immediate's place if Mod1[0] is set.
Issue Sfpu::exec(int, const SFPAND& i) {
  return compute(i, [&](unsigned lane) {
    return lregs_[i.instr_mod1 & 1 ? i.imm12 : i.lreg_dest][lane] & lregs_[i.lreg_c][lane];
  });
}
Issue Sfpu::exec(int, const SFPOR& i) {
  return compute(i, [&](unsigned lane) {
    return lregs_[i.instr_mod1 & 1 ? i.imm12 : i.lreg_dest][lane] | lregs_[i.lreg_c][lane];
  });
}
Issue Sfpu::exec(int, const SFPXOR& i) {
  return compute(i, [&](unsigned lane) { return lregs_[i.lreg_dest][lane] ^ lregs_[i.lreg_c][lane]; });
}
Issue Sfpu::exec(int, const SFPNOT& i) {
  return compute(i, [&](unsigned lane) { return ~lregs_[i.lreg_c][lane]; });
}

Issue Sfpu::exec(int, const SFPLZ& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t c = lregs_[i.lreg_c][lane] & (i.instr_mod1 & 4 ? ~kSign : ~0u);
    if (i.lreg_dest < kGeneral) {
      if (i.instr_mod1 & 2) set_flag(lane, c != 0);
      if (i.instr_mod1 & 8) set_flag(lane, !(flags_ >> lane & 1));
    }
    return static_cast<std::uint32_t>(std::countl_zero(c));
  });
}

Issue Sfpu::exec(int, const SFPABS& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t c = lregs_[i.lreg_c][lane];
    if (!(i.instr_mod1 & 1)) return c >> 31 ? 0 - c : c;
    return c > (kSign | kExponent) ? c : c & ~kSign;  // negative NaNs stay
  });
}

Issue Sfpu::exec(int, const SFPMOV& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  if (Issue refused = check_writable(i.lreg_dest); !refused.is_done()) return refused;
  if (i.lreg_dest >= kGeneral) return Issue::done();
  const auto source = [&](unsigned lane) -> std::uint32_t {
    if (!(i.instr_mod1 & 8)) return lregs_[i.lreg_c][lane] ^ (i.instr_mod1 & 1 ? kSign : 0);
    if (i.lreg_c < 4) return templates_[i.lreg_c];
    if (i.lreg_c < 8) return sequences_[i.lreg_c - 4];
    if (i.lreg_c == 8) return misc_;
    if (i.lreg_c == 9) return next_random(lane);
    return i.lreg_c == 15 ? lane_config_ : 0;
  };
  constexpr unsigned kAllLanes = 2;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (i.instr_mod1 == kAllLanes || is_enabled(lane)) lregs_[i.lreg_dest][lane] = source(lane);
  }
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPEXEXP& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t r = (lregs_[i.lreg_c][lane] >> 23 & 0xFF) - (i.instr_mod1 & 1 ? 0 : 127);
    if (i.lreg_dest < kGeneral) {
      if (i.instr_mod1 & 2) set_flag(lane, r >> 31);
      if (i.instr_mod1 & 8) set_flag(lane, !(flags_ >> lane & 1));
    }
    return r;
  });
}
Issue Sfpu::exec(int, const SFPEXMAN& i) {
  return compute(
      i, [&](unsigned lane) { return (lregs_[i.lreg_c][lane] & kFraction) | (i.instr_mod1 & 1 ? 0 : 1u << 23); });
}

Issue Sfpu::exec(int, const SFPSETEXP& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t b = lregs_[i.lreg_dest][lane], c = lregs_[i.lreg_c][lane];
    const std::uint32_t e = i.instr_mod1 & 1 ? i.imm12 & 0xFF : i.instr_mod1 & 2 ? b >> 23 & 0xFF : b & 0xFF;
    return (c & ~kExponent) | e << 23;
  });
}
Issue Sfpu::exec(int, const SFPSETMAN& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t b = lregs_[i.lreg_dest][lane], c = lregs_[i.lreg_c][lane];
    return (c & ~kFraction) | (i.instr_mod1 & 1 ? i.imm12 << 11 : b & kFraction);
  });
}
Issue Sfpu::exec(int, const SFPSETSGN& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t b = lregs_[i.lreg_dest][lane], c = lregs_[i.lreg_c][lane];
    return (c & ~kSign) | (i.instr_mod1 & 1 ? i.imm12 << 31 : b & kSign);
  });
}
Issue Sfpu::exec(int, const SFPDIVP2& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t c = lregs_[i.lreg_c][lane], e = c >> 23 & 0xFF;
    const std::uint32_t added = e == 255 ? e : (e + i.imm12) & 0xFF;
    return (c & ~kExponent) | (i.instr_mod1 & 1 ? added : i.imm12 & 0xFF) << 23;
  });
}

// VD against VC in the total order. The result can go to the flags, to VD, and into the top of the flag stack.
Issue Sfpu::order_compare(unsigned vd, unsigned vc, unsigned modifier, std::uint32_t word, bool greater) {
  if (vd >= kFirstTemplate) return store_template(vd, word);
  if (modifier & 8) {
    if (Issue refused = check_writable(vd); !refused.is_done()) return refused;
  }
  std::uint32_t result = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::int32_t b = sfpu_order(lregs_[vd][lane]), c = sfpu_order(lregs_[vc][lane]);
    result |= std::uint32_t{greater ? b > c : b <= c} << lane;
  }
  const std::uint32_t lanes = enabled();
  if ((modifier & 8) && vd < kGeneral) {
    for_each_enabled([&](unsigned lane) { lregs_[vd][lane] = result >> lane & 1 ? ~0u : 0; });
  }
  if (modifier & 1) flags_ = (flags_ & ~lanes) | (result & lanes);
  if ((modifier & 2) && stack_size_ != 0) {
    std::uint32_t& top = stack_[stack_size_ - 1].flags;
    top = modifier & 4 ? top | result : top & result;
  }
  return Issue::done();
}
Issue Sfpu::exec(int, const SFPLE& i) { return order_compare(i.lreg_dest, i.lreg_c, i.instr_mod1, i.encode(), false); }
Issue Sfpu::exec(int, const SFPGT& i) { return order_compare(i.lreg_dest, i.lreg_c, i.instr_mod1, i.encode(), true); }

}  // namespace kerr::emu::tensix
