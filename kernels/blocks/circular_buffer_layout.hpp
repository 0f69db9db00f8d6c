// Where a circular buffer's state lies: 32 bytes of local memory, two Overlay counters.   docs/hardware/kernels.md 2.5
// Both counters are 0 when a kernel begins (arch/kernel_abi.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/firmware_layout.hpp"
#include "arch/messages.hpp"
#include "arch/stream_registers.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

inline constexpr int kCbInterfaceStride = sizeof(arch::CbInterface);
inline constexpr int kCbSize = offsetof(arch::CbInterface, fifo_size);
inline constexpr int kCbLimit = offsetof(arch::CbInterface, fifo_limit);
inline constexpr int kCbReadPointer = offsetof(arch::CbInterface, fifo_rd_ptr);
inline constexpr int kCbWritePointer = offsetof(arch::CbInterface, fifo_wr_ptr);

inline constexpr int kFirstCbOverlay = arch::kFwB.first_cb_stream;  // that of buffer 0
inline constexpr int kAckedOffset = 4 * arch::stream::kRemoteDestBufStart;
inline constexpr int kReceivedOffset = 4 * arch::stream::kRemoteDestBufSize;

constexpr uint32_t overlay_base(unsigned id) { return arch::stream_address(kFirstCbOverlay + static_cast<int>(id), 0); }

/// Pages of circular buffer `id` have been pushed or popped just now. Throws std::logic_error if that is not for the
/// only time (Flow::Once).
void check_once(const Stream& a, uint32_t id);

/// Moves a pointer that has come to the end of circular buffer `id` back to its start. Clobbers t0.
void wrap_pointer(Stream& a, unsigned id, isa::Reg pointer, isa::Reg interface);

}  // namespace kerr::kernels
