// Tiles of a section of Dst: 8 of 16 bits a datum, or 4 of 32; wide tile n takes the place of narrow tiles 2 n and 2 n
// + 1. docs/hardware/tensix-math.md 2
#include <algorithm>

#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using arch::DataFormat;
using vector::DstMode;
using Form = DstNumber::Form;

namespace {

constexpr uint32_t kNarrowTiles = 8, kWideTiles = 4;

constexpr DstNumber number(DstMode mode, Form form = Form::Plain) { return {.mode = mode, .form = form}; }

struct InDst {
  DstNumber operand, result;
  PackedFrom packed;
};
constexpr InDst kInDst[] = {
    // by Format
    {number(DstMode::Fp32), number(DstMode::Fp32), {DataFormat::Fp32, true}},
    {number(DstMode::Configured), number(DstMode::Fp32, Form::ToFp16), {DataFormat::Fp32, true}},
    {number(DstMode::Bf16), number(DstMode::Bf16, Form::ToBf16), {DataFormat::Bf16, false}},
    {number(DstMode::Bf16), number(DstMode::Fp32), {DataFormat::Fp32, true}},  // the packer rounds
    {number(DstMode::Bf16), number(DstMode::Fp32), {DataFormat::Fp32, true}},
    {number(DstMode::Int8, Form::SignMagnitude), number(DstMode::Int32, Form::SignMagnitude), {DataFormat::Int8, true}},
    {number(DstMode::Int32, Form::SignMagnitude),
     number(DstMode::Int32, Form::SignMagnitude),
     {DataFormat::Int32, true}},
    {number(DstMode::Low16, Form::Signed16), number(DstMode::Low16), {DataFormat::Int16, false}},
    {number(DstMode::Low16), number(DstMode::Low16), {DataFormat::Int16, false}},
    {number(DstMode::Int8, Form::SignMagnitude), number(DstMode::Int32, Form::SignMagnitude), {DataFormat::Int8, true}},
};
const InDst& in_dst(Format format) { return kInDst[static_cast<size_t>(format)]; }

}  // namespace

DstNumber operand_in_dst(Format format, Type type) {
  if (is_wide(format)) return in_dst(type == Type::Float ? Format::Fp32 : Format::Int32).operand;
  return in_dst(format).operand;
}
DstNumber result_in_dst(Format format) { return in_dst(format).result; }
PackedFrom packed_from(Format out) { return in_dst(out).packed; }

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
