// The floating-point environment in which the emulator computes, whatever that of its caller is.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kerr::emu {

/// While it lives, this thread rounds to nearest even, keeps denormals and does not trap; so do threads that it starts
/// meanwhile.
class DefaultFloats {
 public:
  DefaultFloats();
  ~DefaultFloats();
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
#if defined(__x86_64__)
  // Only what SSE obeys: the host's compiler uses nothing else. Mostly there is nothing to change, which costs next to
  // nothing.
  static constexpr uint32_t kFlags = 0x3F, kDefault = 0x1F80;
  const uint32_t before_;
#else
  std::fenv_t before_;
#endif
};

#if defined(__x86_64__)
inline DefaultFloats::DefaultFloats() : before_(_mm_getcsr()) {
  if ((before_ & ~kFlags) != kDefault) [[unlikely]]
    _mm_setcsr(kDefault);
}
inline DefaultFloats::~DefaultFloats() {
  if ((before_ & ~kFlags) != kDefault) [[unlikely]]
    _mm_setcsr(before_);
}
#else
inline DefaultFloats::DefaultFloats() {
  std::fegetenv(&before_);
  std::fesetenv(FE_DFL_ENV);
}
inline DefaultFloats::~DefaultFloats() { std::fesetenv(&before_); }
#endif

}  // namespace kerr::emu
