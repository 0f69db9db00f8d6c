// SETDMAREG: a constant, or what the packer tells about its tiles.   docs/hardware/tensix-datapath.md 14.2
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "emu/tensix/scalar/scalar_unit.hpp"

namespace kerr::emu::tensix {
namespace {

using Quad = std::array<uint32_t, 4>;

// The fields of the payload in signal mode.
struct SignalOperands {
  unsigned half, source, packers;

  static SignalOperands of(uint32_t payload) { return {payload & 7, payload >> 3 & 15, payload >> 7 & 15}; }
  static constexpr uint32_t kUnused = 7u << 11;
};

enum Source : unsigned {
  kTileSizes = 0,
  kZeroFlags = 1,
  kTileHeader = 2,  // .. 5, one for each packer of Wormhole
  kLastTileHeader = 5,
  kHistogramLow = 6,
  kHistogramHigh = 7,
  kFirstZeroFlags = 8,
  kLargestExponent = 9,
};

// Fields of a tile header that a merge replaces, word by word.
constexpr Quad kHeaderFields = {0x0000FFFF, 0x00FF0000, 0xFFFFFFFF, 0};

Issue one_packer_only(unsigned packer) {
  return Issue::unsupported(fmt::format("SETDMAREG of packer {}: Blackhole has one packer, number 0", packer));
}

}  // namespace

// Half a register from the operand; the other half is kept.
Issue ScalarUnit::exec(int thread, const isa::tensix::SETDMAREG& i) {
  if (i.set_signals_mode != 0) return set_from_signals(thread, i);
  // The 16 bits of the value: payload in [21:8] and the size field above it.
  const uint32_t value = i.payload_sig_sel | i.payload_sig_sel_size << 14;
  gpr_.write_half(thread, i.reg_index_16b, static_cast<uint16_t>(value));
  return Issue::done();
}

// 128 bits, of which 16, 32 or all go to registers. Sources 10 to 15 are zero.
Issue ScalarUnit::set_from_signals(int thread, const isa::tensix::SETDMAREG& i) {
  namespace f = arch::global_config;
  if ((i.payload_sig_sel & SignalOperands::kUnused) && !tolerance_.has(Oddity::SignalBits)) {
    return Issue::odd(Oddity::SignalBits, (i.payload_sig_sel & SignalOperands::kUnused) << 8);
  }
  const SignalOperands o = SignalOperands::of(i.payload_sig_sel);
  const uint16_t last = signals_.last_thread == thread ? signals_.last_size : uint16_t{0};
  Quad values{};
  switch (o.source) {
    case kTileSizes: values[0] = uint32_t{signals_.accumulated_size[static_cast<size_t>(thread)]} << 16 | last; break;
    case kZeroFlags: values[0] = signals_.all_zero_flags; break;
    case kTileHeader: {
      const ConfigBank& c = config_.seen_by(thread);
      if (c.flag(f::THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd)) {
        return Issue::unsupported(
            "SETDMAREG of a tile header with All_pack_disable_zero_compress_ovrd = 1: where Blackhole keeps the bit "
            "that overrides is not published");
      }
      values[0] = static_cast<uint16_t>(last + 1);
      values[1] = c.get(f::THCON_SEC0_REG1_Out_data_format) << 16 | c.get(f::THCON_SEC0_REG1_Disable_zero_compress)
                                                                        << 20;
      values[2] = signals_.all_zero_flags;
      break;
    }
    case kHistogramLow:
    case kHistogramHigh:
      if ((o.packers & 3) != 0) return one_packer_only(o.packers & 3);
      std::memcpy(values.data(), signals_.exponent_histogram.data() + (o.source == kHistogramHigh ? 16 : 0), 16);
      break;
    case kFirstZeroFlags:
      values[0] = signals_.all_zero_flags & 1;
      if (o.packers & 1) signals_.clear_accumulated();  // the bits of other packers name nothing
      break;
    case kLargestExponent: values[0] = signals_.largest_exponent; break;
    default:
      if (o.source <= kLastTileHeader) return one_packer_only(o.source - kTileHeader);
      break;
  }

  const unsigned reg = i.reg_index_16b >> 1, group = reg & ~3u;
  switch (i.payload_sig_sel_size) {
    case 0:
      gpr_.write_half(thread, i.reg_index_16b, static_cast<uint16_t>(values[o.half >> 1] >> (o.half & 1) * 16));
      break;
    case 1: gpr_.write(thread, reg, values[o.half >> 1]); break;
    case 2:
      for (unsigned k = 0; k < 4; ++k) gpr_.write(thread, group + k, values[k]);
      break;
    default:
      for (unsigned k = 0; k < 4; ++k) {
        const uint32_t old = gpr_.read(thread, group + k);
        gpr_.write(thread, group + k, (old & ~kHeaderFields[k]) | (values[k] & kHeaderFields[k]));
      }
      break;
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
