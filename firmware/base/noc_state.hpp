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

// Copies the hardware counters of both NoCs to the hart's local RAM, where a kernel counts on.
inline void publish_noc_counters() {
  for (int kind = 0; kind < kCounterKinds; ++kind)
    for (int noc = 0; noc < 2; ++noc)
      store(kAbi.noc_counters + 8u * static_cast<uint32_t>(kind) + 4u * static_cast<uint32_t>(noc),
            counter(noc, kCounterOfKind[kind]));
}

}  // namespace kerr::firmware
