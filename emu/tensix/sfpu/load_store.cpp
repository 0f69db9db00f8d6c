// Between Dst and LRegs, with conversion.   docs/hardware/tensix-math.md 10.2
#include <fmt/format.h>

#include <cstring>

#include "emu/tensix/fpu/modifier.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"
#include "emu/tensix/state/dst_footprint.hpp"

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

struct Conversion {
  bool wide;  // a 32-bit access
  LaneValue value;
};

// By mode; INT32_SM and INT8_COMP do not convert to two's complement on this chip.
constexpr Conversion kLoads[16] = {
    {},
    {false, LaneValue::LoadFp16},
    {false, LaneValue::LoadBf16},
    {true, LaneValue::Load32},
    {true, LaneValue::Load32},
    {false, LaneValue::LoadInt8},
    {false, LaneValue::LoadUint16},
    {false, LaneValue::LoadShifted16},
    {false, LaneValue::LoadInt16},
    {false, LaneValue::LoadUint16},
    {true, LaneValue::Load32},
    {false, LaneValue::Fill},
    {true, LaneValue::Load32},
    {false, LaneValue::LoadInt10},
    {false, LaneValue::LoadToLowHalf},
    {false, LaneValue::LoadToHighHalf},
};
constexpr Conversion kStores[16] = {
    {},
    {false, LaneValue::StoreFp16},
    {false, LaneValue::StoreBf16},
    {true, LaneValue::StoreFp32},
    {true, LaneValue::Store32},
    {false, LaneValue::StoreInt8},
    {false, LaneValue::StoreLowHalf},
    {true, LaneValue::Move},
    {false, LaneValue::StoreInt16},
    {true, LaneValue::StoreRotated},
    {true, LaneValue::Store32},
    {false, LaneValue::Fill},
    {true, LaneValue::Store32},
    {false, LaneValue::StoreInt8},
    {false, LaneValue::StoreLowHalf},
    {false, LaneValue::StoreHighHalf},
};

constexpr unsigned kRowMask = Dst::kRows - 1, kAddressMask = 0x3FF;

// All lanes have the even, or all the odd column of their pair.
bool one_column(LaneMask odd) { return odd + 1 < 2; }

// Formats for which mode 0 means BF16; it means FP16 for all others, the unnamed ones too.
bool bf16_for(math::Format f) { return math::is_named(f) && math::style_of(f) != math::Style::Fp16; }

}  // namespace

void Sfpu::refresh(int thread, Settings& s) const {
  const ConfigBank& c = config_.seen_by(thread);
  const ThreadConfig& t = config_.thread(thread);
  s.version = config_.version();
  // The format of the SrcB bank is not consulted.
  unsigned format = c.get(c.flag(cfg::ALU_FORMAT_SPEC_REG_SrcB_override) ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val
                                                                         : cfg::ALU_FORMAT_SPEC_REG1_SrcB);
  if (t.flag(thread_cfg::SFPU_DEST_FMT_Enable)) format = t.get(thread_cfg::SFPU_DEST_FMT_Base);
  s.mode_0 = c.flag(cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled) ? kFp32
             : bf16_for(math::format_from_code(format))  ? kBf16
                                                         : kFp16;
  s.dest_offset = c.flag(cfg::DEST_OFFSET_Enable);
  s.offset = t.get(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset);
  s.dst_base = c.get(cfg::DEST_REGW_BASE_Base);
  s.sp_base = c.get(cfg::DEST_SP_BASE_Base);
  s.stack_increment = t.get(thread_cfg::SFPU_STACK_Incr);
  s.remap_addrs = c.flag(cfg::DEST_ACCESS_CFG_remap_addrs);
  s.swizzle_32b = c.flag(cfg::DEST_ACCESS_CFG_swizzle_32b);
  for (unsigned m = 0; m < s.steps.size(); ++m) {
    const uint32_t dst = t.words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr.word + m];
    const uint32_t increment = thread_cfg::ADDR_MOD_DST_SEC0_DestIncr.get(dst);
    const bool simple = t.words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr.word + m] == 0 &&
                        t.words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr.word + m] == 0 &&
                        t.words[thread_cfg::ADDR_MOD_AB2_SEC0_SrcAIncr.word + m] == 0 &&
                        dst == increment << thread_cfg::ADDR_MOD_DST_SEC0_DestIncr.shift;
    s.steps[m] = simple && !s.dest_offset ? static_cast<int16_t>(increment) : kNotSimple;
  }
}

