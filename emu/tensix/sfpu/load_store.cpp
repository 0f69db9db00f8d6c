// Between Dst and LRegs, with conversion.   docs/hardware/tensix-math.md 10.2
#include <fmt/format.h>

#include "emu/tensix/fpu/modifier.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using namespace isa::tensix;

namespace {

enum Mode : unsigned {
  kByFormat,
  kFp16,
  kBf16,
  kFp32,
  kInt32,
  kInt8,
  kUint16,
  kHi16,
  kInt16,
  kLo16,
  kInt32All,
  kZero,
  kInt32Sm,
  kInt8Comp,
  kLo16Only,
  kHi16Only
};

bool loads_32(unsigned mode) { return mode == kFp32 || mode == kInt32 || mode == kInt32Sm; }
bool stores_32(unsigned mode) { return loads_32(mode) || mode == kHi16 || mode == kLo16; }

constexpr unsigned kExponentRebias = 112;

std::uint32_t from_fp16(std::uint32_t v) {
  const std::uint32_t e = v >> 10 & 0x1F;
  return (v & 0x8000) << 16 | (e ? e + kExponentRebias : 0) << 23 | (v & 0x3FF) << 13;
}
std::uint32_t to_fp16(std::uint32_t v) {
  const std::uint32_t sign = v >> 16 & 0x8000;
  const int e = static_cast<int>(v >> 23 & 0xFF) - static_cast<int>(kExponentRebias);
  if (e <= 0) return sign;
  if (e > 31) return sign | 0x7FFF;
  return sign | static_cast<std::uint32_t>(e) << 10 | (v >> 13 & 0x3FF);
}
std::uint32_t without_denormals(std::uint32_t v) { return v & 0x7F800000 ? v : v & 0x80000000; }

// `raw`: the cell, or both halves of a 32-bit one. `old`: what the LReg holds.
std::uint32_t loaded(unsigned mode, std::uint32_t raw, std::uint32_t old) {
  const auto half = static_cast<std::uint16_t>(raw);
  switch (mode) {
    case kFp16: return from_fp16(math::decode_fp16(half));
    case kBf16: return std::uint32_t{math::decode_bf16(half)} << 16;
    case kFp32:
    case kInt32:
    case kInt32Sm: return math::decode_32(raw);
    case kInt8: return (raw & 0x8000) << 16 | (raw >> 5 & 0xFF);
    case kHi16: return raw << 16;
    case kInt16: return (raw & 0x8000) << 16 | (raw & 0x7FFF);
    case kZero: return 0;
    case kInt8Comp: return (raw & 0x8000) << 16 | (raw >> 5 & 0x3FF);
    case kLo16Only: return (old & 0xFFFF0000) | raw;
    case kHi16Only: return raw << 16 | (old & 0xFFFF);
    default: return raw;  // UINT16, LO16
  }
}

std::uint32_t stored(unsigned mode, std::uint32_t v) {
  switch (mode) {
    case kFp16: return math::encode_fp16(static_cast<std::uint16_t>(to_fp16(v)));
    case kBf16: return math::encode_bf16(static_cast<std::uint16_t>(without_denormals(v) >> 16));
    case kFp32: return math::encode_32(without_denormals(v));
    case kInt32:
    case kInt32Sm: return math::encode_32(v);
    case kInt8:
    case kInt8Comp: {
      const std::uint32_t cell = (v >> 16 & 0x8000) | 16 << 10 | (v & 0x3FF);
      return math::encode_fp16(static_cast<std::uint16_t>(cell));
    }
    case kHi16: return v;
    case kInt16: return (v >> 16 & 0x8000) | (v & 0x7FFF);
    case kLo16: return v << 16 | v >> 16;
    case kZero: return 0;
    case kHi16Only: return v >> 16;
    default: return v & 0xFFFF;  // UINT16, LO16_ONLY
  }
}

// A lane of a four-row access at `address`: bit 1 picks even or odd columns.
unsigned row_of(unsigned address, unsigned lane) { return (address & ~3u) + lane / 8; }
unsigned column_of(unsigned address, unsigned lane) { return 2 * (lane & 7) + (address >> 1 & 1); }

}  // namespace

unsigned Sfpu::resolve_mode(int thread, unsigned mode) const {
  if (mode != kByFormat) return mode;
  const ConfigBank& c = config_.seen_by(thread);
  if (c.flag(cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled)) return kFp32;
  const unsigned format = c.get(c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcB_override) ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val
                                                                               : cfg::ALU_FORMAT_SPEC_REG1_SrcB);
  const math::Style style = math::style_of(math::format_from_code(format));
  return style == math::Style::Fp16 || !math::is_named(math::format_from_code(format)) ? kFp16 : kBf16;
}

