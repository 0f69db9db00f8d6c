#include "emu/tensix/unpack/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kerr::emu::tensix {
namespace {

constexpr uint32_t kDatumsPerExponent = 16;

uint64_t round_up_16(uint64_t bytes) { return (bytes + 15) & ~uint64_t{15}; }

Issue beyond_l1(const UnpackSettings& s, const char* what, uint64_t address, uint64_t bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("unpacker {} (context {}) reads {:#x} bytes of {} at {:#x}; L1 ends at {:#x}",
                                  s.unpacker, s.context, bytes, what, address, L1::kBytes),
                      "Check the base address, the tile descriptor and the address counters.", address);
}

// Where in L1 the datums from `k` on lie: a pointer to a multiple of 16 datums of the tile, so that datum and exponent
// numbers stay in step, and the index behind it.
struct Place {
  const uint8_t* data;
  const uint8_t* exponents;
  size_t first;
};

Place place(const UnpackSource& s, const L1& l1, uint32_t k) {
  const uint32_t bits = math::datum_bits(s.format.in);
  if (s.group_datums != 0) {
    const uint32_t group = s.start() + k / s.group_datums * s.group_bytes;
    return {l1.data() + group, l1.data() + s.exponents + (s.first + k) / kDatumsPerExponent, k % s.group_datums};
  }
  const uint32_t index = s.first + k;
  const uint32_t sixteens = index / kDatumsPerExponent;
  return {l1.data() + s.data + uint64_t{sixteens} * kDatumsPerExponent * bits / 8, l1.data() + s.exponents + sixteens,
          index % kDatumsPerExponent};
}

// Calls convert(data, exponents, first, count, offset) for [k, k + n); a forced exponent is spread over a small table.
template <class Convert>
void convert_run(const UnpackSource& s, const L1& l1, uint32_t k, uint32_t n, Convert convert) {
  if (!s.forced_exponent) {
    const Place p = place(s, l1, k);
    convert(p.data, p.exponents, p.first, n, 0);
    return;
  }
  std::array<uint8_t, 16> exponents;
  exponents.fill(s.forced_exponent_value);
  constexpr uint32_t kChunk = 15 * kDatumsPerExponent;  // and up to 15 datums before it
  for (uint32_t done = 0; done < n; done += kChunk) {
    const Place p = place(s, l1, k + done);
    convert(p.data, exponents.data(), p.first, std::min(kChunk, n - done), done);
  }
}

}  // namespace

void UnpackSource::to_src(const L1& l1, uint32_t k, uint32_t n, math::Cell* out) const {
  convert_run(*this, l1, k, n, [&](auto* bytes, auto* shared, size_t from, size_t how_many, size_t at) {
    // The vector form takes whole groups of sixteen; datums before and behind them are converted one by one.
    const size_t groups = to_cells != nullptr && from == 0 ? how_many / kDatumsPerExponent : 0;
    const size_t whole = groups * kDatumsPerExponent;
    if (groups != 0) to_cells(bytes, shared, groups, out + at);
    if (whole != how_many) math::unpack_to_src(format, bytes, shared, from + whole, how_many - whole, out + at + whole);
  });
}

void UnpackSource::to_dst(const L1& l1, uint32_t k, uint32_t n, uint32_t* out) const {
  convert_run(*this, l1, k, n, [&](auto* bytes, auto* shared, size_t from, size_t how_many, size_t at) {
    math::unpack_to_dst(format, bytes, shared, from, how_many, out + at);
  });
}

// Announces the read of compressed data: from the first datum to the end of the last one's group.
void UnpackSource::announce(const L1& l1) const {
  const uint32_t bits = math::datum_bits(format.in);
  const auto tell = [&](uint64_t from, uint64_t to) {
    l1.will_read(static_cast<uint32_t>(from), static_cast<uint32_t>(std::min<uint64_t>(to, L1::kBytes) - from));
  };
  if (math::has_shared_exponent(format.in) && !forced_exponent) {
    tell(exponents + first / kDatumsPerExponent, exponents + (uint64_t{first} + reads - 1) / kDatumsPerExponent + 1);
  }
  if (compressed) {
    return tell(CompressedDatum(data, first, bits).group, CompressedDatum(data, first + reads - 1, bits).run + 1);
  }
  if (group_datums == 0) return tell(start(), data + ((uint64_t{first} + reads) * bits + 7) / 8);
  for (uint32_t k = 0; k < reads; k += group_datums) {
    const uint32_t from = start() + k / group_datums * group_bytes;
    tell(from, from + run(k, reads - k) * bits / 8);
  }
}

