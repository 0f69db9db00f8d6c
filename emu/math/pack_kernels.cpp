// See pack_kernels.hpp. All float formats of a path fit into 16-bit lanes between the stages, also those that come from
// the 32-bit view: rounding to BF16 needs no more of the low half than its top bit and, for NaN, whether it is zero.
#include "emu/math/pack_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/math/pack_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace kerr::emu::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one lane gains nothing over the definition
PackFunction FindPack(const PackFormat&) { return nullptr; }
#else
enum class Out { Same16, Wide, Whole32, Bfp8, Bfp4, Bfp2 };

template <class D>
using I16 = hn::RebindToSigned<D>;

// Magnitudes are below 2^15, so signed comparisons do.
template <class D, class V>
HWY_INLINE auto Above(D d, V v, int limit) {
  const I16<D> i;
  return hn::RebindMask(d, hn::BitCast(i, v) > hn::Set(i, static_cast<int16_t>(limit)));
}
template <class D, class V>
HWY_INLINE V FlushBelow(D d, V v, int smallest) {
  return hn::IfThenElseZero(Above(d, hn::And(v, hn::Set(d, 0x7FFF)), smallest - 1), v);
}

template <class D, class V>
HWY_INLINE V Bf16Magnitude(D d, V cell) {
  return hn::OrAnd(hn::ShiftLeft<7>(hn::And(cell, hn::Set(d, 0xFF))), hn::ShiftRight<8>(cell), hn::Set(d, 0x7F));
}
template <class D, class V>
HWY_INLINE V Fp16Magnitude(D d, V cell) {
  return hn::OrAnd(hn::ShiftLeft<10>(hn::And(cell, hn::Set(d, 0x1F))), hn::ShiftRight<5>(cell), hn::Set(d, 0x3FF));
}
template <class D, class V>
HWY_INLINE V WithSignOf(D d, V cell, V magnitude) {
  return hn::OrAnd(magnitude, cell, hn::Set(d, 0x8000));
}
// Magnitudes are below 2^15, so the cheaper signed minimum does.
template <class D, class V>
HWY_INLINE V AtMost(D d, V magnitude, int limit) {
  const I16<D> i;
  return hn::BitCast(d, hn::Min(hn::BitCast(i, magnitude), hn::Set(i, static_cast<int16_t>(limit))));
}
// With the sign of the cell, or +0 if too small.
template <class D, class V>
HWY_INLINE V SignedOrFlushed(D d, V cell, V magnitude, int smallest) {
  return hn::IfThenElseZero(Above(d, magnitude, smallest - 1), WithSignOf(d, cell, magnitude));
}
template <class D, class V>
HWY_INLINE V Bf16OfFp16(D d, V v) {
  const V magnitude = hn::ShiftRight<3>(hn::And(v, hn::Set(d, 0x7FFF))) + hn::Set(d, 112 << 7);
  return SignedOrFlushed(d, v, magnitude, 113 << 7);
}

// Sixteen-bit patterns of the datums from `n` on, after the early conversion.
template <Early kEarly, class D>
HWY_INLINE hn::Vec<D> EarlyConversion(D d, const PackJob& job, unsigned n) {
  using V = hn::Vec<D>;
  const V cell = hn::LoadU(d, job.high + n);
  if constexpr (kEarly == Early::Keep16) {
    return cell;
  } else if constexpr (kEarly == Early::CleanBf16) {
    return SignedOrFlushed(d, cell, AtMost(d, Bf16Magnitude(d, cell), 0x7F80), 0x80);
  } else if constexpr (kEarly == Early::KeepBf16 || kEarly == Early::Keep32) {
    return WithSignOf(d, cell, Bf16Magnitude(d, cell));
  } else if constexpr (kEarly == Early::CleanE8M6) {  // flushed before it is rounded
    const V clean = AtMost(d, Bf16Magnitude(d, cell), 0x7F80);
    const V rounded = hn::And(clean + hn::Set(d, 1), hn::Set(d, 0x7FFE));
    return hn::IfThenElseZero(Above(d, clean, 0x7F), WithSignOf(d, cell, rounded));
  } else if constexpr (kEarly == Early::CleanFp16) {
    return SignedOrFlushed(d, cell, Fp16Magnitude(d, cell), 0x400);
  } else if constexpr (kEarly == Early::RoundE5M6) {
    const V magnitude = AtMost(d, Fp16Magnitude(d, cell), 0x7FF7);
    return SignedOrFlushed(d, cell, hn::And(magnitude + hn::Set(d, 8), hn::Set(d, 0x7FF0)), 0x400);
  } else {
    static_assert(kEarly == Early::RoundBf16 || kEarly == Early::RoundE8M6);
    // NaN becomes infinity, also one that only the low half makes, and infinity is not rounded up.
    const V clean = AtMost(d, Bf16Magnitude(d, cell), 0x7F80);
    if constexpr (kEarly == Early::RoundBf16) {
      return SignedOrFlushed(d, cell, AtMost(d, clean + hn::ShiftRight<15>(hn::LoadU(d, job.low + n)), 0x7F80), 0x80);
    } else {
      return SignedOrFlushed(d, cell, hn::And(clean + hn::Set(d, 1), hn::Set(d, 0x7FFE)), 0x80);
    }
  }
}

