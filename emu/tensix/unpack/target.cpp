#include "emu/tensix/unpack/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using math::kColumns;
using math::kSrcRows;

namespace {

constexpr uint32_t kBankDatums = kSrcRows * kColumns;
constexpr uint32_t kFaceRows = 16;

struct Strides {
  uint32_t base, y, z, w;
};

Strides output_strides(const ConfigBank& c, unsigned unpacker) {
  if (unpacker == 0) {
    return {c.get(cfg::UNP0_ADDR_BASE_REG_1_Base), c.get(cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride),
            c.get(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride), c.get(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Wstride)};
  }
  return {c.get(cfg::UNP1_ADDR_BASE_REG_1_Base), c.get(cfg::UNP1_ADDR_CTRL_XY_REG_1_Ystride),
          c.get(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride), c.get(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Wstride)};
}

// The unpacker writes several rows of SrcA in a cycle; a burst across a 16-row boundary may lose rows on silicon.
Issue check_burst(const UnpackSettings& s, const UnpackTarget& t, uint32_t count) {
  const unsigned rows = std::clamp(s.burst_bytes_per_cycle / (2 * math::datum_bits(s.format.in)), 1u, 8u);
  const uint64_t row = t.datum / kColumns;  // the bias of four rows does not count
  if (count <= kColumns || row < 4 || (row - 4) % rows == 0) return Issue::done();
  return Issue::undefined(
      fmt::format("unpacker 0 writes SrcA from row {} on, {} rows a cycle: a burst across a 16-row boundary loses rows",
                  row - 4, rows),
      "Start at a row that is a multiple of the burst, or unpack at most 16 datums.");
}

constexpr uint32_t kFaceDatums = kFaceRows * kColumns;

// A whole face, written by columns.
void write_transposed_face(const UnpackSource& source, const L1& l1, uint32_t k, math::Cell (*face)[kColumns]) {
  alignas(64) math::Cell datums[kFaceRows][kColumns];
  for (uint32_t done = 0; done < kFaceDatums;) {
    const uint32_t n = source.run(k + done, kFaceDatums - done);
    source.to_src(l1, k + done, n, &datums[0][0] + done);
    done += n;
  }
  for (uint32_t r = 0; r < kFaceRows; ++r)
    for (uint32_t c = 0; c < kColumns; ++c) face[r][c] = datums[c][r];
}

}  // namespace

Issue aim(const ConfigBank& config, const ThreadConfig& thread, const UnpackSettings& s, const Adc& adc,
          unsigned row_base, const UnpackSource& source, UnpackTarget& t) {
  const Strides stride = output_strides(config, s.unpacker);
  const AdcChannel& out = adc.channel[1];
  const uint64_t bytes = stride.base + uint64_t{out.y.value} * stride.y + uint64_t{out.z.value} * stride.z +
                         uint64_t{out.w.value} * stride.w;
  const unsigned element = arch::counted_bytes(s.format.out);
  if (bytes % element != 0) {
    return Issue::fault(FaultCategory::Misaligned,
                        fmt::format("unpacker {}: output offset {:#x} is no multiple of the {} bytes of {}", s.unpacker,
                                    bytes, element, math::name_of(s.format.out)));
  }
  t.datum = bytes / element;
  t.kind = s.to_dst ? UnpackTarget::Kind::Dst : s.unpacker == 0 ? UnpackTarget::Kind::SrcA : UnpackTarget::Kind::SrcB;
  if (s.multi_context && s.unpacker == 0) t.datum = s.to_dst || s.add_dest_counter ? t.datum + s.dest : s.dest;
  t.row_base = row_base;
  t.row_as_is = thread.flag(thread_cfg::SRCA_SET_SetOvrdWithAddr);
  t.transpose = s.transpose;
  t.column_shift = s.column_shift;

  const uint64_t last_row = (t.datum + source.positions() - 1) / kColumns;
  switch (t.kind) {
    case UnpackTarget::Kind::SrcB:
      if (last_row + row_base >= kSrcRows) {
        return Issue::undefined(
            fmt::format("unpacker 1 writes row {} of SrcB, which has {}", last_row + row_base, kSrcRows));
      }
      return Issue::done();
    case UnpackTarget::Kind::SrcA:
      if (!t.row_as_is && last_row >= kFaceRows + 4) {
        return Issue::undefined(
            fmt::format(
                "unpacker 0 writes row {} of SrcA behind row {}: without SetOvrdWithAddr only 16 rows can be reached",
                last_row - 4, row_base),
            "Set SRCA_SET_SetOvrdWithAddr.");
      }
      return check_burst(s, t, source.positions());
    case UnpackTarget::Kind::Dst:
      if (t.row_as_is) {
        return Issue::undefined("unpacker 0 writes Dst while SRCA_SET_SetOvrdWithAddr = 1",
                                "Clear it first (SETC16 5, 0).");
      }
      if (t.column_shift != 0) {
        return Issue::undefined(
            fmt::format("unpacker 0: Shift_amount = {} columns with Dst as the target", t.column_shift));
      }
      return Issue::done();
  }
  return Issue::done();
}

namespace {

void put_src(const UnpackTarget& t, uint64_t datum, math::Cell cell, math::SrcBank& bank) {
  uint64_t row = datum / kColumns;
  uint32_t column = datum % kColumns;
  if (t.kind == UnpackTarget::Kind::SrcB) {
    bank.cells[(row + t.row_base) % kSrcRows][column] = cell;
    return;
  }
  if (row < kBiasDatums / kColumns || column < t.column_shift) return;
  row = (row - kBiasDatums / kColumns + (t.row_as_is ? 0 : t.row_base)) % kSrcRows;
  column -= t.column_shift;
  if (t.transpose) {
    const uint32_t in_face = row % kFaceRows;
    row = row - in_face + column;
    column = in_face;
  }
  bank.cells[row][column] = cell;
}

// The row becomes valid; cells of an invalid row that are not written become 0.
uint16_t* valid_row(Dst& dst, unsigned physical, bool wide) {
  if (!dst.valid(physical)) {
    std::fill_n(dst.row(physical), kColumns, 0);
    if (wide) std::fill_n(dst.row(physical + Dst::kLowHalf), kColumns, 0);
    dst.set_valid(physical, true);
  }
  return dst.row(physical);
}

}  // namespace

