#include "emu/tensix/pack/packer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kerr::emu::tensix {

namespace thread_cfg = arch::thread_config;
using isa::tensix::PACR;
using math::kColumns;

namespace {

constexpr unsigned kDatumIndexMask = 0x3FFF;     // 1,024 rows of 16
constexpr std::uint32_t kAddressMask = 0x1FFFF;  // of 16-byte units

Issue refuse_unmodelled(const PACR& i) {
  struct Named {
    std::uint32_t value;
    const char* name;
  };
  const Named must_be_zero[] = {
      {i.ctxt_ctrl, "ctxt_ctrl"}, {i.row_pad_zero, "row_pad_zero"}, {i.cfg_context, "cfg_context"}};
  for (const Named& n : must_be_zero) {
    if (n.value != 0) return Issue::unsupported(fmt::format("PACR with {} = {} is not modelled", n.name, n.value));
  }
  if (i.ovrd_thread_id && i.addr_cnt_context == 3) {
    return Issue::unsupported("PACR with addr_cnt_context = 3 names no thread's address counters");
  }
  if (i.zero_write && i.read_intf_sel == 0) {
    return Issue::unsupported("PACR with zero_write = 1 and no interface (special mode) is not modelled");
  }
  return Issue::done();
}

template <class T>
void store_as(const std::uint32_t* datums, unsigned count, std::uint8_t* to) {
  for (unsigned n = 0; n < count; ++n) {
    const T datum = static_cast<T>(datums[n]);
    std::memcpy(to + n * sizeof(T), &datum, sizeof(T));
  }
}

void store_datums(const std::uint32_t* datums, unsigned count, unsigned bits, std::uint8_t* to) {
  if (bits == 32) {
    store_as<std::uint32_t>(datums, count, to);
  } else if (bits == 16) {
    store_as<std::uint16_t>(datums, count, to);
  } else {
    store_as<std::uint8_t>(datums, count, to);
  }
}

}  // namespace

void Packer::reset() {
  data_.reset();
  exponents_.reset();
  tile_y_ = tile_z_ = 0;
}

Issue Packer::refresh_settings(int thread) {
  const unsigned bank = config_.bank_of(thread);
  if (settings_version_ == config_.version() && settings_bank_ == bank) return Issue::done();
  settings_version_ = ~std::uint64_t{0};
  if (Issue refused = gather(config_.bank(bank), settings_); !refused.is_done()) return refused;
  settings_version_ = config_.version();
  settings_bank_ = bank;
  return Issue::done();
}

Issue Packer::exec(int thread, const PACR& i) {
  if (Issue refused = refuse_unmodelled(i); !refused.is_done()) return refused;
  if (Issue refused = refresh_settings(thread); !refused.is_done()) return refused;
  Adc& adc = adcs_.of(i.ovrd_thread_id ? static_cast<int>(i.addr_cnt_context) : thread, AdcUnit::Packer);

  Rows rows;
  Packed packed;
  if (!i.flush) {
    rows.addressing = dst_.addressing(config_.seen_by(thread));
    if (Issue refused = choose_rows(i, adc, rows); !refused.is_done()) return refused;
    if (Issue refused = convert(i, rows, packed); !refused.is_done()) return refused;
  }
  if (Issue refused = place_streams(adc, packed); !refused.is_done()) return refused;

  const bool end_of_tile = i.last || i.flush;
  write(packed, end_of_tile);
  advance_tile_position(rows.count, end_of_tile);
  step_counters(config_.thread(thread), i.addr_mode, adc);
  return Issue::done();
}

// 12.2
Issue Packer::choose_rows(const PACR& i, const Adc& adc, Rows& rows) const {
  const PackSettings& s = settings_;
  const AdcChannel& in = adc.channel[0];
  const std::uint32_t x_first = in.x.value, x_last = adc.channel[1].x.value;
  if (x_last < x_first || x_last - x_first + 1 > kColumns) {
    return Issue::undefined(
        fmt::format("packer reads from X = {} to X = {}; a PACR takes 1 to 16 datums of a row", x_first, x_last),
        "Set the packer's X counters with SETADCXX.");
  }
  rows.per_row = x_last - x_first + 1;

  const std::uint32_t in_16_bytes = 16 / s.in_bytes_per_datum - 1;
  const std::uint32_t bytes = s.in_base + x_first * s.in_x_stride + in.y.value * s.in_y_stride +
                              in.z.value * s.in_z_stride + in.w.value * s.in_w_stride;
  const std::uint32_t datum =
      ((bytes / s.in_bytes_per_datum & ~in_16_bytes) + (x_first & in_16_bytes) + s.dst_offset_rows * kColumns) &
      kDatumIndexMask;
  const unsigned start = datum / kColumns;
  rows.column = datum % kColumns;
  if (rows.column + rows.per_row > kColumns) {
    return Issue::undefined(fmt::format("packer reads {} datums from column {} of Dst row {} on: beyond the row",
                                        rows.per_row, rows.column, start));
  }

  const unsigned mask = i.read_intf_sel == 0 ? 0xF : i.read_intf_sel;
  const bool strided = i.dst_access_mode != 0;
  if (strided) {
    if (!rows.addressing.remap_addrs || !rows.addressing.swizzle_32b) {
      return Issue::unsupported("PACR with dst_access_mode = 1 is modelled with remap_addrs and swizzle_32b only");
    }
    if (mask != 1 && mask != 3) {
      return Issue::unsupported(
          fmt::format("PACR with dst_access_mode = 1 and read_intf_sel = {} is not modelled", i.read_intf_sel));
    }
  } else {
    if (rows.addressing.remap_addrs || rows.addressing.swizzle_32b) {
      return Issue::unsupported(
          "PACR with dst_access_mode = 0 while remap_addrs or swizzle_32b is set is not modelled");
    }
    if (mask << (start & 3) > 0xF) {
      return Issue::undefined(
          fmt::format("PACR with read_intf_sel = {} from Dst row {} on: interfaces lie in aligned groups of four rows",
                      i.read_intf_sel, start));
    }
  }
  const unsigned step = strided ? 16 : 1;
  for (unsigned k = 0; k < kInterfaces; ++k) {
    if (!(mask >> k & 1)) continue;
    const unsigned row = start + k * step;
    if (row >= Dst::kRows) return Issue::undefined(fmt::format("packer reads Dst row {}, which does not exist", row));
    rows.row[rows.count++] = row;
  }
  return Issue::done();
}

