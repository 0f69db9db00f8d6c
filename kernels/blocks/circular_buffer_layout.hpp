// Where a circular buffer's state lies: 32 bytes in local memory, two counters of the Overlay.   docs/hardware/kernels.md 2.5
// Both counters are 0 when a kernel begins (arch/kernel_abi.hpp).
#pragma once

#include <cstdint>

#include "arch/stream_registers.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

inline constexpr int kCbInterfaceStride = 32;
inline constexpr int kCbSize = 0;
inline constexpr int kCbLimit = 4;
inline constexpr int kCbReadPointer = 16;
inline constexpr int kCbWritePointer = 20;

inline constexpr int kFirstCbOverlay = 8;  // buffer n has Overlay stream n + 8
inline constexpr int kAckedOffset = 4 * arch::stream::kRemoteDestBufStart;
inline constexpr int kReceivedOffset = 4 * arch::stream::kRemoteDestBufSize;

constexpr uint32_t overlay_base(unsigned id) { return arch::stream_address(kFirstCbOverlay + static_cast<int>(id), 0); }

/// Pages of circular buffer `id` have been pushed or popped just now. Throws std::logic_error if that is not for the
/// only time (Flow::Once).
void check_once(const Stream& a, uint32_t id);

/// Moves a pointer that has come to the end of circular buffer `id` back to its start. Clobbers t0.
void wrap_pointer(Stream& a, unsigned id, isa::Reg pointer, isa::Reg interface);

}  // namespace kerr::kernels
