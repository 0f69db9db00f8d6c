// The forms of a kernel that this CPU can run: stands in for Highway's run-time dispatch, which would need its library
// linked. Included under HWY_ONCE, behind Highway's foreach_target.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "emu/math/cpu_targets.hpp"
#include "hwy/highway.h"

namespace kerr::emu::math {

/// Best first, never empty.
///
///   static const KernelList<DotKernel> kernels(KERR_FORMS(MakeDotKernel));
template <class Kernel>
class KernelList {
 public:
  /// make(), and what it gives, may use instructions of the CPU. It is not called if they are absent.
  struct Form {
    bool present;
    Kernel (*make)(const char* name);
    const char* name;
  };

  explicit KernelList(std::initializer_list<Form> forms) {
    for (const Form& form : forms) {
      if (form.present) kernels_[count_++] = form.make(form.name);
    }
  }
  /// The same, or the definition alone if the vector forms are to be left alone.
  KernelList(std::initializer_list<Form> forms, const Kernel& definition)
      : KernelList(kDefinitionsOnly ? std::initializer_list<Form>{} : forms) {
    if (count_ == 0) kernels_[count_++] = definition;
  }

  std::span<const Kernel> span() const { return {kernels_.data(), count_}; }

 private:
  std::array<Kernel, 4> kernels_{};
  size_t count_ = 0;
};

}  // namespace kerr::emu::math

#if HWY_TARGETS & HWY_AVX3
#define KERR_FORM_AVX3(make) {::kerr::emu::math::cpu_has_avx512(), N_AVX3::make, "AVX-512"},
#else
#define KERR_FORM_AVX3(make)
#endif
#if HWY_TARGETS & HWY_AVX2
#define KERR_FORM_AVX2(make) {::kerr::emu::math::cpu_has_avx2(), N_AVX2::make, "AVX2"},
#else
#define KERR_FORM_AVX2(make)
#endif
#if HWY_TARGETS & HWY_SSE4
#define KERR_FORM_SSE4(make) {::kerr::emu::math::cpu_has_sse4(), N_SSE4::make, "SSE4"},
#else
#define KERR_FORM_SSE4(make)
#endif
/// `make` of every target for which the including file is compiled.
#define KERR_FORMS(make) \
  {KERR_FORM_AVX3(make) KERR_FORM_AVX2(make) KERR_FORM_SSE4(make) {true, HWY_STATIC_DISPATCH(make), "baseline"}}
