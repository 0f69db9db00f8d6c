// Each of the three harts leaves its number. If argument 1 is not zero, the calculating one then waits for ever.
#include <kerr/device/compute.hpp>

// The macros by which tt-metal's kernels tell the three apart.
#if defined(TRISC_UNPACK) && defined(UCK_CHLKC_UNPACK)
constexpr uint32_t kHart = 2;
#elif defined(TRISC_MATH) && defined(UCK_CHLKC_MATH)
constexpr uint32_t kHart = 3;
#elif defined(TRISC_PACK) && defined(UCK_CHLKC_PACK)
constexpr uint32_t kHart = 4;
#endif
static_assert(kHart == KERR_HART && COMPILE_FOR_TRISC == KERR_HART - 2);

namespace NAMESPACE {
void MAIN {
  auto* out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
  out[KERR_HART] = 100 + KERR_HART;
  if (get_arg_val<uint32_t>(1) == 0) return;
  MATH((kerr::device::configure_dst(false)));
  for (int half = 0; half < 3; ++half) {  // there are two, and nobody releases them
    tile_regs_acquire();
    tile_regs_commit();
  }
  MATH((kerr::device::drain()));
}
}  // namespace NAMESPACE