Issue Sfpu::dst_address(int thread, unsigned offset, unsigned modifier, unsigned mode, unsigned& address) const {
  const ConfigBank& c = config_.seen_by(thread);
  const ThreadConfig& own = config_.thread(thread);
  const Rwc& rwc = rwcs_[static_cast<std::size_t>(thread)];
  if (Issue refused = check_modifier(rwc, own, modifier); !refused.is_done()) return refused;
  if (mode == kInt32All) return Issue::unsupported("SFPLOAD and SFPSTORE in mode 10 (INT32_ALL) are not modelled");
  if (own.flag(thread_cfg::SFPU_DEST_FMT_Enable)) return Issue::unsupported("SFPU_DEST_FMT_Enable = 1 is not modelled");
  if (c.flag(cfg::DEST_OFFSET_Enable)) return Issue::unsupported("DEST_OFFSET_Enable = 1 is not modelled");
  address = (offset + rwc.dst + own.get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset) + c.get(cfg::DEST_REGW_BASE_Base) +
             (c.get(cfg::DEST_SP_BASE_Base) & 3)) &
            (Dst::kRows - 1);
  return Issue::done();
}

Issue Sfpu::exec(int thread, const SFPLOAD& i) {
  unsigned address = 0;
  if (Issue no = dst_address(thread, i.dest_reg_addr, i.sfpu_addr_mode, i.instr_mod0, address); !no.is_done())
    return no;
  if (i.lreg_ind < kGeneral) {  // others only move the counters
    const unsigned mode = resolve_mode(thread, i.instr_mod0);
    const DstAddressing addressing = dst_.addressing(config_.seen_by(thread));
    LReg& reg = lregs_[i.lreg_ind];
    for_each_enabled([&](unsigned lane) {
      const unsigned row = row_of(address, lane), column = column_of(address, lane);
      const unsigned physical = loads_32(mode) ? addressing.row_32(row) : addressing.row_16(row);
      std::uint32_t raw = 0;
      if (dst_.valid(physical)) {
        raw = dst_.row(physical)[column];
        if (loads_32(mode)) raw = raw << 16 | dst_.row(physical + Dst::kLowHalf)[column];
      }
      reg[lane] = loaded(mode, raw, reg[lane]);
    });
  }
  rwcs_[static_cast<std::size_t>(thread)].apply(config_.thread(thread), i.sfpu_addr_mode, false);
  return Issue::done();
}

// Other columns of an invalid row keep their cells and become visible again.
Issue Sfpu::exec(int thread, const SFPSTORE& i) {
  unsigned address = 0;
  if (Issue no = dst_address(thread, i.dest_reg_addr, i.sfpu_addr_mode, i.instr_mod0, address); !no.is_done())
    return no;
  Issue done = Issue::done();
  if (i.lreg_ind >= kFirstTemplate) {
    done = store_template(i.lreg_ind, i.encode());
  } else {
    const unsigned mode = resolve_mode(thread, i.instr_mod0);
    const DstAddressing addressing = dst_.addressing(config_.seen_by(thread));
    for_each_enabled([&](unsigned lane) {
      const unsigned row = row_of(address, lane), column = column_of(address, lane);
      const std::uint32_t cell = stored(mode, lregs_[i.lreg_ind][lane]);
      const unsigned physical = stores_32(mode) ? addressing.row_32(row) : addressing.row_16(row);
      if (stores_32(mode)) {
        dst_.row(physical)[column] = static_cast<std::uint16_t>(cell >> 16);
        dst_.row(physical + Dst::kLowHalf)[column] = static_cast<std::uint16_t>(cell);
      } else {
        dst_.row(physical)[column] = static_cast<std::uint16_t>(cell);
      }
      dst_.set_valid(physical, true);
    });
    done = Issue::done().wrote_dst(address & ~3u, 4);
  }
  rwcs_[static_cast<std::size_t>(thread)].apply(config_.thread(thread), i.sfpu_addr_mode, false);
  return done;
}

Issue Sfpu::exec(int, const SFPLOADI& i) {
  constexpr std::uint32_t kModes = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 10;
  if (!(kModes >> i.instr_mod0 & 1)) {
    return Issue::undefined(fmt::format("SFPLOADI has no mode {}", i.instr_mod0), "Modes are 0, 1, 2, 4, 8 and 10.");
  }
  if (i.lreg_ind >= kGeneral) return Issue::done();
  if (Issue refused = check_writable(i.lreg_ind); !refused.is_done()) return refused;
  LReg& reg = lregs_[i.lreg_ind];
  for_each_enabled([&](unsigned lane) {
    std::uint32_t& value = reg[lane];
    switch (i.instr_mod0) {
      case 0: value = i.imm16 << 16; break;
      case 1:  // five exponent bits, none of them special
        value = (i.imm16 & 0x8000) << 16 | ((i.imm16 >> 10 & 0x1F) + kExponentRebias) << 23 | (i.imm16 & 0x3FF) << 13;
        break;
      case 2: value = i.imm16; break;
      case 4: value = static_cast<std::uint32_t>(static_cast<std::int16_t>(i.imm16)); break;
      case 8: value = i.imm16 << 16 | (value & 0xFFFF); break;
      default: value = (value & 0xFFFF0000) | i.imm16; break;
    }
  });
  return Issue::done();
}

}  // namespace kerr::emu::tensix
