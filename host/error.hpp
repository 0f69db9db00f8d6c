// The one exception type of the host stack.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kerr::host {

/// What went wrong. The first five, and some of HostError, are the device's own faults (docs/architecture.md, "Faults are values").
enum class Category {
  UndefinedBehavior,
  UnpredictableValue,
  Unsupported,
  Misaligned,
  OutOfBounds,
  Deadlock,   ///< nothing on the device can happen any more, and the host still waits for something
  HostError,  ///< the caller asked for something that cannot be done; nothing was written to the device
  Timeout,    ///< the deadline passed while the device was still running
  Protocol,   ///< the device answered, but not what the protocol says (wrong stamp, wrong event, error code)
};

std::string_view category_name(Category category);

/// Thrown by everything in host/. `summary()` is one line: the category and a sentence. `report()` is the device's own
/// account (may be empty): who waits for what, or where the fault happened. `what()` is both, of a long report the first
/// kLinesInWhat lines, so that an exception which nobody catches says it too.
class DeviceError : public std::runtime_error {
 public:
  static constexpr size_t kLinesInWhat = 24;

  DeviceError(Category category, const std::string& sentence, std::string report = {});
  Category category() const { return category_; }
  const std::string& summary() const { return summary_; }
  /// The summary without its category.
  std::string sentence() const { return summary_.substr(category_name(category_).size() + 2); }
  const std::string& report() const { return report_; }

 private:
  Category category_;
  std::string summary_;
  std::string report_;
};

/// Throws a DeviceError of category HostError: bad arguments, never a device fault.
[[noreturn]] void host_error(const std::string& sentence);

}  // namespace kerr::host
