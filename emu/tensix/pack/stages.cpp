// What happens to the datums of one PACR between Dst and the output streams.   docs/hardware/tensix-datapath.md 12.4 to
// 12.8. convert() is the definition; convert_whole_rows() does the same to whole rows when nothing but formats and ReLU
// is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emu/tensix/pack/packer.hpp"

namespace kerr::emu::tensix {

using isa::tensix::PACR;
using math::kColumns;

namespace {

alignas(64) constexpr uint16_t kZeroRow[kColumns] = {};

template <class T>
void store_as(const uint32_t* datums, unsigned count, uint8_t* to) {
  for (unsigned n = 0; n < count; ++n) {
    const T datum = static_cast<T>(datums[n]);
    std::memcpy(to + n * sizeof(T), &datum, sizeof(T));
  }
}

// row_pad_zero: bits 1:0 when, bit 2 how. 12.1
bool pads(const PACR& i) {
  switch (i.row_pad_zero & 3) {
    case 1: return true;
    case 2: return i.concat == 0;
    case 3: return i.last != 0;
    default: return false;
  }
}
bool pads_rows(const PACR& i) { return pads(i) && !(i.row_pad_zero & 4); }
bool pads_sum(const PACR& i) { return pads(i) && (i.row_pad_zero & 4); }

unsigned to_sixteen(unsigned n) { return (kColumns - n % kColumns) % kColumns; }

}  // namespace

// Whole rows anywhere: as many at once as lie side by side and are valid.
void Packer::pack_whole_rows(const PackRows& rows, Packed& packed) {
  const PackSettings& s = settings_;
  const auto physical = [&](unsigned k) {
    return s.format.read_32b ? rows.addressing.row_32(rows.row[k]) : rows.addressing.row_16(rows.row[k]);
  };
  for (unsigned k = 0; k < rows.count;) {
    const unsigned first = physical(k);
    unsigned n = 1;
    math::PackJob job;
    job.high = job.low = kZeroRow;
    if (dst_.valid(first)) {
      while (k + n < rows.count && physical(k + n) == first + n && dst_.valid(first + n)) ++n;
      job.high = dst_.row(first);
      job.low = dst_.row(first + Dst::kLowHalf);
    }
    job.datums = n * kColumns;
    job.data = &packed.data[k * s.row_bytes];
    job.exponents = &packed.exponents[k];
    convert_whole_rows(job);
    k += n;
  }
  packed.data_bytes = rows.count * s.row_bytes;
  packed.exponent_bytes = s.bfp_out ? rows.count : 0;
}

// Row k of those that this PACR reads: the columns that pass. 12.5
uint16_t Packer::edge_mask(unsigned k) const {
  const PackSettings& s = settings_;
  const unsigned y = s.yz_transposed ? tile_y_ : tile_y_ + k,
                 z = (s.yz_transposed ? tile_z_ + k : tile_z_) + s.dst_z_offset;
  const unsigned row_set = s.edge_by_face ? s.face_set_mapping[s.edge_face_set] >> (2 * (z & 15)) & 3 : s.edge_row_set;
  return s.edge_mask[s.row_set_mapping[row_set] >> (2 * (y & 15)) & 3];
}

// Row k up to the exponent threshold.
void Packer::convert_row(const math::PackPath& path, const PACR& i, const PackRows& rows, unsigned k,
                         uint32_t* datums) {
  const PackSettings& s = settings_;
  const uint16_t mask = s.no_mask ? 0xFFFF : edge_mask(k);
  const bool count = counts_exponents_;
  if (i.zero_write) {
    std::fill_n(datums, rows.per_row, 0);
  } else if (s.format.from_l1) {
    read_l1_row(l1_, rows, s.in_datum_shift, datums);
  } else {
    read_row(dst_, rows, k, s.format.read_32b, datums);
  }
  for (unsigned c = 0; c < rows.per_row; ++c) {
    uint32_t v = path.early(datums[c]);
    if (!(mask >> (rows.column + c) & 1)) v = s.edge_minus_infinity ? path.minus_infinity() : 0;
    v = path.relu(v);
    const unsigned exponent = path.exponent(v);
    if (path.middle() != math::Middle::Int8) signals_.note_exponent(static_cast<uint8_t>(exponent), count);
    if (s.exponent_threshold && exponent < *s.exponent_threshold) v = 0;
    datums[c] = v;
  }
}

Issue Packer::convert(const PACR& i, const PackRows& rows, Packed& packed) {
  const PackSettings& s = settings_;
  const math::PackPath path(s.format);
  if (path.middle() == math::Middle::Int8 && counts_exponents_) {
    return Issue::unsupported("packer: what the exponent histogram counts for INT8 is not documented");
  }
  // How many datums each row keeps, before anything changes.
  unsigned kept = 0;
  for (unsigned c = 0; c < rows.per_row; ++c) kept += s.downsample_mask >> (c % kColumns) & 1;
  const unsigned per_row = kept + (pads_rows(i) ? to_sixteen(kept) : 0);
  unsigned total = rows.count * per_row;
  if (pads_sum(i)) total += to_sixteen(padded_ + total);
  if (s.bfp_out && per_row != kColumns) {
    return Issue::unsupported(
        fmt::format("packer: {} datums a row as {}: how formats with shared exponents group rows that are not sixteen "
                    "datums long is not documented",
                    per_row, math::name_of(s.format.out)));
  }
  const bool kept_all = kept == rows.per_row;
  std::array<uint32_t, kMostDatums> out{};
  for (unsigned k = 0; k < rows.count; ++k) {
    std::array<uint32_t, kColumns> datums;
    convert_row(path, i, rows, k, datums.data());
    uint32_t* to = &out[k * per_row];
    for (unsigned c = 0; c < rows.per_row; ++c)
      if (kept_all || s.downsample_mask >> c & 1) *to++ = path.late(datums[c]);
  }
  padded_ = static_cast<uint8_t>((padded_ + total) & 15);
  assemble(out.data(), total, packed);
  return Issue::done();
}

void Packer::assemble(const uint32_t* datums, unsigned count, Packed& packed) const {
  const unsigned bits = math::datum_bits(settings_.format.out);
  if (settings_.bfp_out) {
    for (unsigned g = 0; g < count / kColumns; ++g) {
      packed.exponents[g] = math::assemble_bfp(settings_.format.out, &datums[g * kColumns], &packed.data[g * 2 * bits]);
    }
    packed.exponent_bytes = count / kColumns;
  } else if (bits == 32) {
    store_as<uint32_t>(datums, count, packed.data.data());
  } else if (bits == 16) {
    store_as<uint16_t>(datums, count, packed.data.data());
  } else {
    store_as<uint8_t>(datums, count, packed.data.data());
  }
  packed.data_bytes = size_t{count} * bits / 8;
}

}  // namespace kerr::emu::tensix