// Done at once if the modifier does nothing but add to the row counter.
Issue Sfpu::check_access(const Settings& s, unsigned modifier) {
  const Rwc& rwc = rwcs_[static_cast<size_t>(thread_)];
  return s.steps[modifier] != kNotSimple && !rwc.extra_modifier_bit ? Issue::done() : why_no_access(s, modifier);
}

Issue Sfpu::why_no_access(const Settings& s, unsigned modifier) const {
  if (s.dest_offset) return Issue::unsupported("DEST_OFFSET_Enable = 1 is not modelled");
  return check_modifier(rwcs_[static_cast<size_t>(thread_)], config_.thread(thread_), modifier);
}

void Sfpu::apply_modifier(const Settings& s, unsigned modifier) {
  Rwc& rwc = rwcs_[static_cast<size_t>(thread_)];
  if (s.steps[modifier] == kNotSimple) [[unlikely]]
    return rwc.apply(config_.thread(thread_), modifier, false);
  rwc.dst = (rwc.dst + static_cast<unsigned>(s.steps[modifier])) & kRowMask;
}

// Mode 10 uses the stack pointer where others use the counter, and the other way round; a load pops first.
unsigned Sfpu::load_address(const Settings& s, unsigned offset, unsigned mode) {
  uint16_t& sp = rwcs_[static_cast<size_t>(thread_)].sp;
  if (mode == kInt32All && sp != 0) sp = (sp - s.stack_increment) & kAddressMask;
  const unsigned row = rwcs_[static_cast<size_t>(thread_)].dst + s.dst_base, stack = sp + s.sp_base;
  return (offset + s.offset + (mode == kInt32All ? stack + (row & 3) : row + (stack & 3))) & kAddressMask;
}

// A store pushes afterwards.
unsigned Sfpu::store_address(const Settings& s, unsigned offset, unsigned mode) {
  uint16_t& sp = rwcs_[static_cast<size_t>(thread_)].sp;
  const unsigned row = rwcs_[static_cast<size_t>(thread_)].dst + s.dst_base, stack = sp + s.sp_base;
  if (mode == kInt32All) sp = (sp + s.stack_increment) & kAddressMask;
  return (offset + s.offset + (mode == kInt32All ? stack + (row & 3) : row + (stack & 3))) & kAddressMask;
}

// Four rows of Dst follow one another in storage, remapped or not, and a lane owns two neighbouring columns: as 32-bit
// words they are the lanes in order. Gives the even or odd column of each.
LReg Sfpu::dst_words(unsigned row, LaneMask odd_columns) {
  LReg cells;
  std::memcpy(cells.data(), dst_.row(row), sizeof cells);
  LReg result = cells;
  if (odd_columns != kAllLanes) (*kernels_)[LaneValue::StoreLowHalf](result, cells, cells, cells, 0, ~odd_columns);
  if (odd_columns != 0) (*kernels_)[LaneValue::StoreHighHalf](result, cells, cells, cells, 0, odd_columns);
  return result;
}

void Sfpu::put_dst_words(unsigned row, LaneMask odd_columns, const LReg& values, LaneMask lanes) {
  LReg cells;
  std::memcpy(cells.data(), dst_.row(row), sizeof cells);
  if (odd_columns != kAllLanes) {
    (*kernels_)[LaneValue::LoadToLowHalf](cells, values, values, values, 0, lanes & ~odd_columns);
  }
  if (odd_columns != 0) (*kernels_)[LaneValue::LoadToHighHalf](cells, values, values, values, 0, lanes & odd_columns);
  std::memcpy(dst_.row(row), cells.data(), sizeof cells);
}