template <class D, class V>
HWY_INLINE V Relu(D d, V v, const PackJob& job) {
  const I16<D> i;
  const auto signed_v = hn::BitCast(i, v);
  const auto kept = hn::IfThenElseZero(signed_v > hn::Set(i, static_cast<int16_t>(job.relu.floor)), signed_v);
  return hn::BitCast(d, hn::Min(hn::Max(kept, hn::Zero(i)), hn::Set(i, static_cast<int16_t>(job.relu.ceiling))));
}

// The bits of a pattern that PackJob::largest compares.
template <Early kEarly, class D, class V>
HWY_INLINE V Seen(D d, V v) {
  return hn::And(v, hn::Set(d, kEarly == Early::Keep16 ? 0xFF : 0x7FFF));
}
// Seldom is there a new maximum.
template <class D, class V>
HWY_INLINE void Keep(D d, V seen, uint16_t& largest) {
  if (!hn::AllFalse(d, Above(d, seen, largest))) [[unlikely]]
    largest = hn::GetLane(hn::MaxOfLanes(d, seen));
}

template <Early kEarly, Out kOut, bool kRelu, class D>
HWY_INLINE hn::Vec<D> Convert(D d, const PackJob& job, unsigned n) {
  using V = hn::Vec<D>;
  V v = EarlyConversion<kEarly>(d, job, n);
  if constexpr (kRelu) v = Relu(d, v, job);
  if constexpr (kOut == Out::Same16) {
    hn::StoreU(v, d, reinterpret_cast<uint16_t*>(job.data) + n);
  } else {
    const V low = kOut == Out::Wide ? hn::Zero(d) : hn::LoadU(d, job.low + n);
    hn::StoreInterleaved2(low, v, d, reinterpret_cast<uint16_t*>(job.data) + 2 * n);
  }
  return Seen<kEarly>(d, v);
}

template <Early kEarly, Out kOut, bool kRelu>
void PackRows(PackJob& of_caller) {
  const hn::CappedTag<uint16_t, 32> wide;
  const hn::CappedTag<uint16_t, 16> one_row;
  const PackJob job = of_caller;  // nothing that is stored below can change it
  unsigned n = 0;
  if (job.datums >= hn::Lanes(wide)) {
    hn::Vec<decltype(wide)> seen = hn::Zero(wide);
    for (; n + hn::Lanes(wide) <= job.datums; n += static_cast<unsigned>(hn::Lanes(wide)))
      seen = hn::Max(seen, Convert<kEarly, kOut, kRelu>(wide, job, n));
    Keep(wide, seen, of_caller.largest);
  }
  for (; n < job.datums; n += static_cast<unsigned>(hn::Lanes(one_row)))
    Keep(one_row, Convert<kEarly, kOut, kRelu>(one_row, job, n), of_caller.largest);
}

