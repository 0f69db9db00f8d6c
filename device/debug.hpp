// Words of tt-metal's kernels that help to find errors. Kerr names function and line of a hart that is stuck or has
// faulted by itself; so DPRINT, waypoints and rings of debug words compile to nothing. DEVICE_PRINT is a print of Kerr
// (print.hpp), and ASSERT stops the hart.
#pragma once

#include "device/hart.hpp"
#include "device/print.hpp"
#include "device/zones.hpp"

namespace kerr::device {

// Takes whatever is printed, and is never executed.
struct NoPrint {
  template <class T>
  const NoPrint& operator<<(const T&) const {
    return *this;
  }
};
inline constexpr NoPrint kNoPrint;

// What is made only to be printed.
struct NotPrinted {
  template <class... Any>
  constexpr explicit NotPrinted(Any&&...) {}
};

}  // namespace kerr::device

using ENDL = kerr::device::NotPrinted;
using HEX = kerr::device::NotPrinted;
using DEC = kerr::device::NotPrinted;
using OCT = kerr::device::NotPrinted;
using FIXED = kerr::device::NotPrinted;
using DEFAULTFLOAT = kerr::device::NotPrinted;
using SETW = kerr::device::NotPrinted;
using SETPRECISION = kerr::device::NotPrinted;
using BF16 = kerr::device::NotPrinted;
using F32 = kerr::device::NotPrinted;
using U32 = kerr::device::NotPrinted;
using WAIT = kerr::device::NotPrinted;
using RAISE = kerr::device::NotPrinted;
template <int = 64>
struct TileSlice {
  template <class... Any>
  constexpr explicit TileSlice(Any&&...) {}
};
struct SliceRange {
  uint8_t h0 = 0, h1 = 0, hs = 0, w0 = 0, w1 = 0, ws = 0;
  static constexpr SliceRange hw041() { return {}; }
  static constexpr SliceRange hw0_32_8() { return {}; }
  static constexpr SliceRange hw0_32_16() { return {}; }
  static constexpr SliceRange h0_w0_32() { return {}; }
  static constexpr SliceRange h0_32_w0() { return {}; }
};
enum dprint_tslice_ptr_t { TSLICE_RD_PTR, TSLICE_WR_PTR };
enum dprint_tslice_cb_t { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
#define TSLICE(...) ::kerr::device::kNoPrint

#define DPRINT \
  if (true) {  \
  } else       \
    ::kerr::device::kNoPrint
#define DPRINT_DATA0(x) \
  do {                  \
  } while (0)
#define DPRINT_DATA1(x) DPRINT_DATA0(x)
#define DPRINT_UNPACK(x) DPRINT_DATA0(x)
#define DPRINT_MATH(x) DPRINT_DATA0(x)
#define DPRINT_PACK(x) DPRINT_DATA0(x)
#define DEBUG_PRINT(...) DPRINT_DATA0(0)
#define WAYPOINT(...) DPRINT_DATA0(0)
#define DEBUG_STATUS(...) DPRINT_DATA0(0)
#define WATCHER_RING_BUFFER_PUSH(x) DPRINT_DATA0(x)
#define PAUSE() DPRINT_DATA0(0)
#define DEBUG_SANITIZE_NOC_ADDR(...) DPRINT_DATA0(0)

#define DEVICE_PRINT(format, ...) KERR_PRINT(format __VA_OPT__(, ) __VA_ARGS__)
#define DEVICE_PRINT_IF(condition, ...)       \
  do {                                        \
    if (condition) DEVICE_PRINT(__VA_ARGS__); \
  } while (0)
#define DEVICE_PRINT_DATA0(...) DEVICE_PRINT_IF(KERR_HART < 2 && NOC_INDEX == 0, __VA_ARGS__)
#define DEVICE_PRINT_DATA1(...) DEVICE_PRINT_IF(KERR_HART < 2 && NOC_INDEX == 1, __VA_ARGS__)
#define DEVICE_PRINT_UNPACK(...) DEVICE_PRINT_IF(KERR_HART == 2, __VA_ARGS__)
#define DEVICE_PRINT_MATH(...) DEVICE_PRINT_IF(KERR_HART == 3, __VA_ARGS__)
#define DEVICE_PRINT_PACK(...) DEVICE_PRINT_IF(KERR_HART == 4, __VA_ARGS__)

// Sums and single events of tt-metal's profiler: nothing is measured. Zones: zones.hpp.
#define DeviceZoneScopedSumN1(name) DPRINT_DATA0(0)
#define DeviceZoneScopedSumN2(name) DPRINT_DATA0(0)
#define DeviceTimestampedData(name, data) DPRINT_DATA0(0)
#define DeviceRecordEvent(id) DPRINT_DATA0(0)
#define DeviceZoneScopedND(...) DPRINT_DATA0(0)

// A condition that does not hold pauses the hart: the run ends with a report that names the line.
#define ASSERT(condition, ...)                \
  do {                                        \
    if (!(condition)) asm volatile("ebreak"); \
  } while (0)
