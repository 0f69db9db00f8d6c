// What the compiler refuses, a case each (CMakeLists.txt).
#include <kerr/device/compute.hpp>

namespace NAMESPACE {
void MAIN {
#if defined(Quotient)
  binary_tiles_init<true, ELWDIV>(0, 1);
#elif defined(Comparison)
  init_bcast<ELWLESS, BroadcastType::ROW>(0, 1);
#elif defined(Minimum)
  reduce_tile<PoolType::MIN, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);
#elif defined(OlderMinimum)
  reduce_init<true>(PoolType::MIN, ReduceDim::REDUCE_ROW, 0, 1);
#elif defined(PackedFormat)
  unary_op_init_common(0, 16);
  pack_reconfig_data_format(17);
#elif defined(NinthTile)
  copy_tile(0, 0, 8);
#elif defined(WideOperand)
  TTI_SFPLOAD(16, 2, 7, 0);
#elif defined(ComputedOperand)
  TTI_SFPLOAD(get_arg_val<uint32_t>(0), 2, 7, 0);
#elif defined(MissingArgument)
  TTI_SFPLOAD(get_compile_time_arg_val(0), 2, 7, 0);
#endif
}
}  // namespace NAMESPACE
