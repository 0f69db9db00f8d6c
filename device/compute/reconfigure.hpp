// Other formats, and what the packer does on its way, in the middle of a kernel.
#pragma once

#include "device/compute/copy.hpp"
#include "device/compute/names.hpp"
#include "device/compute/pack.hpp"

namespace kerr::device {

/// What the packer does to numbers: nothing, 0 for negative ones, 0 for those up to a threshold, or limits them to 0
/// ... threshold.
FORCE_INLINE void set_pack_relu(uint32_t mode, uint32_t threshold) {
  stall_wait(stall::kCfg, until::kPack0);
  const SharedConfigLock lock;
  set_config(cfg::STACC_RELU_ApplyRelu, mode);
  set_config(cfg::STACC_RELU_ReluThreshold, threshold);
}

}  // namespace kerr::device

namespace ckernel {

/// The buffers whose tiles go to SrcA and SrcB from now on; of a product the right operand's and the left one's.
template <bool = false>
ALWI void reconfig_data_format(uint32_t to_a, uint32_t to_b) {
  reconfig_data_format_srca(to_a);
  reconfig_data_format_srcb(to_b);
}
template <bool = false>
ALWI void reconfig_data_format_srca(uint32_t old, uint32_t buffer) {
  if (kerr::device::kFormats.of[old] != kerr::device::kFormats.of[buffer]) reconfig_data_format_srca(buffer);
}
template <bool = false>
ALWI void reconfig_data_format_srcb(uint32_t old, uint32_t buffer) {
  if (kerr::device::kFormats.of[old] != kerr::device::kFormats.of[buffer]) reconfig_data_format_srcb(buffer);
}
template <bool = false>
ALWI void reconfig_data_format(uint32_t old_a, uint32_t to_a, uint32_t old_b, uint32_t to_b) {
  reconfig_data_format_srca(old_a, to_a);
  reconfig_data_format_srcb(old_b, to_b);
}
// Older names.
template <class... Buffers>
ALWI void unpack_reconfig_data_format(Buffers... buffers) {
  reconfig_data_format(buffers...);
}
template <class... Buffers>
ALWI void unpack_reconfig_data_format_srca(Buffers... buffers) {
  reconfig_data_format_srca(buffers...);
}
template <class... Buffers>
ALWI void unpack_reconfig_data_format_srcb(Buffers... buffers) {
  reconfig_data_format_srcb(buffers...);
}

/// A ReluType, with the bits of a BF16 threshold in the upper half.
ALWI void llk_pack_relu_config(uint32_t config) {
  if constexpr (kerr::device::kPacks) kerr::device::set_pack_relu(config & 0xF, config >> 16);
}
ALWI void pack_relu_config(uint32_t config) { llk_pack_relu_config(config); }
ALWI void llk_pack_reconfig_l1_acc(uint32_t on) { pack_reconfig_l1_acc(on); }

}  // namespace ckernel