void Packer::read_rows(const Rows& rows, std::uint32_t* raw) const {
  for (unsigned k = 0; k < rows.count; ++k, raw += rows.per_row) {
    if (settings_.format.read_32b) {
      const unsigned physical = rows.addressing.row_32(rows.row[k]);
      const std::uint16_t* high = dst_.row(physical) + rows.column;
      const std::uint16_t* low = dst_.row(physical + Dst::kLowHalf) + rows.column;
      const std::uint32_t mask = dst_.valid(physical) ? ~0u : 0;
      for (unsigned c = 0; c < rows.per_row; ++c) raw[c] = (std::uint32_t{high[c]} << 16 | low[c]) & mask;
    } else {
      const unsigned physical = rows.addressing.row_16(rows.row[k]);
      const std::uint16_t* cells = dst_.row(physical) + rows.column;
      const std::uint32_t mask = dst_.valid(physical) ? ~0u : 0;
      for (unsigned c = 0; c < rows.per_row; ++c) raw[c] = cells[c] & mask;
    }
  }
}

// A masked datum is literally zero: neither ReLU nor conversion sees it. 12.5
Issue Packer::mask_edges(const Rows& rows, std::uint32_t* datums) const {
  const PackSettings& s = settings_;
  if (s.no_mask()) return Issue::done();
  for (unsigned k = 0; k < rows.count; ++k, datums += rows.per_row) {
    const unsigned face = (s.dst_z_offset + tile_z_) & 15, row = (tile_y_ + k) & 15;
    const unsigned row_set = s.edge_by_face ? s.face_set_mapping[s.edge_face_set] >> (2 * face) & 3 : s.edge_row_set;
    const std::uint16_t mask = s.edge_mask[s.row_set_mapping[row_set] >> (2 * row) & 3];
    for (unsigned c = 0; c < rows.per_row; ++c) {
      if (mask >> (rows.column + c) & 1) continue;
      if (s.edge_minus_infinity)
        return Issue::unsupported("PCK_EDGE_MODE = 1 (masked datums become -infinity) is not modelled");
      datums[c] = 0;
    }
  }
  return Issue::done();
}

Issue Packer::convert(const PACR& i, const Rows& rows, Packed& packed) const {
  const PackSettings& s = settings_;
  const unsigned count = rows.count * rows.per_row;
  const unsigned bits = math::datum_bits(s.format.out);
  if (bits <= 8 && count % kColumns != 0) {
    return Issue::unsupported(
        fmt::format("packer: {} datums of {} in one PACR; 8-bit and narrower formats are modelled for multiples of 16",
                    count, math::name_of(s.format.out)));
  }
  std::array<std::uint32_t, kMostDatums> raw, datums;
  if (i.zero_write) {
    std::fill_n(raw.begin(), count, 0);
  } else {
    read_rows(rows, raw.data());
  }
  math::pack_datums(s.format, raw.data(), count, datums.data());
  if (Issue refused = mask_edges(rows, datums.data()); !refused.is_done()) return refused;

  if (s.bfp_out) {
    const unsigned group_bytes = kColumns * bits / 8;
    for (unsigned g = 0; g < count / kColumns; ++g) {
      packed.exponents[g] = math::assemble_bfp(s.format.out, &datums[g * kColumns], &packed.data[g * group_bytes]);
    }
    packed.exponent_bytes = count / kColumns;
  } else {
    store_datums(datums.data(), count, bits, packed.data.data());
  }
  packed.data_bytes = std::size_t{count} * bits / 8;
  return Issue::done();
}

