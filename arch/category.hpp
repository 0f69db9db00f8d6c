// What can go wrong on a device, or between a device and its host.   docs/architecture.md "Faults are values"
#pragma once

#include <cstdint>
#include <string_view>

namespace kerr::arch {

/// The first six are faults of whoever acts on the device, or of the host that reaches it; snapshots hold their numbers.
enum class Category : uint8_t {
  UndefinedBehavior,   ///< the hardware documents promise nothing
  UnpredictableValue,  ///< a value that silicon does not define was used
  Unsupported,         ///< Kerr does not model this (yet); says nothing about the program
  Misaligned,
  OutOfBounds,
  HostError,  ///< the caller asked for something that cannot be done; nothing was written to the device
  Deadlock,   ///< nothing on the device can happen any more, and the host still waits for something
  Timeout,    ///< the deadline passed while the device was still running
  Protocol,   ///< the device answered, but not what the protocol says (wrong stamp, wrong event, error code)
};

/// "UndefinedBehavior"
constexpr std::string_view category_name(Category category) {
  constexpr std::string_view kNames[] = {"UndefinedBehavior", "UnpredictableValue", "Unsupported",
                                         "Misaligned",        "OutOfBounds",        "HostError",
                                         "Deadlock",          "Timeout",            "Protocol"};
  return kNames[static_cast<size_t>(category)];
}

}  // namespace kerr::arch
