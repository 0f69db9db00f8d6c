// Address counters of the unpackers and the packer.   docs/hardware/tensix-datapath.md 8.1
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

enum class AdcUnit : uint8_t { Unpacker0, Unpacker1, Packer };
inline constexpr int kAdcUnits = 3;
enum class Dimension : uint8_t { X, Y, Z, W };

/// A counter and its "carriage return" copy. X is 18 bits wide, Y, Z and W 13; everything wraps.
struct AdcCounter {
  uint32_t value = 0;
  uint32_t cr = 0;
  uint32_t mask = 0x1FFF;

  void set(uint32_t v) { value = cr = v & mask; }
  void increment(uint32_t by) { value = (value + by) & mask; }       // cr untouched
  void increment_cr(uint32_t by) { value = cr = (cr + by) & mask; }  // ADDRCR*
  void serialize(Archive& a) {
    a.below(mask + 1, value);
    a.below(mask + 1, cr);
  }
};

struct AdcChannel {
  AdcCounter x{0, 0, 0x3FFFF}, y, z, w;

  AdcCounter& operator[](Dimension d) {
    return d == Dimension::X ? x : d == Dimension::Y ? y : d == Dimension::Z ? z : w;
  }
  void serialize(Archive& a) { a(x, y, z, w); }
};

struct Adc {
  std::array<AdcChannel, 2> channel;
  void serialize(Archive& a) { a(channel); }
};

/// adcs.of(thread, unit).channel[0].y ...
class Adcs {
 public:
  Adc& of(int thread, AdcUnit unit) { return adcs_[static_cast<size_t>(thread)][static_cast<size_t>(unit)]; }
  const Adc& of(int thread, AdcUnit unit) const {
    return adcs_[static_cast<size_t>(thread)][static_cast<size_t>(unit)];
  }

  void serialize(Archive& a) { a(adcs_); }

 private:
  std::array<std::array<Adc, kAdcUnits>, kThreads> adcs_{};
};

}  // namespace kerr::emu::tensix
