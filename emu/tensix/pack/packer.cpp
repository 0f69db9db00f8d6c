#include "emu/tensix/pack/packer.hpp"

#include <fmt/format.h>

#include <bit>

#include "emu/tensix/state/dst_footprint.hpp"

namespace kerr::emu::tensix {

namespace thread_cfg = arch::thread_config;
using isa::tensix::PACR;
using math::kColumns;

namespace {

constexpr unsigned kResetContext = 2;  // ctxt_ctrl

[[gnu::noinline]] Issue refuse_unmodelled(const PACR& i) {
  if (i.ctxt_ctrl != 0) {
    return Issue::unsupported(
        fmt::format("PACR with ctxt_ctrl = {} takes its context from a counter; what a context selects is \"not yet "
                    "documented in detail\" on Blackhole's ISA page of PACR",
                    i.ctxt_ctrl));
  }
  if (i.cfg_context != 0) {
    return Issue::unsupported(
        fmt::format("PACR with cfg_context = {}: what a context selects is \"not yet documented in "
                    "detail\" on Blackhole's ISA page of PACR",
                    i.cfg_context));
  }
  if (i.ovrd_thread_id && i.addr_cnt_context == 3) {
    return Issue::unsupported("PACR with addr_cnt_context = 3 names no thread's address counters");
  }
  return Issue::done();
}

void step_y(AdcCounter& y, unsigned increment, bool cr, bool clear) {
  if (clear) {
    y.set(0);
  } else if (cr) {
    y.increment_cr(increment);
  } else {
    y.increment(increment);
  }
}
void step_z(AdcCounter& z, unsigned increment, bool clear) {
  if (clear) {
    z.set(0);
  } else {
    z.increment(increment);
  }
}

// L1::touch() for a few lines, of which hardly ever anybody cares about one.
[[gnu::always_inline]] inline void announce_write(L1& l1, uint32_t address, uint32_t bytes) {
  const uint32_t last = (address + bytes - 1) / L1::kLineBytes;
  unsigned attributes = 0;
  for (uint32_t line = address / L1::kLineBytes; line <= last; ++line) attributes |= l1.attributes()[line];
  if (attributes != 0) [[unlikely]]
    l1.touch(address, bytes);
}

void step_counters_and_more(uint16_t word, Adc& adc) {
  const auto get = [&](arch::ConfigField of_section_0) { return of_section_0.get(word); };
  step_y(adc.channel[0].y, get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcCR) != 0, get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcClear) != 0);
  step_y(adc.channel[1].y, get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstCR) != 0, get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstClear) != 0);
  step_z(adc.channel[0].z, get(thread_cfg::ADDR_MOD_PACK_SEC0_ZsrcIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_ZsrcClear) != 0);
  step_z(adc.channel[1].z, get(thread_cfg::ADDR_MOD_PACK_SEC0_ZdstIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_ZdstClear) != 0);
}

[[gnu::always_inline]] inline void step_counters(const ThreadConfig& own, unsigned modifier, Adc& adc) {
  const uint16_t word = own.words[thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr.word + modifier];
  static_assert(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr.shift == 0);
  if (word < 1u << thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr.width) {  // the common case: nothing else
    adc.channel[0].y.increment(word);
    return;
  }
  step_counters_and_more(word, adc);
}

}  // namespace

void Packer::reset() {
  data_.reset();
  exponents_.reset();
  tile_y_ = tile_z_ = padded_ = 0;
  tile_units_ = 0;
}

Issue Packer::refresh_settings(int thread) {
  const unsigned bank = config_.bank_of(thread);
  const ConfigBank& config = config_.bank(bank);
  if (!settings_known_ || !settings_words_.same(config)) {
    settings_known_ = false;
    if (Issue refused = gather(config, settings_); !refused.is_done()) return refused;
    settings_words_.copy(config);
    settings_known_ = true;
  }
  follow(config, settings_);
  counts_exponents_ = false;
  for (int t = 0; t < kThreads; ++t) counts_exponents_ |= config_.thread(t).flag(thread_cfg::ENABLE_ACC_STATS_Enable);
  settings_version_ = config_.version();
  settings_bank_ = bank;
  return Issue::done();
}

// Rows of the plane, then planes; only an exact end of the plane turns to the next one. 12.5
void Packer::advance_tile_position(unsigned rows, bool end_of_tile) {
  if (end_of_tile) {
    tile_y_ = tile_z_ = 0;
    return;
  }
  uint8_t& inner = settings_.yz_transposed ? tile_z_ : tile_y_;
  uint8_t& outer = settings_.yz_transposed ? tile_y_ : tile_z_;
  inner = static_cast<uint8_t>(inner + rows);
  if (rows != 0 && inner == settings_.reads_per_xy_plane) {
    inner = 0;
    ++outer;
  }
}

