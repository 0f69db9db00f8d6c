#include "emu/tensix/pack/rows.hpp"

#include <fmt/format.h>

#include <cstring>

namespace kerr::emu::tensix {

using math::kColumns;

namespace {

constexpr unsigned kDatumIndexMask = 0x3FFF;  // 1,024 rows of 16
constexpr unsigned kFaceRows = 16;

// Cold paths, out of line.
[[gnu::noinline]] Issue bad_range(uint32_t first, uint32_t last) {
  return Issue::undefined(
      fmt::format("packer reads from X = {} to X = {}; a PACR takes 1 to 16 datums of a row", first, last),
      "Set the packer's X counters with SETADCXX.");
}
[[gnu::noinline]] Issue beyond_row(unsigned per_row, unsigned column, unsigned row) {
  return Issue::undefined(
      fmt::format("packer reads {} datums from column {} of Dst row {} on: beyond the row", per_row, column, row));
}
[[gnu::noinline]] Issue no_such_row(unsigned row) {
  return Issue::undefined(fmt::format("packer reads Dst row {}, which does not exist", row));
}
[[gnu::noinline]] Issue refuse_strided() {
  return Issue::unsupported(
      "PACR with dst_access_mode = 1 is known with remap_addrs and swizzle_32b only: no document says which rows it "
      "reads without");
}
[[gnu::noinline]] Issue beyond_group(unsigned interfaces, unsigned row) {
  return Issue::undefined(
      fmt::format("PACR with read_intf_sel = {} from Dst row {} on: interfaces lie in aligned groups of four rows",
                  interfaces, row));
}

[[gnu::noinline]] Issue refuse_shared_l1(unsigned interfaces) {
  return Issue::unsupported(
      fmt::format(
          "PACR with read_intf_sel = {} while Source_interface_selection = 1: the ISA page packs from L1 through "
          "Wormhole's packer 0, which is interface 0 here, and Blackhole's PACR page says nothing of the others",
          interfaces),
      "Use read_intf_sel = 1.");
}
[[gnu::noinline]] Issue beyond_l1(uint32_t address, unsigned bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("packer reads {} bytes of L1 at {:#x}; L1 ends at {:#x}", bytes, address, L1::kBytes),
                      "Check L1_source_addr, the base address and the packer's counters.", address);
}

// The address of channel 0, in bytes by In_data_format.
uint32_t input_bytes(const PackSettings& s, const AdcChannel& in) {
  return s.in_base + in.x.value * s.in_x_stride + in.y.value * s.in_y_stride + in.z.value * s.in_z_stride +
         in.w.value * s.in_w_stride;
}

Issue choose_columns(const Adc& adc, PackRows& rows) {
  const uint32_t x_first = adc.channel[0].x.value, x_last = adc.channel[1].x.value;
  if (x_last < x_first || x_last - x_first + 1 > kColumns) return bad_range(x_first, x_last);
  rows.per_row = x_last - x_first + 1;
  return Issue::done();
}

}  // namespace

Issue choose_l1_row(const PackSettings& s, const Adc& adc, unsigned interfaces, PackRows& rows) {
  constexpr uint32_t kLowBits = 0x3FFF0, kAddressMask = 0x1FFFFF;
  if (interfaces != 1) return refuse_shared_l1(interfaces);
  if (Issue refused = choose_columns(adc, rows); !refused.is_done()) return refused;
  const AdcChannel& in = adc.channel[0];
  const uint32_t in_16_bytes = (16u >> s.in_datum_shift) - 1;
  rows.l1_address =
      (s.l1_source + (input_bytes(s, in) & kLowBits) + ((in.x.value & in_16_bytes) << s.in_datum_shift)) & kAddressMask;
  rows.count = 1;
  const unsigned bytes = rows.per_row << s.in_datum_shift;
  return L1::contains(rows.l1_address, bytes) ? Issue::done() : beyond_l1(rows.l1_address, bytes);
}

void read_l1_row(const L1& l1, const PackRows& rows, unsigned datum_shift, uint32_t* raw) {
  const size_t size = size_t{1} << datum_shift;
  l1.will_read(rows.l1_address, static_cast<uint32_t>(rows.per_row * size));
  for (unsigned c = 0; c < rows.per_row; ++c) {
    raw[c] = 0;
    std::memcpy(&raw[c], l1.data() + rows.l1_address + c * size, size);
  }
}

Issue choose_rows(const PackSettings& s, const Adc& adc, unsigned interfaces, bool strided, PackRows& rows) {
  if (Issue refused = choose_columns(adc, rows); !refused.is_done()) return refused;
  const AdcChannel& in = adc.channel[0];
  const uint32_t in_16_bytes = (16u >> s.in_datum_shift) - 1;
  const uint32_t bytes = input_bytes(s, in);
  const uint32_t datum =
      ((bytes >> s.in_datum_shift & ~in_16_bytes) + (in.x.value & in_16_bytes) + s.dst_offset_rows * kColumns) &
      kDatumIndexMask;
  const unsigned start = datum / kColumns;
  rows.column = datum % kColumns;
  if (rows.column + rows.per_row > kColumns) return beyond_row(rows.per_row, rows.column, start);

  if (strided) {
    // Interface i reads the same row of face i: what LLK's untilizing pack takes interfaces 2 and 3 for.
    if (!rows.addressing.remap_addrs || !rows.addressing.swizzle_32b) return refuse_strided();
  } else {
    // Where remap_addrs and swizzle_32b put a row does not touch its place in a group of four.
    if (interfaces << (start & 3) > 0xF) return beyond_group(interfaces, start);
  }
  const unsigned step = strided ? kFaceRows : 1;
  rows.count = 0;
  for (unsigned row = start; interfaces != 0; row += step, interfaces >>= 1) {
    if (!(interfaces & 1)) continue;
    if (row >= Dst::kRows) return no_such_row(row);
    rows.row[rows.count++] = static_cast<uint16_t>(row);
  }
  return Issue::done();
}

void read_row(const Dst& dst, const PackRows& rows, unsigned k, bool read_32b, uint32_t* raw) {
  const unsigned physical = read_32b ? rows.addressing.row_32(rows.row[k]) : rows.addressing.row_16(rows.row[k]);
  const uint16_t* high = dst.row(physical) + rows.column;
  const uint16_t* low = dst.row(physical + Dst::kLowHalf) + rows.column;
  const uint32_t mask = dst.valid(physical) ? ~0u : 0;
  for (unsigned c = 0; c < rows.per_row; ++c) raw[c] = (read_32b ? uint32_t{high[c]} << 16 | low[c] : high[c]) & mask;
}

}  // namespace kerr::emu::tensix
