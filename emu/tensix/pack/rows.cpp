#include "emu/tensix/pack/rows.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {

using math::kColumns;

namespace {

constexpr unsigned kDatumIndexMask = 0x3FFF;  // 1,024 rows of 16
constexpr unsigned kFaceRows = 16;

// Cold paths, out of line.
[[gnu::noinline]] Issue bad_range(std::uint32_t first, std::uint32_t last) {
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
[[gnu::noinline]] Issue refuse_normal() {
  return Issue::unsupported(
      "PACR with dst_access_mode = 0 while remap_addrs or swizzle_32b is set: no document says which rows it reads");
}
[[gnu::noinline]] Issue beyond_group(unsigned interfaces, unsigned row) {
  return Issue::undefined(
      fmt::format("PACR with read_intf_sel = {} from Dst row {} on: interfaces lie in aligned groups of four rows",
                  interfaces, row));
}

}  // namespace

Issue choose_rows(const PackSettings& s, const Adc& adc, unsigned interfaces, bool strided, PackRows& rows) {
  const AdcChannel& in = adc.channel[0];
  const std::uint32_t x_first = in.x.value, x_last = adc.channel[1].x.value;
  if (x_last < x_first || x_last - x_first + 1 > kColumns) return bad_range(x_first, x_last);
  rows.per_row = x_last - x_first + 1;

  const std::uint32_t in_16_bytes = (16u >> s.in_datum_shift) - 1;
  const std::uint32_t bytes = s.in_base + x_first * s.in_x_stride + in.y.value * s.in_y_stride +
                              in.z.value * s.in_z_stride + in.w.value * s.in_w_stride;
  const std::uint32_t datum =
      ((bytes >> s.in_datum_shift & ~in_16_bytes) + (x_first & in_16_bytes) + s.dst_offset_rows * kColumns) &
      kDatumIndexMask;
  const unsigned start = datum / kColumns;
  rows.column = datum % kColumns;
  if (rows.column + rows.per_row > kColumns) return beyond_row(rows.per_row, rows.column, start);

  if (strided) {
    // Interface i reads the same row of face i: what LLK's untilizing pack takes interfaces 2 and 3 for.
    if (!rows.addressing.remap_addrs || !rows.addressing.swizzle_32b) return refuse_strided();
  } else {
    if (rows.addressing.remap_addrs || rows.addressing.swizzle_32b) return refuse_normal();
    if (interfaces << (start & 3) > 0xF) return beyond_group(interfaces, start);
  }
  const unsigned step = strided ? kFaceRows : 1;
  rows.count = 0;
  for (unsigned row = start; interfaces != 0; row += step, interfaces >>= 1) {
    if (!(interfaces & 1)) continue;
    if (row >= Dst::kRows) return no_such_row(row);
    rows.row[rows.count++] = static_cast<std::uint16_t>(row);
  }
  return Issue::done();
}

void read_row(const Dst& dst, const PackRows& rows, unsigned k, bool read_32b, std::uint32_t* raw) {
  const unsigned physical = read_32b ? rows.addressing.row_32(rows.row[k]) : rows.addressing.row_16(rows.row[k]);
  const std::uint16_t* high = dst.row(physical) + rows.column;
  const std::uint16_t* low = dst.row(physical + Dst::kLowHalf) + rows.column;
  const std::uint32_t mask = dst.valid(physical) ? ~0u : 0;
  for (unsigned c = 0; c < rows.per_row; ++c)
    raw[c] = (read_32b ? std::uint32_t{high[c]} << 16 | low[c] : high[c]) & mask;
}

}  // namespace kerr::emu::tensix
