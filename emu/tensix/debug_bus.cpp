// What the debug bus shows of the coprocessor's counters and banks.   docs/hardware/tile.md 3.4, last table
#include <array>
#include <cstdint>

#include "emu/tensix/coprocessor.hpp"

namespace kerr::emu {
namespace {

using tensix::AdcUnit;
using tensix::SrcRegister;

// The fields of DBG_BUS_CTRL.
struct Selection {
  unsigned signal, daisy, slice;

  static Selection of(uint32_t control) { return {control & 0xFFFF, control >> 16 & 0xFF, control >> 25 & 3}; }
};

// Up to 256 bits, field by field.
class Bits {
 public:
  void put(unsigned at, unsigned width, uint32_t value) {
    for (unsigned k = 0; k < width; ++k) words_[(at + k) / 32] |= (value >> k & 1) << (at + k) % 32;
  }
  uint32_t word(unsigned index) const { return words_[index]; }

 private:
  std::array<uint32_t, 8> words_{};
};

// Daisy 6, signals 0..5: thread 0's unpackers and thread 2's packer, channel by channel. Z and W show their low eight
// bits.
Bits address_counters(const tensix::Adcs& adcs, unsigned signal) {
  constexpr int kThreadShown[] = {0, 0, 2};
  const unsigned unit = signal / 2;
  const tensix::AdcChannel& c = adcs.of(kThreadShown[unit], static_cast<AdcUnit>(unit)).channel[signal % 2];
  Bits bits;
  bits.put(0, 18, c.x.value);
  bits.put(18, 18, c.x.cr);
  bits.put(64, 13, c.y.value);
  bits.put(80, 13, c.y.cr);
  bits.put(96, 8, c.z.value);
  bits.put(104, 8, c.z.cr);
  bits.put(112, 8, c.w.value);
  bits.put(120, 8, c.w.cr);
  return bits;
}

// Daisy 6, signal 9.
Bits bank_owners(const SrcRegister& a, const SrcRegister& b) {
  const auto valid = [](const SrcRegister& src, unsigned bank) { return src.owner(bank) == SrcRegister::Owner::Fpu; };
  Bits bits;
  bits.put(84, 1, a.unpacker_may_write());
  bits.put(85, 1, a.fpu_may_read());
  bits.put(90, 1, valid(a, 1));
  bits.put(91, 1, valid(a, 0));
  bits.put(92, 1, a.fpu_index());
  bits.put(93, 1, a.fpu_index());
  bits.put(94, 1, a.unpack_index());
  bits.put(100, 1, b.fpu_index());
  bits.put(101, 1, b.fpu_index());
  bits.put(102, 1, b.unpack_index());
  bits.put(105, 1, valid(b, 0));
  bits.put(106, 1, valid(b, 1));
  return bits;
}

// Daisy 3, signals 2 and 3: halves of one vector.
Bits counters_of_rows(const tensix::Rwcs& rwcs) {
  Bits bits;
  for (unsigned t = 0; t < kThreads; ++t) {
    const tensix::Rwc& rwc = rwcs[t];
    bits.put(16 * t, 6, rwc.a);
    bits.put(16 * t + 8, 6, rwc.a_cr);
    bits.put(60 + 16 * t, 6, rwc.b);
    bits.put(68 + 16 * t, 6, rwc.b_cr);
    bits.put(120 + 20 * t, 10, rwc.dst);
    bits.put(130 + 20 * t, 10, rwc.dst_cr);
  }
  return bits;
}

// Daisy 3, signal 4.
Bits fidelity(const tensix::Rwcs& rwcs) {
  Bits bits;
  for (unsigned t = 0; t < kThreads; ++t) bits.put(60 + 2 * t, 2, rwcs[t].fidelity);
  return bits;
}

}  // namespace

bool Coprocessor::debug_bus_read(uint32_t control, uint32_t& value) const {
  const tensix::State& s = state;
  const auto [signal, daisy, slice] = Selection::of(control);
  if (daisy == 6 && signal <= 5) {
    value = address_counters(s.adcs, signal).word(slice);
  } else if (daisy == 6 && signal == 9) {
    value = bank_owners(s.src_a, s.src_b).word(slice);
  } else if (daisy == 3 && (signal == 2 || signal == 3)) {
    value = counters_of_rows(s.rwcs).word(4 * (signal - 2) + slice);
  } else if (daisy == 3 && signal == 4) {
    value = fidelity(s.rwcs).word(slice);
  } else {
    return false;
  }
  return true;
}

}  // namespace kerr::emu
