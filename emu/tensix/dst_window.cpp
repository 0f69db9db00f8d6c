// The window at FFBD8000 through which TRISCs read and write Dst.   docs/hardware/tile.md 4.7, tensix-datapath.md 10.1
//
// Not documented, and decided here: an element of an invalid row loads as 0, and a store makes its row valid.
#include <fmt/format.h>

#include <algorithm>

#include "arch/memory_map.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/windows.hpp"

namespace kerr::emu::tensix {
namespace {

enum class Shape : uint8_t { Float32, Int32, Fp16, Bf16, Int16, Int8 };

// RISC_DEST_ACCESS_CTRL_SEC<thread> as the accessing thread's bank has it.
struct DstAccess {
  unsigned format = 0;
  bool no_swizzle = false;
  bool unsigned_int = false;

  bool exists() const { return format <= static_cast<unsigned>(Shape::Int8); }
  Shape shape() const { return static_cast<Shape>(format); }
  bool wide() const { return shape() == Shape::Float32 || shape() == Shape::Int32; }
  unsigned bytes() const { return wide() ? 4 : shape() == Shape::Int8 ? 1 : 2; }
};

DstAccess access_of(const ConfigBank& config, int thread) {
  namespace f = arch::global_config;
  constexpr arch::ConfigField kFormat[] = {f::RISC_DEST_ACCESS_CTRL_SEC0_fmt, f::RISC_DEST_ACCESS_CTRL_SEC1_fmt,
                                           f::RISC_DEST_ACCESS_CTRL_SEC2_fmt};
  constexpr arch::ConfigField kNoSwizzle[] = {f::RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle,
                                              f::RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle,
                                              f::RISC_DEST_ACCESS_CTRL_SEC2_no_swizzle};
  constexpr arch::ConfigField kUnsigned[] = {f::RISC_DEST_ACCESS_CTRL_SEC0_unsigned_int,
                                             f::RISC_DEST_ACCESS_CTRL_SEC1_unsigned_int,
                                             f::RISC_DEST_ACCESS_CTRL_SEC2_unsigned_int};
  return {config.get(kFormat[thread]), config.flag(kNoSwizzle[thread]), config.flag(kUnsigned[thread])};
}

// Sign and magnitude of `bits` bits to two's complement; -0 becomes 0.
uint32_t to_twos_complement(uint32_t v, unsigned bits) {
  const uint32_t sign = 1u << (bits - 1);
  return v & sign ? 0 - (v & (sign - 1)) : v;
}

// And back. The most negative number has no magnitude and becomes the next one.
uint32_t to_sign_magnitude(uint32_t v, unsigned bits) {
  const uint32_t sign = 1u << (bits - 1);
  const uint32_t mask = sign | (sign - 1);
  v &= mask;
  if (!(v & sign)) return v;
  return sign | std::min((0 - v) & mask, sign - 1);
}

uint32_t load_8(uint16_t cell, bool as_unsigned) {
  const uint32_t magnitude = cell >> 5 & 0xFF;
  if (as_unsigned) return magnitude;
  const uint32_t seven = magnitude & 0x7F;
  return (cell & 0x8000 ? 0 - seven : seven) & 0xFF;
}

// A negative number goes through a bug of the hardware that is kept.
uint16_t store_8(uint32_t v, bool as_unsigned) {
  v &= 0xFF;
  if (as_unsigned || v < 0x80) return static_cast<uint16_t>(v << 5 | (v ? 16 : 0));
  const uint32_t magnitude = (0x180 - v - (v == 0x80)) & 0xFF;
  return static_cast<uint16_t>(0x8000 | magnitude << 5 | 16);
}

uint32_t load_element(const Dst& dst, const DstAddressing& addressing, const DstAccess& a, unsigned element) {
  const unsigned row = element / Dst::kColumns, column = element % Dst::kColumns;
  const unsigned physical = a.wide() ? addressing.row_32(row) : addressing.row_16(row);
  if (!dst.valid(physical)) return 0;
  const uint16_t cell = dst.row(physical)[column];
  if (a.wide()) {
    const uint32_t raw = uint32_t{cell} << 16 | dst.row(physical + Dst::kLowHalf)[column];
    if (a.no_swizzle) return raw;
    return a.shape() == Shape::Int32 ? to_twos_complement(math::decode_32(raw), 32) : math::decode_32(raw);
  }
  if (a.shape() == Shape::Int8) return load_8(cell, a.unsigned_int || a.no_swizzle);
  if (a.no_swizzle) return cell;
  switch (a.shape()) {
    case Shape::Fp16: return math::decode_fp16(cell);
    case Shape::Bf16: return math::decode_bf16(cell);
    default: return a.unsigned_int ? cell : to_twos_complement(cell, 16) & 0xFFFF;
  }
}

void store_element(Dst& dst, const DstAddressing& addressing, const DstAccess& a, unsigned element, uint32_t v) {
  const unsigned row = element / Dst::kColumns, column = element % Dst::kColumns;
  const unsigned physical = a.wide() ? addressing.row_32(row) : addressing.row_16(row);
  uint16_t& cell = dst.row(physical)[column];
  dst.set_valid(physical, true);
  if (a.wide()) {
    const uint32_t bits = a.shape() == Shape::Int32 && !a.no_swizzle ? to_sign_magnitude(v, 32) : v;
    const uint32_t raw = a.no_swizzle ? bits : math::encode_32(bits);
    cell = static_cast<uint16_t>(raw >> 16);
    dst.row(physical + Dst::kLowHalf)[column] = static_cast<uint16_t>(raw);
    return;
  }
  const auto half = static_cast<uint16_t>(v);
  if (a.shape() == Shape::Int8) {
    cell = store_8(v, a.unsigned_int || a.no_swizzle);
  } else if (a.no_swizzle) {
    cell = half;
  } else if (a.shape() == Shape::Fp16) {
    cell = math::encode_fp16(half);
  } else if (a.shape() == Shape::Bf16) {
    cell = math::encode_bf16(half);
  } else {
    cell = a.unsigned_int ? half : static_cast<uint16_t>(to_sign_magnitude(half, 16));
  }
}

// TRISC0 and TRISC1 access exactly one element, TRISC2 also several.
bool width_fits(const DstAccess& a, int thread, unsigned bytes) {
  return thread == 2 ? bytes >= a.bytes() && bytes % a.bytes() == 0 : bytes == a.bytes();
}

// Nullptr if the access is defined.
const char* refusal(const DstAccess& a, int thread, uint32_t offset, unsigned bytes) {
  if (!a.exists()) return "format 6 or 7 of RISC_DEST_ACCESS_CTRL is reserved";
  if (!width_fits(a, thread, bytes)) return "the width does not match the element of the configured format";
  if ((offset + bytes - 1) / a.bytes() / Dst::kColumns >= Dst::kRows / (a.wide() ? 2 : 1))
    return "the row does not exist";
  return nullptr;
}

Access refuse(Reporter& reporter, uint32_t offset, unsigned bytes, const char* why) {
  const uint32_t address = arch::kDstWindowBase + offset;
  return reporter.fault(FaultCategory::UndefinedBehavior, address,
                        fmt::format("access of {} bytes to the Dst window at {:#010x}: {}", bytes, address, why));
}

}  // namespace

Access Windows::load_dst(int thread, uint32_t offset, unsigned bytes, uint32_t& value) {
  const ConfigBank& config = coprocessor_.state.config.seen_by(thread);
  const DstAccess a = access_of(config, thread);
  if (const char* why = refusal(a, thread, offset, bytes)) return refuse(reporter_, offset, bytes, why);
  const Dst& dst = coprocessor_.state.dst;
  const DstAddressing addressing = dst.addressing(config);
  value = 0;
  for (unsigned done = 0; done < bytes; done += a.bytes()) {
    value |= load_element(dst, addressing, a, (offset + done) / a.bytes()) << done * 8;
  }
  return Access::Done;
}

Access Windows::store_dst(int thread, uint32_t offset, unsigned bytes, uint32_t value) {
  const ConfigBank& config = coprocessor_.state.config.seen_by(thread);
  const DstAccess a = access_of(config, thread);
  if (const char* why = refusal(a, thread, offset, bytes)) return refuse(reporter_, offset, bytes, why);
  Dst& dst = coprocessor_.state.dst;
  const DstAddressing addressing = dst.addressing(config);
  for (unsigned done = 0; done < bytes; done += a.bytes()) {
    store_element(dst, addressing, a, (offset + done) / a.bytes(), value >> done * 8);
  }
  return Access::Done;
}

}  // namespace kerr::emu::tensix