void Packer::finish(int thread, const PACR& i, unsigned rows, Adc& adc) {
  const bool end_of_tile = i.last || i.flush;
  if (end_of_tile) end_tile(thread);
  advance_tile_position(rows, end_of_tile);
  step_counters(config_.thread(thread), i.addr_mode, adc);
}

// What nearly every PACR is: one to four whole rows that lie side by side in Dst, converted straight into L1. Returns
// the bytes, or 0 if this one is anything else; then nothing has happened.
unsigned Packer::exec_adjacent_rows(int thread, const PACR& i, Adc& adc) {
  const PackSettings& s = settings_;
  const AdcChannel& in = adc.channel[0];
  const unsigned mask = i.read_intf_sel == 0 ? 0xF : i.read_intf_sel;
  if (!s.adjacent_rows || counts_exponents_ || (i.flush | i.zero_write | i.dst_access_mode | (mask & (mask + 1))) ||
      in.x.value != 0 || adc.channel[1].x.value != kColumns - 1) {
    return 0;
  }
  const unsigned rows = static_cast<unsigned>(std::countr_one(mask));
  const uint32_t bytes =
      s.in_base + in.y.value * s.in_y_stride + in.z.value * s.in_z_stride + in.w.value * s.in_w_stride;
  const uint32_t datum = bytes >> s.in_datum_shift & ~((16u >> s.in_datum_shift) - 1);
  const unsigned start = (datum / kColumns + s.dst_offset_rows) & (Dst::kRows - 1);
  const unsigned physical = s.format.read_32b || dst_.high_half() ? math::dst_row_32(start) : start;
  const unsigned data_bytes = rows * s.row_bytes, exponent_bytes = s.bfp_out ? rows : 0;
  if (datum % kColumns != 0 || mask << (start & 3) > 0xF || !dst_.all_valid_of_group(physical, rows) ||
      !data_.can_skip(data_bytes)) {
    return 0;
  }
  if (data_.needs_address() || data_.end_after(data_bytes) > L1::kBytes || exponent_bytes != 0) {
    if (!place_streams(adc, data_bytes, exponent_bytes).is_done()) return 0;
  }
  std::array<uint8_t, kInterfaces> shared;
  math::PackJob job;
  job.high = dst_.row(physical);
  job.low = dst_.row(physical + Dst::kLowHalf);
  job.datums = rows * kColumns;
  std::array<uint8_t, kInterfaces * kColumns * 4> added;
  job.data = s.l1_accumulate ? added.data() : l1_.data() + data_.address();
  job.exponents = shared.data();
  if (s.l1_accumulate) l1_.will_read(data_.address(), data_bytes);
  announce_write(l1_, data_.address(), data_bytes);
  convert_whole_rows(job);
  if (s.l1_accumulate) {
    uint8_t* const sums = l1_.data() + data_.address();
    math::l1_accumulate_datums(s.format.out, sums, added.data(), data_bytes, sums, fp16_fault_);
  }
  data_.skip(data_bytes);
  tile_units_ += data_bytes / OutputStream::kUnitBytes;
  if (exponent_bytes != 0) append_exponents({shared.data(), exponent_bytes});
  finish(thread, i, rows, adc);
  return data_bytes + exponent_bytes;
}

Issue Packer::exec(int thread, const PACR& i) {
  if (i.ctxt_ctrl == kResetContext) return Issue::done();  // a counter that only the other modes read
  if (i.ctxt_ctrl | i.cfg_context | (i.ovrd_thread_id & (i.addr_cnt_context == 3))) [[unlikely]] {
    return refuse_unmodelled(i);
  }
  if (!settings_are_fresh(thread)) {
    if (Issue refused = refresh_settings(thread); !refused.is_done()) return refused;
  }
  Adc& adc = adcs_.of(i.ovrd_thread_id ? static_cast<int>(i.addr_cnt_context) : thread, AdcUnit::Packer);
  if (const unsigned bytes = exec_adjacent_rows(thread, i, adc); bytes != 0) [[likely]]
    return Issue::done().moved(bytes);
  if (i.zero_write && i.read_intf_sel == 0 && !i.flush) return exec_zeros(thread, i, adc);
  return exec_any_rows(thread, i, adc);
}

