#include "emu/tensix/unpack/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kerr::emu::tensix {
namespace {

constexpr std::uint32_t kDatumsPerExponent = 16;

std::uint64_t round_up_16(std::uint64_t bytes) { return (bytes + 15) & ~std::uint64_t{15}; }

Issue beyond_l1(const UnpackSettings& s, const char* what, std::uint64_t address, std::uint64_t bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("unpacker {} (context {}) reads {:#x} bytes of {} at {:#x}; L1 ends at {:#x}",
                                  s.unpacker, s.context, bytes, what, address, L1::kBytes),
                      "Check the base address, the tile descriptor and the address counters.", address);
}

// Where in L1 the datums from `k` on lie: a pointer to a multiple of 16 datums of the tile, so that datum and exponent
// numbers stay in step, and the index behind it.
struct Place {
  const std::uint8_t* data;
  const std::uint8_t* exponents;
  std::size_t first;
};

Place place(const UnpackSource& s, const L1& l1, std::uint32_t k) {
  const std::uint32_t bits = math::datum_bits(s.format.in);
  if (s.group_datums != 0) {
    const std::uint32_t group = s.start() + k / s.group_datums * s.group_bytes;
    return {l1.data() + group, nullptr, k % s.group_datums};
  }
  const std::uint32_t index = s.first + k;
  const std::uint32_t sixteens = index / kDatumsPerExponent;
  return {l1.data() + s.data + std::uint64_t{sixteens} * kDatumsPerExponent * bits / 8,
          l1.data() + s.exponents + sixteens, index % kDatumsPerExponent};
}

// Calls convert(data, exponents, first, count, offset) for [k, k + n); a forced exponent is spread over a small table.
template <class Convert>
void convert_run(const UnpackSource& s, const L1& l1, std::uint32_t k, std::uint32_t n, Convert convert) {
  if (!s.forced_exponent) {
    const Place p = place(s, l1, k);
    convert(p.data, p.exponents, p.first, n, 0);
    return;
  }
  std::array<std::uint8_t, 16> exponents;
  exponents.fill(s.forced_exponent_value);
  constexpr std::uint32_t kChunk = 15 * kDatumsPerExponent;  // and up to 15 datums before it
  for (std::uint32_t done = 0; done < n; done += kChunk) {
    const Place p = place(s, l1, k + done);
    convert(p.data, exponents.data(), p.first, std::min(kChunk, n - done), done);
  }
}

}  // namespace

void UnpackSource::to_src(const L1& l1, std::uint32_t k, std::uint32_t n, math::Cell* out) const {
  convert_run(*this, l1, k, n, [&](auto* bytes, auto* shared, std::size_t from, std::size_t how_many, std::size_t at) {
    // The vector form takes whole groups of sixteen; what stands before and behind them goes datum by datum.
    const std::size_t groups = to_cells != nullptr && from == 0 ? how_many / kDatumsPerExponent : 0;
    const std::size_t whole = groups * kDatumsPerExponent;
    if (groups != 0) to_cells(bytes, shared, groups, out + at);
    if (whole != how_many) math::unpack_to_src(format, bytes, shared, from + whole, how_many - whole, out + at + whole);
  });
}

void UnpackSource::to_dst(const L1& l1, std::uint32_t k, std::uint32_t n, std::uint32_t* out) const {
  convert_run(*this, l1, k, n, [&](auto* bytes, auto* shared, std::size_t from, std::size_t how_many, std::size_t at) {
    math::unpack_to_dst(format, bytes, shared, from, how_many, out + at);
  });
}

Issue locate(const UnpackSettings& s, const Adc& x_y, const Adc& z_w, UnpackSource& source) {
  const std::uint32_t x0 = x_y.channel[0].x.value, y0 = x_y.channel[0].y.value, x_end = x_y.channel[1].x.value;
  // The input side sees eight bits of Z and W (8.1).
  const std::uint32_t z = z_w.channel[0].z.value & 0xFF, w = z_w.channel[0].w.value & 0xFF;
  if (x_end < x0) {
    return Issue::undefined(fmt::format("unpacker {} reads from X = {} to X = {}: nothing", s.unpacker, x0, x_end),
                            "Set the X counters with SETADCXX: start, inclusive end.");
  }
  const std::uint32_t count = x_end - x0 + 1;
  const std::uint64_t first = ((std::uint64_t{w} * s.z_dim + z) * s.y_dim + y0) * s.x_dim + x0;
  const std::uint32_t bits = math::datum_bits(s.format.in);

  std::uint64_t address = std::uint64_t{s.base_16b} * 16;
  source.format = s.format;
  source.to_cells = s.to_dst ? nullptr : math::unpack_kernels()[0].find(s.format);
  if (math::has_shared_exponent(s.format.in)) {
    source.forced_exponent = s.force_shared_exponent;
    source.forced_exponent_value = s.forced_shared_exponent;
    if (!s.force_shared_exponent) {
      const std::uint64_t bytes = (first + count - 1) / kDatumsPerExponent + 1;
      if (!L1::contains(address, bytes)) return beyond_l1(s, "shared exponents", address, bytes);
      source.exponents = static_cast<std::uint32_t>(address);
      const std::uint64_t datums = std::uint64_t{s.x_dim} * s.y_dim * s.z_dim * s.w_dim;
      address += round_up_16((datums + kDatumsPerExponent - 1) / kDatumsPerExponent);
    }
  }
  // first < 2^41 and bits <= 32, so nothing wraps.
  if (!s.tileize) {
    const std::uint64_t bytes = ((first + count) * bits + 7) / 8;
    if (!L1::contains(address, bytes)) return beyond_l1(s, "datums", address, bytes);
  } else {
    const std::uint32_t group = bits == 8 ? 16 : 32;
    const std::uint64_t start = address + first * bits / 8;
    const std::uint32_t in_last_group = (count - 1) % group + 1;
    const std::uint64_t bytes = std::uint64_t{(count - 1) / group} * s.tileize_stride_bytes + in_last_group * bits / 8;
    if (start % 16 != 0) {
      return Issue::fault(FaultCategory::Misaligned,
                          fmt::format("unpacker 0: Tileize_mode reads from {:#x}, which is no multiple of 16", start),
                          {}, start);
    }
    if (!L1::contains(start, bytes)) return beyond_l1(s, "datums (Tileize_mode)", start, bytes);
    source.group_datums = group;
    source.group_bytes = s.tileize_stride_bytes;
  }
  source.data = static_cast<std::uint32_t>(address);
  source.first = static_cast<std::uint32_t>(first);
  source.count = count;
  if (s.transpose && source.start() % 16 != 0) {
    return Issue::fault(
        FaultCategory::Misaligned,
        fmt::format("unpacker 0: Haloize_mode reads from {:#x}, which is no multiple of 16", source.start()), {},
        source.start());
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