uint64_t rows_of(const UnpackSource& source, const UnpackTarget& t, bool whole) {
  const bool is_a = t.kind == UnpackTarget::Kind::SrcA;
  if (whole && ((is_a && t.column_shift != 0) || source.upsampling_skips)) return 0;
  const uint64_t bias = is_a ? kBiasDatums : 0;
  const uint64_t begin = std::max(t.datum, bias) - bias, end = std::max(t.datum + source.positions(), bias) - bias;
  const uint64_t unit = is_a && t.transpose ? kFaceDatums : kColumns;
  const uint64_t first = (whole ? begin + unit - 1 : begin) / unit, last = (whole ? end : end + unit - 1) / unit;
  uint64_t rows = 0;
  const uint64_t unit_rows = unit / kColumns;
  for (uint64_t row = first * unit_rows; row < last * unit_rows && row < first * unit_rows + kSrcRows; ++row) {
    rows |= uint64_t{1} << (row + (is_a && t.row_as_is ? 0 : t.row_base)) % kSrcRows;
  }
  return rows;
}

void write_src(const UnpackSource& source, const UnpackTarget& t, bool zeros, const L1& l1, math::SrcBank& bank) {
  if (source.one_by_one()) {
    bank.changed();
    source.each(l1, false, [&](uint32_t n, math::Cell cell) { put_src(t, t.datum + n, cell, bank); });
    return;
  }
  const bool is_a = t.kind == UnpackTarget::Kind::SrcA;
  const uint32_t base = (is_a && t.row_as_is ? 0 : t.row_base) * kColumns;
  const bool straight = !(is_a && (t.transpose || t.column_shift != 0));
  bank.changed();
  uint32_t k = 0;
  if (is_a && t.datum < kBiasDatums) k = static_cast<uint32_t>(kBiasDatums - t.datum);  // the rows in front
  const uint64_t origin = is_a ? t.datum - kBiasDatums : t.datum;                       // + k does not underflow
  std::array<math::Cell, kColumns> row;
  while (k < source.count) {
    const auto at = static_cast<uint32_t>((origin + k + base) % kBankDatums);
    if (is_a && t.transpose && !zeros && t.column_shift == 0 && at % kFaceDatums == 0 &&
        source.count - k >= kFaceDatums) {
      write_transposed_face(source, l1, k, &bank.cells[at / kColumns]);
      k += kFaceDatums;
      continue;
    }
    const uint32_t room = straight ? kBankDatums - at : kColumns - at % kColumns;
    const uint32_t n = source.run(k, std::min(source.count - k, room));
    math::Cell* out = straight ? &bank.cells[0][0] + at : row.data();
    if (zeros) {
      std::fill_n(out, n, 0);
    } else {
      source.to_src(l1, k, n, out);
    }
    if (!straight) {
      for (uint32_t j = 0; j < n; ++j) {
        uint32_t r = at / kColumns, c = at % kColumns + j;
        if (c < t.column_shift) continue;
        c -= t.column_shift;
        if (t.transpose) {
          const uint32_t block = r / kFaceRows * kFaceRows;
          r -= block;
          std::swap(r, c);
          r += block;
        }
        bank.cells[r][c] = row[j];
      }
    }
    k += n;
  }
}

void write_dst(const UnpackSource& source, const UnpackTarget& t, bool zeros, const L1& l1,
               const DstAddressing& addressing, Dst& dst) {
  const bool wide = math::unpacks_to_wide_dst(source.format);
  if (source.one_by_one()) {
    source.each(l1, true, [&](uint32_t n, uint32_t value) {
      const uint64_t at = t.datum + n;
      const unsigned logical = static_cast<unsigned>(at / kColumns - 4) & (Dst::kRows - 1);
      const unsigned physical = wide ? addressing.row_32(logical) : addressing.row_16(logical);
      valid_row(dst, physical, wide)[at % kColumns] = static_cast<uint16_t>(wide ? value >> 16 : value);
      if (wide) dst.row(physical + Dst::kLowHalf)[at % kColumns] = static_cast<uint16_t>(value);
    });
    return;
  }
  std::array<uint32_t, kColumns> row;
  for (uint32_t k = 0; k < source.count;) {
    const uint64_t at = t.datum + k;
    const unsigned logical = static_cast<unsigned>(at / kColumns - 4) & (Dst::kRows - 1);
    const auto column = static_cast<uint32_t>(at % kColumns);
    const uint32_t n = source.run(k, std::min(source.count - k, kColumns - column));
    if (zeros) {
      row.fill(0);
    } else {
      source.to_dst(l1, k, n, row.data());
    }
    const unsigned physical = wide ? addressing.row_32(logical) : addressing.row_16(logical);
    uint16_t* high = valid_row(dst, physical, wide);
    uint16_t* low = dst.row(physical + Dst::kLowHalf);
    for (uint32_t j = 0; j < n; ++j) {
      high[column + j] = static_cast<uint16_t>(wide ? row[j] >> 16 : row[j]);
      if (wide) low[column + j] = static_cast<uint16_t>(row[j]);
    }
    k += n;
  }
}

}  // namespace kerr::emu::tensix