Issue Packer::exec_any_rows(int thread, const PACR& i, Adc& adc) {
  PackRows rows;
  Packed packed;
  const bool from_l1 = settings_.format.from_l1 && !i.zero_write;
  if (!i.flush) {
    rows.addressing = dst_.addressing(config_.seen_by(thread));
    if (Issue refused = from_l1 ? choose_l1_row(settings_, adc, interfaces_of(i), rows)
                                : choose_rows(settings_, adc, interfaces_of(i), i.dst_access_mode, rows);
        !refused.is_done()) {
      return refused;
    }
    if (settings_.rows_function != nullptr && rows.whole() && !i.zero_write && !counts_exponents_) {
      pack_whole_rows(rows, packed);
    } else if (Issue refused = convert(i, rows, packed); !refused.is_done()) {
      return refused;
    }
  }
  if (Issue refused = place_streams(adc, packed.data_bytes, packed.exponent_bytes); !refused.is_done()) return refused;
  write(packed);
  finish(thread, i, from_l1 ? 0 : rows.count, adc);  // the tile position counts rows of Dst
  return Issue::done().moved(static_cast<uint32_t>(packed.data_bytes + packed.exponent_bytes));
}

// The mask of the instruction; for the last PACR of a plane the packer can narrow it to the rows that are left. 12.1
unsigned Packer::interfaces_of(const PACR& i) const {
  const unsigned mask = i.read_intf_sel == 0 ? 0xF : i.read_intf_sel;
  if (!settings_.auto_last_interfaces || tile_y_ >= settings_.reads_per_xy_plane) return mask;
  const unsigned left = settings_.reads_per_xy_plane - tile_y_;
  return left <= static_cast<unsigned>(std::popcount(mask)) ? (1u << left) - 1 : mask;
}

// zero_write without an interface: as many zeros as the X counters say, not sixteen a row. 12.2
Issue Packer::exec_zeros(int thread, const PACR& i, Adc& adc) {
  const uint32_t first = adc.channel[0].x.value, count = adc.channel[1].x.value + 1;
  if (first != 0 || count % kColumns != 0) {
    return Issue::undefined(
        fmt::format("PACR with zero_write and no interface packs from X = {} to X = {}; it starts at 0 and packs a "
                    "multiple of 16 datums",
                    first, count - 1));
  }
  if (settings_.downsample_mask != 0xFFFF) {
    return Issue::unsupported("PACR with zero_write and no interface while downsampling has no known result");
  }
  const uint64_t bytes = uint64_t{count} * math::datum_bits(settings_.format.out) / 8;
  const uint64_t exponents = settings_.bfp_out ? count / kColumns : 0;
  if (Issue refused = place_streams(adc, bytes, exponents); !refused.is_done()) return refused;
  Packed zeros;
  zeros.data = {};
  zeros.exponents = {};
  for (uint64_t data_left = bytes, exponents_left = exponents; data_left + exponents_left != 0;) {
    zeros.data_bytes = std::min<uint64_t>(data_left, zeros.data.size());
    zeros.exponent_bytes = std::min<uint64_t>(exponents_left, zeros.exponents.size());
    write(zeros);
    data_left -= zeros.data_bytes;
    exponents_left -= zeros.exponent_bytes;
  }
  finish(thread, i, 0, adc);
  return Issue::done().moved(static_cast<uint32_t>(bytes + exponents));
}

void Packer::foresee(int thread, uint32_t word, Footprint& f) {
  if (isa::tensix::opcode_of(word) != isa::tensix::Opcode::PACR) return;
  const PACR i = PACR::decode(word);
  if (i.flush || i.zero_write || i.ctxt_ctrl != 0) return;
  if (!settings_are_fresh(thread) && !refresh_settings(thread).is_done()) return;
  if (settings_.format.from_l1) return;
  const Adc& adc = adcs_.of(i.ovrd_thread_id ? static_cast<int>(i.addr_cnt_context) : thread, AdcUnit::Packer);
  PackRows rows;
  rows.addressing = dst_.addressing(config_.seen_by(thread));
  if (!choose_rows(settings_, adc, interfaces_of(i), i.dst_access_mode, rows).is_done() || rows.count == 0) return;
  f.reads_dst = true;
  const unsigned first = rows.row[0], last = rows.row[rows.count - 1];
  if (last - first + 1 == rows.count) {
    place_rows(f, rows.addressing, first, rows.count, settings_.format.read_32b);
  } else {
    f.scattered = true;
  }
}

Issue Packer::exec(int, const isa::tensix::PACR_SETREG&) {
  return Issue::unsupported(
      "PACR_SETREG writes to an address from TDMA registers; which of them holds which of the four addresses that "
      "Blackhole's AddrSel can name is not documented");
}

Issue Packer::exec(int, const isa::tensix::TBUFCMD&) {
  return Issue::unsupported("TBUFCMD is \"reserved for future use\" in LLK's instruction list: its effect is unknown");
}

}  // namespace kerr::emu::tensix
