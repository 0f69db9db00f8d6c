// Which instruction sets this CPU has.
#pragma once

#include <cstdlib>
#include <string_view>

namespace kerr::emu::math {

enum class SimdLevel { Definition, Baseline, Sse4, Avx2, Avx512 };

/// How far the arithmetic may go. The environment variable KERR_SIMD lowers it: "scalar" (only the definitions, one
/// element after the other), "baseline", "sse4", "avx2"; anything else means no limit. Results never depend on it:
/// tests replay recorded vectors at every level.
inline SimdLevel simd_limit() {
  static const SimdLevel limit = [] {
    const char* const text = std::getenv("KERR_SIMD");
    const std::string_view name = text == nullptr ? "" : text;
    if (name == "scalar") return SimdLevel::Definition;
    if (name == "baseline") return SimdLevel::Baseline;
    if (name == "sse4") return SimdLevel::Sse4;
    if (name == "avx2") return SimdLevel::Avx2;
    return SimdLevel::Avx512;
  }();
  return limit;
}

/// True if the vector forms are to be left alone.
inline const bool kDefinitionsOnly = simd_limit() == SimdLevel::Definition;

#if defined(__x86_64__) || defined(__i386__)
inline bool cpu_has_avx512() {
  return simd_limit() >= SimdLevel::Avx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
inline bool cpu_has_f16c() {
#if defined(__clang__)
  return true;  // some clangs cannot ask; every CPU with AVX2 has it
#else
  return __builtin_cpu_supports("f16c");
#endif
}
inline bool cpu_has_avx2() {
  return simd_limit() >= SimdLevel::Avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2") && cpu_has_f16c();
}
inline bool cpu_has_sse4() {
  return simd_limit() >= SimdLevel::Sse4 && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul");
}
#endif

}  // namespace kerr::emu::math
