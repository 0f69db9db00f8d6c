// Input side of an unpacker: which datums of L1 one UNPACR reads.   docs/hardware/tensix-datapath.md 11.2, 11.3
#pragma once

#include <cstdint>

#include "emu/math/unpack_kernels.hpp"
#include "emu/memory/l1.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/adc.hpp"
#include "emu/tensix/state/config.hpp"
#include "emu/tensix/unpack/settings.hpp"

namespace kerr::emu::tensix {

/// The datums that one UNPACR reads. locate() has checked that all of them, and their exponents, lie inside L1.
struct UnpackSource {
  math::UnpackFormat format;
  math::UnpackFunction to_cells = nullptr;  // vector form for SrcA and SrcB, if there is one
  uint32_t data = 0;                        // byte address of datum 0 of the tile
  uint32_t exponents = 0;                   // byte address of the shared exponent of datums 0..15
  bool forced_exponent = false;             // Force_shared_exp: all datums share forced_exponent_value
  uint8_t forced_exponent_value = 0;
  uint32_t first = 0;       // index of the first datum
  uint32_t count = 0;       // of datums, without what upsampling puts between them
  uint32_t upsampling = 0;  // positions behind each datum that get zeros, or nothing if upsampling_skips
  bool upsampling_skips = false;
  bool compressed = false;  // read `reads` datums from `first` on, each with a number of zeros behind it ...
  bool zeros = false;       // ... unless all is zero anyway
  uint32_t reads = 0;
  uint32_t drop = 0;          // ... and drop the first of what comes out
  uint32_t group_datums = 0;  // Tileize_mode: datums that lie together, 0 if all do
  uint32_t group_bytes = 0;   // Tileize_mode: from one such group to the next

  /// Byte address of the first datum (of the byte that holds it).
  uint32_t start() const { return data + static_cast<uint32_t>(uint64_t{first} * math::datum_bits(format.in) / 8); }
  /// How many datums from `k` on lie together, at most `limit`.
  uint32_t run(uint32_t k, uint32_t limit) const {
    if (group_datums == 0) return limit;
    const uint32_t rest = group_datums - k % group_datums;
    return rest < limit ? rest : limit;
  }
  /// True if to_src() and to_dst() do not do: the datums come one by one from each().
  bool one_by_one() const { return compressed || upsampling != 0; }
  uint32_t positions() const { return count * (1 + upsampling); }
  /// Tells L1 what is going to be read of it.
  void announce(const L1& l1) const;
  /// Calls put(position, cell) for each position that is written; `cell` is what to_src() or to_dst() makes.
  template <class Put>
  void each(const L1& l1, bool to_dst, Put put) const;
  /// Converts datums [k, k + n); n is at most run(k, n).
  void to_src(const L1& l1, uint32_t k, uint32_t n, math::Cell* out) const;
  void to_dst(const L1& l1, uint32_t k, uint32_t n, uint32_t* out) const;
};

/// Datum number `k` of compressed data: its group of 32, which 16 bytes of run lengths follow.
struct CompressedDatum {
  uint64_t group, run;  // byte addresses
  unsigned in_group;

  CompressedDatum(uint32_t data, uint32_t k, unsigned bits)
      : group(data + uint64_t{k / 32} * (4 * bits + 16)), run(group + 4 * bits + k % 32 / 2), in_group(k % 32) {}
  unsigned zeros_behind(const L1& l1) const {
    return l1.load<uint8_t>(static_cast<uint32_t>(run)) >> (in_group % 2 * 4) & 15;
  }
};

/// Resolves descriptor, base address and address counters into `source`. `z_w` are the issuing thread's counters, `x_y`
/// those of the thread that addr_cnt_context_id names. Faults: OutOfBounds beyond L1, UndefinedBehavior, Unsupported.
Issue locate(const UnpackSettings& settings, const Adc& x_y, const Adc& z_w, const L1& l1, UnpackSource& source);

template <class Put>
void UnpackSource::each(const L1& l1, bool to_dst, Put put) const {
  const unsigned bits = math::datum_bits(format.in);
  uint32_t position = 0, dropped = 0, done = 0;
  const auto emit = [&](uint32_t value) {
    if (dropped < drop) return void(++dropped);
    if (done == count) return;
    put(position++, value);
    for (unsigned k = 0; k < upsampling; ++k, ++position)
      if (!upsampling_skips) put(position, 0);
    ++done;
  };
  for (uint32_t k = 0; k < reads && done < count; ++k) {
    uint32_t value = 0, zeros_behind = 0;
    if (compressed) {
      const CompressedDatum datum(data, first + k, bits);
      const uint8_t* group = l1.data() + datum.group;
      const uint8_t exponent = forced_exponent ? forced_exponent_value : l1.data()[exponents + (first + k) / 16];
      const uint8_t shared[2] = {exponent, exponent};
      if (to_dst) {
        math::unpack_to_dst(format, group, shared, datum.in_group, 1, &value);
      } else {
        math::unpack_to_src(format, group, shared, datum.in_group, 1, &value);
      }
      zeros_behind = datum.zeros_behind(l1);
    } else if (to_dst) {
      this->to_dst(l1, k, 1, &value);
    } else {
      to_src(l1, k, 1, &value);
    }
    if (zeros) value = zeros_behind = 0;
    emit(value);
    for (; zeros_behind != 0; --zeros_behind) emit(0);
  }
}

}  // namespace kerr::emu::tensix