// Gives fresh addresses to streams that need them (12.3) and checks that all bytes will lie inside L1.
Issue Packer::place_streams(const Adc& adc, const Packed& packed) {
  const PackSettings& s = settings_;
  const AdcChannel& out = adc.channel[1];
  std::uint32_t a = s.l1_dest_16b + (s.skip_header ? 1 : 0);
  a += (s.out_base + out.y.value * s.out_y_stride + out.z.value * s.out_z_stride + out.w.value * s.out_w_stride) >> 4;
  // Only the low bits of the address reach L1; LLK sets bit 31 as a mark.
  a &= 0x7FFFFFFF;
  if (a > s.limit_16b) a -= s.fifo_16b;
  const bool narrow = (math::code_of(s.format.out) & 2) != 0;

  OutputStream data = data_, exponents = exponents_;
  if (exponents.needs_address()) exponents.start_at((a & kAddressMask) * OutputStream::kUnitBytes);
  if (narrow) a += s.exp_section_16b;
  if (data.needs_address()) data.start_at((a & kAddressMask) * OutputStream::kUnitBytes);

  struct Check {
    const OutputStream& stream;
    std::size_t bytes;
    const char* what;
  };
  for (const Check& c :
       {Check{exponents, packed.exponent_bytes, "exponents"}, Check{data, packed.data_bytes, "datums"}}) {
    if (const std::uint64_t end = c.stream.end_after(c.bytes); end > L1::kBytes && end > c.stream.address()) {
      return Issue::fault(FaultCategory::OutOfBounds,
                          fmt::format("packer writes {} to {:#x} .. {:#x}; L1 ends at {:#x}", c.what,
                                      c.stream.address(), end - 1, L1::kBytes),
                          "Check THCON_SEC0_REG1_L1_Dest_addr (tile address / 16 - 1) and the packer's counters.",
                          c.stream.address());
    }
  }
  data_ = data;
  exponents_ = exponents;
  return Issue::done();
}

void Packer::write(const Packed& packed, bool flush) {
  const auto to_data = [&](std::uint32_t address, std::span<const std::uint8_t> bytes) { write_data(address, bytes); };
  const auto to_exponents = [&](std::uint32_t address, std::span<const std::uint8_t> bytes) {
    l1_.write(address, bytes);
  };
  data_.append({packed.data.data(), packed.data_bytes}, to_data);
  exponents_.append({packed.exponents.data(), packed.exponent_bytes}, to_exponents);
  if (!flush) return;
  data_.flush(to_data);
  exponents_.flush(to_exponents);
}

void Packer::write_data(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  if (!settings_.l1_accumulate) {
    l1_.write(address, bytes);
    return;
  }
  std::array<std::uint8_t, kMostDatums * 4> sums;
  const std::size_t size = math::datum_bits(settings_.format.out) / 8;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint32_t old = 0, added = 0;
    std::memcpy(&old, l1_.data() + address + at, size);
    std::memcpy(&added, bytes.data() + at, size);
    const std::uint32_t sum = math::l1_accumulate(settings_.format.out, old, added);
    std::memcpy(&sums[at], &sum, size);
  }
  l1_.write(address, {sums.data(), bytes.size()});
}

// Rows of the plane, then planes; only an exact end of the plane turns to the next one.
void Packer::advance_tile_position(unsigned rows, bool end_of_tile) {
  if (end_of_tile) {
    tile_y_ = tile_z_ = 0;
    return;
  }
  tile_y_ = static_cast<std::uint8_t>(tile_y_ + rows);
  if (rows != 0 && tile_y_ == settings_.reads_per_xy_plane) {
    tile_y_ = 0;
    ++tile_z_;
  }
}

void Packer::step_counters(const ThreadConfig& own, unsigned modifier, Adc& adc) const {
  const auto get = [&](arch::ConfigField of_section_0) {
    return of_section_0.get(own.words[of_section_0.word + modifier]);
  };
  const auto step_y = [&](AdcCounter& y, unsigned increment, bool cr, bool clear) {
    if (clear) {
      y.set(0);
    } else if (cr) {
      y.increment_cr(increment);
    } else {
      y.increment(increment);
    }
  };
  const auto step_z = [&](AdcCounter& z, unsigned increment, bool clear) {
    if (clear) {
      z.set(0);
    } else {
      z.increment(increment);
    }
  };
  step_y(adc.channel[0].y, get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcCR) != 0, get(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcClear) != 0);
  step_y(adc.channel[1].y, get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstCR) != 0, get(thread_cfg::ADDR_MOD_PACK_SEC0_YdstClear) != 0);
  step_z(adc.channel[0].z, get(thread_cfg::ADDR_MOD_PACK_SEC0_ZsrcIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_ZsrcClear) != 0);
  step_z(adc.channel[1].z, get(thread_cfg::ADDR_MOD_PACK_SEC0_ZdstIncr),
         get(thread_cfg::ADDR_MOD_PACK_SEC0_ZdstClear) != 0);
}

}  // namespace kerr::emu::tensix