void Sfpu::load(const Settings& s, unsigned vd, unsigned mode, unsigned address, LaneMask lanes) {
  if (mode == kByFormat) mode = s.mode_0;
  LaneMask active = mode == kInt32All ? lanes : lanes & enabled_;
  active &= ~lane_config_.block_dest_read;
  const unsigned row = address & ~3u & kRowMask;
  const LaneMask odd = address & 2 ? kAllLanes : lane_config_.dest_read_exchange;
  const Conversion conversion = kLoads[mode];
  const unsigned physical = physical_row(s, conversion.wide, row);
  const LaneKernels::Load direct = kernels_->load(conversion.value);
  const bool infinities = mode == kFp16 && lane_config_.fp16a_inf != 0;
  if (direct != nullptr && one_column(odd) && !infinities && dst_.all_valid_of_group(physical, 4)) [[likely]] {
    direct(lregs_[vd], dst_.row(physical), dst_.row(physical + Dst::kLowHalf), odd & 16, active);
  } else {
    load_with_care(vd, mode, physical, odd, active);
  }
  const LaneMask captured = active & lane_config_.enable_dest_index & lane_config_.capture_default_dest_index;
  if (vd < 4 && captured != 0) [[unlikely]]
    capture_index(vd, row, odd, captured);
}

// Cells of an invalid row read as 0: the document promises nothing, the reference simulator does that.
void Sfpu::load_with_care(unsigned vd, unsigned mode, unsigned physical, LaneMask odd, LaneMask active) {
  const Conversion conversion = kLoads[mode];
  LReg raw = dst_words(physical, odd);
  if (conversion.wide) {
    const LReg low = dst_words(physical + Dst::kLowHalf, odd);
    (*kernels_)[LaneValue::LoadToHighHalf](raw, raw, raw, raw, 0, kAllLanes);
    (*kernels_)[LaneValue::LoadToLowHalf](raw, low, low, low, 0, kAllLanes);
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!dst_.valid(physical + l / kLaneColumns)) raw[l] = 0;
  }
  const LaneMask infinite = mode == kFp16 ? lane_config_.fp16a_inf : 0;
  LReg& d = lregs_[vd];
  (*kernels_)[LaneValue::LoadFp16Infinity](d, raw, raw, raw, 0, active & infinite);
  (*kernels_)[conversion.value](d, raw, raw, raw, 0, active & ~infinite);
}

// Where each lane's cell stood.
void Sfpu::capture_index(unsigned vd, unsigned row, LaneMask odd, LaneMask lanes) {
  for_each_lane(lanes, [&](unsigned l) {
    lregs_[vd + 4][l] = (row + l / kLaneColumns) << 4 | 2 * (l % kLaneColumns) | (odd >> l & 1);
  });
}

// Other columns of an invalid row keep their cells, which become visible again.
Issue Sfpu::store(const Settings& s, unsigned vd, unsigned mode, unsigned address, LaneMask lanes) {
  if (mode == kByFormat) mode = s.mode_0;
  LaneMask active = mode == kInt32All ? lanes : lanes & enabled_;
  active &= ~lane_config_.block_dest_write;
  if (active == 0) return Issue::done();
  const unsigned row = address & ~3u & kRowMask;
  const LaneMask odd = address & 2 ? kAllLanes : lane_config_.dest_write_exchange;
  const Conversion conversion = kStores[mode];
  const unsigned physical = physical_row(s, conversion.wide, row);
  const LaneKernels::Store direct = kernels_->store(conversion.value);
  if (direct != nullptr && one_column(odd)) [[likely]] {
    direct(dst_.row(physical), dst_.row(physical + Dst::kLowHalf), in(vd), odd & 16, active);
  } else {
    store_with_care(in(vd), mode, physical, odd, active);
  }
  if (!dst_.all_valid_of_group(physical, 4)) {
    for (unsigned r = 0; r < 4; ++r) {
      if (active >> r * kLaneColumns & 0xFF) dst_.set_valid(physical + r, true);
    }
  }
  return Issue::done().wrote_dst(row, 4);
}

