// Tiles of a section of Dst: 8 of 16 bits a datum, or 4 of 32; wide tile n takes the place of narrow tiles 2 n and 2 n
// + 1. docs/hardware/tensix-math.md 2
#include <algorithm>

#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using vector::DstMode;

namespace {

constexpr uint32_t kNarrowTiles = 8, kWideTiles = 4;

}  // namespace

DstNumber operand_in_dst(Format format, Type type) {
  switch (format) {
    case Format::Fp32:
    case Format::Int32:
      if (type == Type::Float) return {.mode = DstMode::Fp32};
      return {.mode = DstMode::Int32, .form = DstNumber::Form::SignMagnitude};
    case Format::Fp16: return {.mode = DstMode::Configured};
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4: return {.mode = DstMode::Bf16};
    case Format::Int8:
    case Format::Uint8: return {.mode = DstMode::Int8, .form = DstNumber::Form::SignMagnitude};
    case Format::Int16: return {.mode = DstMode::Low16, .form = DstNumber::Form::Signed16};
    case Format::Uint16: return {.mode = DstMode::Low16};
  }
  return {};
}

DstNumber result_in_dst(Format format) {
  switch (format) {
    case Format::Fp32:
    case Format::Bfp8:
    case Format::Bfp4: return {.mode = DstMode::Fp32};  // the packer rounds
    case Format::Fp16: return {.mode = DstMode::Fp32, .form = DstNumber::Form::ToFp16};
    case Format::Bf16: return {.mode = DstMode::Bf16, .form = DstNumber::Form::ToBf16};
    case Format::Int32:
    case Format::Int8:
    case Format::Uint8: return {.mode = DstMode::Int32, .form = DstNumber::Form::SignMagnitude};
    case Format::Int16:
    case Format::Uint16: return {.mode = DstMode::Low16};
  }
  return {};
}

PackedFrom packed_from(Format out) {
  switch (out) {
    case Format::Bf16:
    case Format::Int16:
    case Format::Uint16: return {info(out).in_l1, false};
    case Format::Int32:
    case Format::Int8:
    case Format::Uint8: return {info(out).in_l1, true};
    default: return {arch::DataFormat::Fp32, true};
  }
}

uint32_t first_operand(ElementwiseFormats formats) {
  return !is_wide(formats.in) && packed_from(formats.out).dst32 ? 2 : 0;
}

// The result takes the place of the first operand, group by group. A narrower result lies in front of what is still to
// be read; a wider one is not possible.
DstPlaces dst_places(const Expression& expression, ElementwiseFormats formats) {
  const bool wide = is_wide(formats.in);
  const uint32_t first = first_operand(formats);
  DstPlaces places{.output = result_in_dst(formats.out)};
  for (uint32_t i = 0; i < expression.inputs(); ++i) {
    places.inputs.push_back(operand_in_dst(formats.in, expression.type_of_input(i)));
    places.inputs.back().tile = first + i;
  }
  places.use = {.dst32 = wide,
                .first_spill = first + std::max(expression.inputs(), 1u),
                .tiles = wide ? kWideTiles : kNarrowTiles};
  return places;
}

}  // namespace kerr::kernels::elementwise