namespace {

constexpr uint32_t kMostPositions = 1u << 24;

// What X and Y say for plain data: 11.3.
struct Window {
  uint32_t x, y, end;
};
Window window(const UnpackSettings& s, const Adc& x_y) {
  const uint32_t x = x_y.channel[0].x.value, y = x_y.channel[0].y.value, x_end = x_y.channel[1].x.value;
  if (!s.row_search) return {x, y, x_end + 1};
  if (s.blobs == 0) return {0, y, x_end};
  const auto start = [&](unsigned blob) { return (s.blobs_y_start >> 4 * (blob & 7) & 15) * 16; };
  const unsigned next = (x & 7) + 1;
  return {start(y), 0, next == s.blobs ? s.x_dim & 0x1F0 : start(next)};
}

// First and number of datums of compressed data, from the table of row starts.
Issue find_row(const UnpackSettings& s, const Adc& x_y, uint64_t plane, uint64_t table, const L1& l1,
               UnpackSource& source) {
  const uint32_t x = x_y.channel[0].x.value, y = x_y.channel[0].y.value & 0xFF, x_end = x_y.channel[1].x.value;
  const uint64_t rows = table + 2 * plane * (s.row_search && s.blobs != 0 ? s.blobs : s.y_dim);
  const auto entry = [&](uint64_t n, uint32_t& value) {
    const uint64_t at = rows + 2 * n;
    if (!L1::contains(at, 2)) return beyond_l1(s, "row starts", at, 2);
    l1.will_read(static_cast<uint32_t>(at), 2);
    value = l1.load<uint16_t>(static_cast<uint32_t>(at));
    return Issue::done();
  };
  if (Issue refused = entry(y, source.first); !refused.is_done()) return refused;
  if (!s.row_search && (x != 0 || x_end + 1 != s.x_dim)) {
    if (x_end < x) {
      return Issue::undefined(fmt::format("unpacker {} reads from X = {} to X = {}: nothing", s.unpacker, x, x_end));
    }
    source.drop = x;
    source.count = x_end + 1 - x;
    source.reads = ~0u;
    return Issue::done();
  }
  uint32_t next = 0;
  if (Issue refused = entry((s.row_search ? x & 0xFF : y) + 1, next); !refused.is_done()) return refused;
  if (next < source.first) {
    return Issue::undefined(fmt::format("unpacker {}: the compressed row starts at datum {} and ends at {}", s.unpacker,
                                        source.first, next));
  }
  source.reads = next - source.first;
  source.count = ~0u;
  return Issue::done();
}

// Follows the run lengths to see how much comes out, and that all of it lies inside L1.
Issue measure(const UnpackSettings& s, const L1& l1, UnpackSource& source) {
  const unsigned bits = math::datum_bits(s.format.in);
  const uint64_t wanted = uint64_t{source.drop} + source.count;
  uint64_t out = 0;
  uint32_t reads = 0;
  for (; reads < source.reads && out < wanted; ++reads) {
    const uint64_t k = uint64_t{source.first} + reads;
    const CompressedDatum datum(source.data, static_cast<uint32_t>(k), bits);
    if (!L1::contains(datum.run, 1)) return beyond_l1(s, "compressed datums", datum.run, 1);
    if (math::has_shared_exponent(s.format.in) && !source.forced_exponent &&
        !L1::contains(source.exponents + k / kDatumsPerExponent, 1)) {
      return beyond_l1(s, "shared exponents", source.exponents + k / kDatumsPerExponent, 1);
    }
    out += 1 + (s.zeros ? 0 : datum.zeros_behind(l1));
  }
  source.reads = reads;
  out = std::min(out, wanted);
  source.count = static_cast<uint32_t>(out > source.drop ? out - source.drop : 0);
  return Issue::done();
}

// A 5-bit exponent that the leading zeros of a magnitude take below 0 has no meaning. 11.5
Issue check_exponents(const UnpackSettings& s, const UnpackSource& source, const L1& l1) {
  const bool five = math::has_shared_exponent(s.format.in) && math::style_of(s.format.in) == math::Style::Fp16;
  if (!five || s.zeros || source.compressed) return Issue::done();
  const unsigned bits = math::datum_bits(s.format.in);
  for (uint32_t k = 0; k < source.count; ++k) {
    const Place p = place(source, l1, k);
    const unsigned datum = math::datum_at(s.format.in, p.data, p.first) << (8 - bits) & 0xFF;
    const unsigned exponent =
        source.forced_exponent ? source.forced_exponent_value : p.exponents[p.first / kDatumsPerExponent];
    if (!math::bfpa_exponent_fits(datum, exponent)) {
      return Issue::undefined(
          fmt::format("unpacker {}: datum {} of {} needs an exponent outside of 0..31 (shared exponent {})", s.unpacker,
                      source.first + k, math::name_of(s.format.in), exponent));
    }
  }
  return Issue::done();
}

}  // namespace