// Mode 10 addresses by the stack pointer, and macros load and store later.
void Sfpu::foresee(int thread, uint32_t word, Footprint& f) {
  const Opcode opcode = opcode_of(word);
  f.scattered = opcode == Opcode::SFPLOADMACRO;
  f.writes_dst = opcode == Opcode::SFPSTORE || opcode == Opcode::SFPLOADMACRO;
  if (opcode != Opcode::SFPLOAD && opcode != Opcode::SFPSTORE) return;
  const SFPLOAD i = SFPLOAD::decode(word);  // an SFPSTORE has the same operands
  const Settings& s = settings(thread);
  const unsigned mode = i.instr_mod0 == kByFormat ? s.mode_0 : i.instr_mod0;
  f.reads_dst = opcode == Opcode::SFPLOAD && mode != kZero && i.lreg_ind < kGeneral;
  if (mode == kInt32All) {
    f.scattered = true;
    return;
  }
  const Rwc& rwc = rwcs_[static_cast<size_t>(thread)];
  const unsigned address = i.dest_reg_addr + s.offset + rwc.dst + s.dst_base + ((rwc.sp + s.sp_base) & 3);
  place_rows(f, {s.remap_addrs, s.swizzle_32b, dst_.high_half()}, address & kRowMask & ~3u, 4,
             (opcode == Opcode::SFPLOAD ? kLoads : kStores)[mode].wide);
}

void Sfpu::store_with_care(const LReg& c, unsigned mode, unsigned physical, LaneMask odd, LaneMask active) {
  const Conversion conversion = kStores[mode];
  LReg value = c;
  (*kernels_)[conversion.value](value, c, c, c, 0, kAllLanes);
  if (conversion.wide) {
    LReg low = value;
    (*kernels_)[LaneValue::StoreLowHalf](low, value, value, value, 0, kAllLanes);
    put_dst_words(physical + Dst::kLowHalf, odd, low, active);
    (*kernels_)[LaneValue::StoreHighHalf](value, value, value, value, 0, kAllLanes);
  }
  put_dst_words(physical, odd, value, active);
}

Issue Sfpu::perform(const SFPLOAD& i, const Operands& r, LaneMask lanes) {
  const Settings& s = settings(thread_);
  if (Issue no = check_access(s, i.sfpu_addr_mode); !no.is_done()) return no;
  const unsigned address = load_address(s, i.dest_reg_addr, i.instr_mod0);
  if (r.vd < kGeneral) load(s, r.vd, i.instr_mod0, address, lanes);  // others only move the counters
  apply_modifier(s, i.sfpu_addr_mode);
  return Issue::done();
}

Issue Sfpu::perform(const SFPSTORE& i, const Operands& r, LaneMask lanes) {
  const Settings& s = settings(thread_);
  if (Issue no = check_access(s, i.sfpu_addr_mode); !no.is_done()) return no;
  const unsigned address = store_address(s, i.dest_reg_addr, i.instr_mod0);
  Issue issue = store(s, r.vd, i.instr_mod0, address, lanes);
  apply_modifier(s, i.sfpu_addr_mode);
  return issue;
}

Issue Sfpu::perform(const SFPLOADI& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kFloatB, kFloatA, kUnsigned, kSigned = 4, kUpper = 8, kLower = 10 };
  if (r.vd >= kGeneral) return Issue::done();  // constants are SFPCONFIG's
  LReg& d = lregs_[r.vd];
  const auto fill = [&](LaneValue value, uint32_t immediate) {
    (*kernels_)[value](d, d, d, d, immediate, lanes & enabled_);
    return Issue::done();
  };
  switch (i.instr_mod0) {
    case kFloatB: return fill(LaneValue::Fill, i.imm16 << 16);
    case kFloatA:  // five exponent bits, none of them special
      return fill(LaneValue::Fill,
                  (i.imm16 & 0x8000) << 16 | ((i.imm16 >> 10 & 31) + 112) << 23 | (i.imm16 & 0x3FF) << 13);
    case kUnsigned: return fill(LaneValue::Fill, i.imm16);
    case kSigned: return fill(LaneValue::Fill, static_cast<uint32_t>(static_cast<int16_t>(i.imm16)));
    case kUpper: return fill(LaneValue::SetHighHalf, i.imm16);
    case kLower: return fill(LaneValue::SetLowHalf, i.imm16);
    default:
      return Issue::undefined(fmt::format("SFPLOADI has no mode {}", i.instr_mod0), "Modes are 0, 1, 2, 4, 8 and 10.");
  }
}

}  // namespace kerr::emu::tensix
