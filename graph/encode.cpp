#include "graph/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace kerr::graph {

// No infinities: exponent 31 is an ordinary one (docs/hardware/tensix-math.md 1.1).
uint16_t float_to_fp16(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(static_cast<double>(value));
  if (!(magnitude < 131008)) return sign | 0x7FFF;
  if (magnitude < 0x1p-14) {
    const auto denormal = static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24));
    return sign | denormal;
  }
  const int exponent = std::ilogb(magnitude);
  const auto mantissa = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));  // 1024 .. 2048
  const uint32_t bits = (static_cast<uint32_t>(exponent + 15) << 10) + (mantissa - 1024);
  return sign | static_cast<uint16_t>(std::min(bits, 0x7FFFu));
}
float fp16_to_float(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  const double magnitude = exponent == 0 ? fraction * 0x1p-24 : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(bits >> 15 ? -magnitude : magnitude);
}

namespace {

constexpr uint32_t kFaceDatums = 256;
constexpr size_t kExponentBytes = 64;  // of a block format's tile

template <class T>
void put(std::span<std::byte> tile, size_t index, T bits) {
  std::memcpy(&tile[index * sizeof bits], &bits, sizeof bits);
}
template <class T>
T get(std::span<const std::byte> tile, size_t index) {
  T bits;
  std::memcpy(&bits, &tile[index * sizeof bits], sizeof bits);
  return bits;
}

template <class Encode>
void encode_each(std::span<const double, 16> numbers, size_t first, std::span<std::byte> tile, Encode encode) {
  for (size_t i = 0; i < 16; ++i) put(tile, first + i, encode(numbers[i]));
}
template <class T, class Decode>
void decode_each(std::span<const std::byte> tile, size_t first, std::span<double, 16> numbers, Decode decode) {
  for (size_t i = 0; i < 16; ++i) numbers[i] = decode(get<T>(tile, first + i));
}

uint32_t sign_magnitude(double value, uint32_t most) {
  const auto magnitude = static_cast<uint32_t>(std::min(std::nearbyint(std::abs(value)), static_cast<double>(most)));
  return magnitude == 0 ? 0 : (value < 0 ? most + 1 : 0) | magnitude;
}
double of_sign_magnitude(uint32_t bits, uint32_t most) {
  const double magnitude = bits & most;
  return bits > most ? -magnitude : magnitude;
}

constexpr uint32_t kSignBit = 0x80000000;
constexpr double kLeastInt32 = -0x1p31;

template <class T>
T within(double value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<double>(std::nearbyint(value), Limits::min(), Limits::max()));
}

// A datum of `bits` bits, sign first, counts units of 2^(exponent - 127 - (bits - 2)).
struct Block {
  int bits;
  uint32_t most() const { return (1u << (bits - 1)) - 1; }
  double unit(uint8_t exponent) const { return std::ldexp(1.0, exponent - 127 - (bits - 2)); }
};

void encode_block(Block block, std::span<const double, 16> numbers, uint32_t face, uint32_t row,
                  std::span<std::byte> tile) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  const auto exponent = static_cast<uint8_t>(largest == 0 ? 0 : std::clamp(std::ilogb(largest) + 127, 0, 255));
  tile[face * 16 + row] = std::byte{exponent};
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t datum = exponent == 0 ? 0 : sign_magnitude(numbers[i] / block.unit(exponent), block.most());
    const size_t index = face * kFaceDatums + row * 16 + i;
    if (block.bits == 8) {
      tile[kExponentBytes + index] = static_cast<std::byte>(datum);
    } else if (i % 2 == 0) {
      tile[kExponentBytes + index / 2] = static_cast<std::byte>(datum);
    } else {
      tile[kExponentBytes + index / 2] |= static_cast<std::byte>(datum << 4);
    }
  }
}

void decode_block(Block block, std::span<const std::byte> tile, uint32_t face, uint32_t row,
                  std::span<double, 16> numbers) {
  const auto exponent = static_cast<uint8_t>(tile[face * 16 + row]);
  for (uint32_t i = 0; i < 16; ++i) {
    const size_t index = face * kFaceDatums + row * 16 + i;
    const auto byte = static_cast<uint32_t>(tile[kExponentBytes + (block.bits == 8 ? index : index / 2)]);
    const uint32_t datum = block.bits == 8 ? byte : byte >> (i % 2 * 4) & 15;
    numbers[i] = of_sign_magnitude(datum, block.most()) * block.unit(exponent);
  }
}

constexpr Block kBfp8{8}, kBfp4{4};

}  // namespace

void encode_row(Format format, std::span<const double, 16> numbers, uint32_t face, uint32_t row,
                std::span<std::byte> tile) {
  const size_t first = face * kFaceDatums + row * 16;
  switch (format) {
    case Format::Bfp8: return encode_block(kBfp8, numbers, face, row, tile);
    case Format::Bfp4: return encode_block(kBfp4, numbers, face, row, tile);
    case Format::Fp32: return encode_each(numbers, first, tile, [](double x) { return static_cast<float>(x); });
    case Format::Bf16:
      return encode_each(numbers, first, tile, [](double x) { return float_to_bf16(static_cast<float>(x)); });
    case Format::Fp16:
      return encode_each(numbers, first, tile, [](double x) { return float_to_fp16(static_cast<float>(x)); });
    case Format::Int8:
      return encode_each(numbers, first, tile, [](double x) { return static_cast<uint8_t>(sign_magnitude(x, 127)); });
    case Format::Uint8: return encode_each(numbers, first, tile, within<uint8_t>);
    case Format::Int16: return encode_each(numbers, first, tile, within<int16_t>);
    case Format::Uint16: return encode_each(numbers, first, tile, within<uint16_t>);
    case Format::Int32:
      return encode_each(numbers, first, tile,
                         [](double x) { return x <= kLeastInt32 ? kSignBit : sign_magnitude(x, 0x7FFFFFFF); });
  }
}

void decode_row(Format format, std::span<const std::byte> tile, uint32_t face, uint32_t row,
                std::span<double, 16> numbers) {
  const size_t first = face * kFaceDatums + row * 16;
  switch (format) {
    case Format::Bfp8: return decode_block(kBfp8, tile, face, row, numbers);
    case Format::Bfp4: return decode_block(kBfp4, tile, face, row, numbers);
    case Format::Fp32: return decode_each<float>(tile, first, numbers, std::identity());
    case Format::Bf16: return decode_each<uint16_t>(tile, first, numbers, bf16_to_float);
    case Format::Fp16: return decode_each<uint16_t>(tile, first, numbers, fp16_to_float);
    case Format::Int8:
      return decode_each<uint8_t>(tile, first, numbers, [](uint8_t bits) { return of_sign_magnitude(bits, 127); });
    case Format::Uint8: return decode_each<uint8_t>(tile, first, numbers, std::identity());
    case Format::Int16: return decode_each<int16_t>(tile, first, numbers, std::identity());
    case Format::Uint16: return decode_each<uint16_t>(tile, first, numbers, std::identity());
    case Format::Int32:
      return decode_each<uint32_t>(tile, first, numbers, [](uint32_t bits) {
        return bits == kSignBit ? kLeastInt32 : of_sign_magnitude(bits, 0x7FFFFFFF);
      });
  }
}

}  // namespace kerr::graph
