// Each of the three harts leaves its number.
#include <kerr/device/compute.hpp>

namespace NAMESPACE {
void MAIN {
  auto* out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
  out[KERR_HART] = 100 + KERR_HART;
}
}  // namespace NAMESPACE
