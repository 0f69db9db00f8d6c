#pragma once

#include <stdint.h>

// How base firmware says that it cannot do what a launch message asks: the watcher's assert record, one word.
// docs/hardware/tile.md 7.2
namespace kerr::arch {

inline constexpr uint32_t kFirmwareAssert = 0x3F4;  // in the stock firmware and in ours
inline constexpr uint32_t kFirmwareAssertTripped = 3u << 16;  // [15:0] FirmwareError, [23:16] 3, [31:24] 0

enum class FirmwareError : uint16_t {
  None = 0,
  RemoteCircularBuffers = 1,  // min_remote_cb_start_index below the number of circular buffers
};

constexpr const char* name_of(FirmwareError e) {
  switch (e) {
    case FirmwareError::None: return "no error";
    case FirmwareError::RemoteCircularBuffers:
      return "the launch message asks for remote circular buffers (min_remote_cb_start_index), which this firmware "
             "does not have";
  }
  return "unknown firmware error";
}

}  // namespace kerr::arch