Issue locate(const UnpackSettings& s, const Adc& x_y, const Adc& z_w, const L1& l1, UnpackSource& source) {
  // The input side sees eight bits of Z and W (8.1).
  const uint32_t z = z_w.channel[0].z.value & 0xFF, w = z_w.channel[0].w.value & 0xFF;
  const uint64_t plane = uint64_t{w} * s.z_dim + z;
  const uint32_t bits = math::datum_bits(s.format.in);
  uint64_t address = uint64_t{s.base_16b} * 16;
  source.format = s.format;
  source.to_cells = s.to_dst ? nullptr : math::unpack_kernels()[0].find(s.format);
  source.upsampling = s.upsample_zeros;
  source.upsampling_skips = s.upsample_skips;
  source.compressed = s.compressed;
  source.zeros = s.zeros;
  source.forced_exponent = s.force_shared_exponent;
  source.forced_exponent_value = s.forced_shared_exponent;

  uint64_t first = 0;
  if (s.compressed) {
    if (Issue refused = find_row(s, x_y, plane, address, l1, source); !refused.is_done()) return refused;
    const uint64_t rows = uint64_t{s.blobs != 0 ? s.blobs : s.y_dim} * s.z_dim * s.w_dim;
    address += round_up_16(2 * (1 + rows));
    first = source.first;
  } else {
    const Window read = window(s, x_y);
    if (read.end <= read.x) {
      return Issue::undefined(
          fmt::format("unpacker {} reads from X = {} to X = {}: nothing", s.unpacker, read.x, int64_t{read.end} - 1),
          "Set the X counters with SETADCXX: start, inclusive end.");
    }
    source.count = source.reads = read.end - read.x;
    first = (plane * s.y_dim + read.y) * s.x_dim + read.x;
  }
  if (math::has_shared_exponent(s.format.in) && !s.force_shared_exponent) {
    if (!s.compressed) {
      const uint64_t bytes = (first + source.count - 1) / kDatumsPerExponent + 1;
      if (!L1::contains(address, bytes)) return beyond_l1(s, "shared exponents", address, bytes);
    } else if (!L1::contains(address, 1)) {
      return beyond_l1(s, "shared exponents", address, 1);
    }
    source.exponents = static_cast<uint32_t>(address);
    const uint64_t datums = uint64_t{s.x_dim} * s.y_dim * s.z_dim * s.w_dim;
    if (!s.no_exponent_section) address += round_up_16((datums + kDatumsPerExponent - 1) / kDatumsPerExponent);
  }
  if (s.compressed) {
    if (!L1::contains(address, 1)) return beyond_l1(s, "compressed datums", address, 1);
    source.data = static_cast<uint32_t>(address);
    if (Issue refused = measure(s, l1, source); !refused.is_done()) return refused;
  } else if (!s.tileize) {  // first < 2^41 and bits <= 32, so nothing wraps
    const uint64_t bytes = ((first + source.count) * bits + 7) / 8;
    if (!L1::contains(address, bytes)) return beyond_l1(s, "datums", address, bytes);
  } else {
    const uint32_t group = bits == 8 ? 16 : 32;
    const uint64_t start = address + first * bits / 8;
    const uint32_t in_last_group = (source.count - 1) % group + 1;
    const uint64_t bytes = uint64_t{(source.count - 1) / group} * s.tileize_stride_bytes + in_last_group * bits / 8;
    if (start % 16 != 0) {
      return Issue::fault(
          FaultCategory::Misaligned,
          fmt::format("unpacker {}: Tileize_mode reads from {:#x}, which is no multiple of 16", s.unpacker, start), {},
          start);
    }
    if (!L1::contains(start, bytes)) return beyond_l1(s, "datums (Tileize_mode)", start, bytes);
    source.group_datums = group;
    source.group_bytes = s.tileize_stride_bytes;
  }
  source.data = static_cast<uint32_t>(address);
  source.first = static_cast<uint32_t>(first);
  if (source.count > kMostPositions) {
    return Issue::undefined(fmt::format("unpacker {} makes {} datums of one row", s.unpacker, source.count));
  }
  if (Issue refused = check_exponents(s, source, l1); !refused.is_done()) return refused;
  if (s.transpose && source.start() % 16 != 0) {
    return Issue::fault(
        FaultCategory::Misaligned,
        fmt::format("unpacker 0: Haloize_mode reads from {:#x}, which is no multiple of 16", source.start()), {},
        source.start());
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
