// Input side of an unpacker: which datums of L1 one UNPACR reads.   docs/hardware/tensix-datapath.md 11.2, 11.3
#pragma once

#include <cstdint>

#include "emu/tensix/issue.hpp"
#include "emu/tensix/math/unpack_kernels.hpp"
#include "emu/tensix/state/adc.hpp"
#include "emu/tensix/state/config.hpp"
#include "emu/tensix/unpack/settings.hpp"
#include "emu/tile/l1.hpp"

namespace kerr::emu::tensix {

/// The datums that one UNPACR reads. locate() has checked that all of them, and their exponents, lie inside L1.
struct UnpackSource {
  math::UnpackFormat format;
  math::UnpackFunction to_cells = nullptr;  // vector form for SrcA and SrcB, if there is one
  std::uint32_t data = 0;                   // byte address of datum 0 of the tile
  std::uint32_t exponents = 0;              // byte address of the shared exponent of datums 0..15
  bool forced_exponent = false;             // Force_shared_exp: all datums share forced_exponent_value
  std::uint8_t forced_exponent_value = 0;
  std::uint32_t first = 0;  // index of the first datum
  std::uint32_t count = 0;
  std::uint32_t group_datums = 0;  // Tileize_mode: datums that lie together, 0 if all do
  std::uint32_t group_bytes = 0;   // Tileize_mode: from one such group to the next

  /// Byte address of the first datum (of the byte that holds it).
  std::uint32_t start() const {
    return data + static_cast<std::uint32_t>(std::uint64_t{first} * math::datum_bits(format.in) / 8);
  }
  /// How many datums from `k` on lie together, at most `limit`.
  std::uint32_t run(std::uint32_t k, std::uint32_t limit) const {
    if (group_datums == 0) return limit;
    const std::uint32_t rest = group_datums - k % group_datums;
    return rest < limit ? rest : limit;
  }
  /// Converts datums [k, k + n); n is at most run(k, n).
  void to_src(const L1& l1, std::uint32_t k, std::uint32_t n, math::Cell* out) const;
  void to_dst(const L1& l1, std::uint32_t k, std::uint32_t n, std::uint32_t* out) const;
};

/// Resolves descriptor, base address and address counters into `source`. `z_w` are the issuing thread's counters, `x_y`
/// those of the thread that addr_cnt_context_id names. Faults: OutOfBounds beyond L1, UndefinedBehavior, Unsupported.
Issue locate(const UnpackSettings& settings, const Adc& x_y, const Adc& z_w, UnpackSource& source);

}  // namespace kerr::emu::tensix
