#pragma once

#include <stdint.h>

#include "firmware/base/environment.hpp"
#include "firmware/common/niu.hpp"

// The counters that NoC barriers compare with.                                    docs/hardware/noc.md 5.3, tile.md 7.9
namespace kerr::firmware {

inline constexpr int kCounterKinds = 5;
// Hardware counter behind each kind: reads issued, non-posted writes issued, non-posted writes acked, atomics acked,
// posted writes issued.
inline constexpr int kCounterOfKind[kCounterKinds] = {niu::kMstRdRespReceived, niu::kMstNonpostedWrReqSent,
                                                      niu::kMstWrAckReceived, niu::kMstAtomicRespReceived,
                                                      niu::kMstPostedWrReqSent};

// Copies the hardware counters of both NoCs to the hart's local RAM, where a kernel counts on. At every launch: no loop.
template <int kKind = 0>
[[gnu::always_inline]] inline void publish_noc_counters() {
  if constexpr (kKind < kCounterKinds) {
    constexpr uint32_t at = kAbi.noc_counters + 8u * kKind;
    const uint32_t first = counter(0, kCounterOfKind[kKind]);
    const uint32_t second = counter(1, kCounterOfKind[kKind]);
    store(at, first);
    store(at + 4, second);
    publish_noc_counters<kKind + 1>();
  }
}

}  // namespace kerr::firmware
