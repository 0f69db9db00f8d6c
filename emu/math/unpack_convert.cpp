#include "emu/math/unpack_convert.hpp"

#include <bit>
#include <cstring>

namespace kerr::emu::math {
namespace {

// Formats that an unpacker stores in the same way as `f`: naming a sibling as the output format changes nothing.
bool same_storage(Format in, Format out) {
  if (in == out) return true;
  switch (in) {
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2: return out == Format::Bf16 || out == Format::Tf32;
    case Format::Fp8:
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a: return out == Format::Fp16;
    default: return false;
  }
}

const char* pair_refusal(const UnpackFormat& f) {
  if (!is_named(f.in) || !is_named(f.out)) return "data format codes 12 and 13 are reserved";
  if (f.in == Format::Fp32) {
    const bool ok = f.out == Format::Fp32 || f.out == Format::Tf32 || f.out == Format::Bf16 || f.out == Format::Fp16;
    return ok ? nullptr : "FP32 unpacks to FP32, TF32, BF16 or FP16 only";
  }
  if (f.in == Format::Tf32 && f.out == Format::Fp32) return nullptr;
  return same_storage(f.in, f.out) ? nullptr
                                   : "the unpacker converts FP32 only; other input formats must equal the output";
}

// The 8-bit form of a narrow block-float datum: left-justified.
unsigned left_justified(Format f, uint32_t datum) { return datum << (8 - datum_bits(f)) & 0xFF; }

// One datum of a 16-bit or narrower format, or FP32 that becomes one, as a cell.
Cell convert(const UnpackFormat& f, uint32_t datum, unsigned exponent) {
  switch (f.in) {
    case Format::Fp32:
      if (f.out == Format::Bf16) return cell_from_bf16(truncate_to_bf16(datum));
      if (f.out == Format::Fp16) return cell_from_fp16(truncate_to_fp16(datum));
      return cell_from_fp32(datum);
    case Format::Bf16: return cell_from_bf16(static_cast<uint16_t>(datum));
    case Format::Fp16: return cell_from_fp16(static_cast<uint16_t>(datum));
    case Format::Bfp8:
    case Format::Bfp4:
    case Format::Bfp2: return cell_from_bf16(bf16_from_bfp(left_justified(f.in, datum), exponent));
    case Format::Bfp8a:
    case Format::Bfp4a:
    case Format::Bfp2a: return cell_from_fp16(fp16_from_bfpa(left_justified(f.in, datum), exponent));
    case Format::Fp8: return cell_from_fp16(fp16_from_fp8(datum, f.fp8_e4m3));
    case Format::Int8: return cell_from_int8(datum, f.unsigned_int8);
    // Opaque bits: placed so that the BF16 shuffle of a move to Dst gives them back.
    case Format::Int16: return cell_from_bf16(decode_bf16(static_cast<uint16_t>(datum)));
    default: return 0;
  }
}

uint16_t load16(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
uint32_t load32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

const char* unpack_to_src_refusal(const UnpackFormat& f) {
  if (const char* why = pair_refusal(f)) return why;
  if (f.in == Format::Int32 || f.in == Format::Tf32 || (f.in == Format::Fp32 && f.out == Format::Fp32))
    return "32-bit data has no form in SrcA and SrcB";
  return nullptr;
}

const char* unpack_to_dst_refusal(const UnpackFormat& f) {
  if (const char* why = pair_refusal(f)) return why;
  if (datum_bits(f.out) == 32 && datum_bits(f.in) != 32) return "16-bit data cannot be unpacked to a 32-bit Dst";
  return nullptr;
}

uint32_t datum_at(Format f, const uint8_t* data, size_t index) {
  switch (datum_bits(f)) {
    case 32: return load32(data + 4 * index);
    case 16: return load16(data + 2 * index);
    case 8: return data[index];
    case 4: return data[index / 2] >> (index % 2 * 4) & 15;
    case 2: return data[index / 4] >> (index % 4 * 2) & 3;
    default: return 0;
  }
}

void unpack_to_src(const UnpackFormat& f, const uint8_t* data, const uint8_t* exponents, size_t first, size_t count,
                   Cell* out) {
  if (f.in == Format::Bf16) {  // the common case, in a form that compilers vectorise
    for (size_t n = 0; n < count; ++n) out[n] = cell_from_bf16(load16(data + 2 * (first + n)));
    return;
  }
  const bool shared = has_shared_exponent(f.in);
  for (size_t n = 0; n < count; ++n)
    out[n] = convert(f, datum_at(f.in, data, first + n), shared ? exponents[(first + n) / 16] : 0);
}

void unpack_to_dst(const UnpackFormat& f, const uint8_t* data, const uint8_t* exponents, size_t first, size_t count,
                   uint32_t* out) {
  const bool shared = has_shared_exponent(f.in);
  const bool wide = unpacks_to_wide_dst(f);
  const bool fp16 = style_of(f.out) == Style::Fp16;
  for (size_t n = 0; n < count; ++n) {
    const uint32_t datum = datum_at(f.in, data, first + n);
    if (wide) {
      out[n] = encode_32(datum);
    } else {
      const Cell c = convert(f, datum, shared ? exponents[(first + n) / 16] : 0);
      out[n] = fp16 ? encode_fp16(fp16_from_cell(c)) : encode_bf16(bf16_from_cell(c));
    }
  }
}

uint16_t bf16_from_bfp(unsigned datum8, unsigned exponent) {
  const unsigned sign = (datum8 & 0x80) << 8;
  const unsigned magnitude = datum8 << 1 & 0xFF;
  if (magnitude == 0) return static_cast<uint16_t>(sign ? 0xFF80 : 0);
  const int zeros = std::countl_zero(static_cast<uint8_t>(magnitude));
  const unsigned e = (exponent - static_cast<unsigned>(zeros)) & 0xFF;
  return static_cast<uint16_t>(sign | e << 7 | (magnitude << zeros & 0x7E));
}

uint16_t fp16_from_bfpa(unsigned datum8, unsigned exponent) {
  const unsigned sign = (datum8 & 0x80) << 8;
  const unsigned magnitude = datum8 << 1 & 0xFF;
  if (magnitude == 0) return static_cast<uint16_t>(sign ? 0xFC00 : 0);
  const int zeros = std::countl_zero(static_cast<uint8_t>(magnitude));
  const unsigned e = (exponent - static_cast<unsigned>(zeros)) & 0x1F;
  return static_cast<uint16_t>(sign | e << 10 | (magnitude << zeros & 0x7E) << 3);
}

uint16_t fp16_from_fp8(unsigned datum, bool e4m3) {
  const bool all_ones = (datum & 0x7F) == 0x7F;
  if (!e4m3) return static_cast<uint16_t>((datum << 8) + (all_ones ? 0xFF : 0));
  const unsigned e4 = datum >> 3 & 15;
  const unsigned e5 = e4 ? e4 + 8 : 0;
  return static_cast<uint16_t>((datum & 0x80) << 8 | e5 << 10 | (datum & 7) << 7 | (all_ones ? 0x7F : 0));
}

Cell cell_from_int8(unsigned datum, bool is_unsigned) {
  const unsigned magnitude = is_unsigned ? datum & 0xFF : datum & 0x7F;
  return make_cell(!is_unsigned && (datum & 0x80), magnitude ? 16 : 0, magnitude);
}

}  // namespace kerr::emu::math