// One shared exponent and its 16 datums: assemble_bfp().
template <Out kOut, class D>
HWY_INLINE void AssembleBfp(D d, const uint16_t* patterns, unsigned largest, uint8_t* data) {
  using V = hn::Vec<D>;
  const hn::Repartition<uint8_t, D> bytes;
  // 2^k and 2^(7 - k) for a distance k below 8, else 0.
  alignas(16) static constexpr uint8_t kPower[16] = {1, 2, 4, 8, 16, 32, 64, 128};
  alignas(16) static constexpr uint8_t kInverse[16] = {128, 64, 32, 16, 8, 4, 2, 1};
  const auto power = hn::LoadDup128(bytes, kPower), inverse = hn::LoadDup128(bytes, kInverse);
  constexpr int kBits = kOut == Out::Bfp8 ? 8 : kOut == Out::Bfp4 ? 4 : 2;
  const V exponent = hn::Set(d, static_cast<uint16_t>(largest));
  for (unsigned at = 0; at < 16; at += static_cast<unsigned>(hn::Lanes(d))) {
    const V v = hn::LoadU(d, patterns + at);
    const V e = hn::And(hn::ShiftRight<7>(v), hn::Set(d, 0xFF));
    const V hidden = hn::IfThenZeroElse(e == hn::Zero(d), hn::Set(d, 0x80));
    const V m = hn::Or(hn::And(v, hn::Set(d, 0x7F)), hidden);
    const V k = hn::Min(exponent - e, hn::Set(d, 15));
    // A byte index above 127 selects nothing: the table's byte goes to the low or to the high half of a lane.
    const V half = hn::BitCast(d, hn::TableLookupBytesOr0(power, hn::BitCast(bytes, hn::Or(k, hn::Set(d, 0x8000)))));
    const V scale = hn::BitCast(
        d, hn::TableLookupBytesOr0(inverse, hn::BitCast(bytes, hn::Or(hn::ShiftLeft<8>(k), hn::Set(d, 0x80)))));
    // (m + 2^k) * 2^(15 - k) / 2^16
    V magnitude = hn::Min(hn::MulHigh(m + half, scale), hn::Set(d, 127));
    if constexpr (kBits < 8) magnitude = hn::ShiftRight<8 - kBits>(magnitude);
    const V sign = hn::ShiftLeft<kBits - 1>(hn::ShiftRight<15>(v));
    V datum = hn::IfThenZeroElse(magnitude == hn::Zero(d), hn::Or(magnitude, sign));
    if constexpr (kBits == 8) {
      const hn::Rebind<uint8_t, D> out;
      hn::StoreU(hn::TruncateTo(out, datum), out, data + at);
    } else if constexpr (kBits == 4) {
      const hn::Repartition<uint32_t, D> pairs;
      const hn::Rebind<uint8_t, decltype(pairs)> out;
      auto x = hn::BitCast(pairs, datum);
      x = hn::Or(x, hn::ShiftRight<12>(x));
      hn::StoreU(hn::TruncateTo(out, x), out, data + at / 2);
    } else {
      const hn::Repartition<uint64_t, D> fours;
      const hn::Rebind<uint8_t, decltype(fours)> out;
      auto x = hn::BitCast(fours, datum);
      x = hn::Or(x, hn::ShiftRight<14>(x));
      x = hn::Or(x, hn::ShiftRight<28>(x));
      hn::StoreU(hn::TruncateTo(out, x), out, data + at / 4);
    }
  }
}

