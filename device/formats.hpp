// Formats of the pages of circular buffers: FORMATS of kerr_add_kernel ("0=bf16 16=fp32", or "bf16" for all).
#pragma once

#include "arch/data_format.hpp"
#include "device/hart.hpp"

// With tt-metal's names and numbers.
enum class DataFormat : uint8_t {
  Float32 = 0,
  Float16 = 1,
  Bfp8 = 2,
  Bfp4 = 3,
  Tf32 = 4,
  Float16_b = 5,
  Bfp8_b = 6,
  Bfp4_b = 7,
  Int32 = 8,
  UInt16 = 9,
  Lf8 = 10,
  Bfp2 = 11,
  Int8 = 14,
  Bfp2_b = 15,
  UInt32 = 24,
  Fp8_e4m3 = 0x1A,
  UInt8 = 30,
  RawUInt8 = 0xF0,
  RawUInt16 = 0xF1,
  RawUInt32 = 0xF2,
  Invalid = 0xFF,
};

namespace kerr::device {

inline constexpr uint32_t kCircularBuffers = kLayout.circular_buffers;

// The names of FORMATS.
namespace format_names {
inline constexpr DataFormat fp32 = DataFormat::Float32, fp16 = DataFormat::Float16, tf32 = DataFormat::Tf32,
                            bf16 = DataFormat::Float16_b, bfp8a = DataFormat::Bfp8, bfp4a = DataFormat::Bfp4,
                            bfp8 = DataFormat::Bfp8_b, bfp4 = DataFormat::Bfp4_b, bfp2 = DataFormat::Bfp2_b,
                            int32 = DataFormat::Int32, uint32 = DataFormat::UInt32, uint16 = DataFormat::UInt16,
                            int8 = DataFormat::Int8, uint8 = DataFormat::UInt8, fp8 = DataFormat::Lf8;
}  // namespace format_names

struct FormatOf {
  uint32_t id;
  DataFormat format;
};

inline constexpr uint32_t kEveryBuffer = ~0u;

struct FormatTable {
  DataFormat of[kCircularBuffers] = {};
  bool said[kCircularBuffers] = {};

  constexpr FormatTable() {
    using namespace format_names;
    // KERR_FORMATS is {id, format}, ... of kerr_add_kernel.
    constexpr FormatOf kSaid[] = {{kEveryBuffer, bf16},
#ifdef KERR_FORMATS
                                  KERR_FORMATS
#endif
    };
    bool first = true;
    for (const FormatOf& f : kSaid) {
      for (uint32_t id = 0; id < kCircularBuffers; ++id) {
        if (f.id != kEveryBuffer && f.id != id) continue;
        of[id] = f.format;
        said[id] = !first;
      }
      first = false;
    }
  }
};

/// By id of circular buffer; bf16 where FORMATS does not say it.
inline constexpr FormatTable kFormats;

/// Bytes of a tile of 32 x 32 in L1, or of a smaller one of `datums`.
constexpr uint32_t tile_bytes(DataFormat format, uint32_t datums = 1024) {
  switch (format) {
    case DataFormat::RawUInt8: return datums;
    case DataFormat::RawUInt16: return 2 * datums;
    case DataFormat::RawUInt32: return 4 * datums;
    default: break;
  }
  const arch::DataFormat code = arch::format_from_code(static_cast<unsigned>(format));
  return arch::datum_bits(code) * datums / 8 + (arch::has_shared_exponent(code) ? datums / 16 : 0);
}

}  // namespace kerr::device