template <Early kEarly, Out kOut, bool kRelu>
void PackBfp(PackJob& of_caller) {
  const PackJob job = of_caller;
  const hn::CappedTag<uint16_t, 16> d;
  using V = hn::Vec<decltype(d)>;
  constexpr unsigned kGroupBytes = kOut == Out::Bfp8 ? 16 : kOut == Out::Bfp4 ? 8 : 4;
  for (unsigned row = 0; row < job.datums / 16; ++row) {
    alignas(64) uint16_t patterns[16];
    V largest = hn::Zero(d), seen = hn::Zero(d);
    for (unsigned at = 0; at < 16; at += static_cast<unsigned>(hn::Lanes(d))) {
      V v = EarlyConversion<kEarly>(d, job, 16 * row + at);
      if constexpr (kRelu) v = Relu(d, v, job);
      seen = hn::Max(seen, Seen<kEarly>(d, v));
      if constexpr (kEarly == Early::Keep32) v = FlushBelow(d, v, 0x80);
      if constexpr (kEarly == Early::RoundE5M6) v = Bf16OfFp16(d, v);
      hn::Store(v, d, patterns + at);
      largest = hn::Max(largest, hn::And(v, hn::Set(d, 0x7FFF)));
    }
    Keep(d, seen, of_caller.largest);
    const unsigned exponent = hn::GetLane(hn::MaxOfLanes(d, largest)) >> 7;
    job.exponents[row] = static_cast<uint8_t>(exponent);
    AssembleBfp<kOut>(d, patterns, exponent, job.data + row * kGroupBytes);
  }
}

template <Early kEarly, Out kOut>
PackFunction Choose(bool relu) {
  if constexpr (kOut >= Out::Bfp8) {
    return relu ? PackBfp<kEarly, kOut, true> : PackBfp<kEarly, kOut, false>;
  } else {
    return relu ? PackRows<kEarly, kOut, true> : PackRows<kEarly, kOut, false>;
  }
}

template <Early kEarly>
PackFunction ChooseBfp(Format out, bool relu) {
  switch (out) {
    case Format::Bfp8: return Choose<kEarly, Out::Bfp8>(relu);
    case Format::Bfp4: return Choose<kEarly, Out::Bfp4>(relu);
    case Format::Bfp2: return Choose<kEarly, Out::Bfp2>(relu);
    default: return nullptr;
  }
}

template <Early kEarly>
PackFunction ChooseBf16(Format out, bool relu) {
  switch (out) {
    case Format::Bf16: return Choose<kEarly, Out::Same16>(relu);
    case Format::Fp32:
    case Format::Tf32: return Choose<kEarly, Out::Wide>(relu);
    default: return ChooseBfp<kEarly>(out, relu);
  }
}

PackFunction FindPack(const PackFormat& f) {
  const bool relu = f.relu_mode != 0;
  switch (PackPath(f).early_kind()) {
    case Early::CleanBf16: return ChooseBf16<Early::CleanBf16>(f.out, relu);
    case Early::CleanE8M6: return ChooseBf16<Early::CleanE8M6>(f.out, relu);
    case Early::KeepBf16: return ChooseBf16<Early::KeepBf16>(f.out, relu);
    case Early::RoundBf16: return ChooseBf16<Early::RoundBf16>(f.out, relu);
    case Early::RoundE8M6: return ChooseBf16<Early::RoundE8M6>(f.out, relu);
    case Early::CleanFp16: return f.out == Format::Fp16 ? Choose<Early::CleanFp16, Out::Same16>(relu) : nullptr;
    case Early::RoundE5M6: return ChooseBfp<Early::RoundE5M6>(f.out, relu);
    case Early::Keep16: return relu ? nullptr : Choose<Early::Keep16, Out::Same16>(false);
    case Early::Keep32:  // ReLU would have to look at the low half
      if (relu) return nullptr;
      if (f.out == Format::Fp32 || f.out == Format::Int32) return Choose<Early::Keep32, Out::Whole32>(false);
      return ChooseBfp<Early::Keep32>(f.out, false);
    default: return nullptr;
  }
}

#endif

PackKernels PackKernelsOf(const char* name) { return {name, FindPack}; }

}  // namespace HWY_NAMESPACE
}  // namespace kerr::emu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "emu/math/kernel_list.hpp"

namespace kerr::emu::math {
std::span<const PackKernels> pack_kernels() {
  static const KernelList<PackKernels> list(
      KERR_FORMS(PackKernelsOf), {"definition", [](const PackFormat&) -> PackFunction { return nullptr; }});
  return list.span();
}

ReluBounds relu_bounds(const PackFormat& f) {
  return {f.relu_mode == 2 ? f.relu_threshold : uint16_t{0}, f.relu_mode == 3 ? f.relu_threshold : uint16_t{0x7FFF}};
}

}  // namespace kerr::emu::math
#endif  // HWY_ONCE
