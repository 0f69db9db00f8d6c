// The one exception type of the host stack.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "arch/category.hpp"

namespace kerr::host {

using arch::Category;
using arch::category_name;

/// Thrown by everything in host/. `summary()` is one line: the category and a sentence. `report()` is the device's own
/// account (may be empty): who waits for what, or where the fault happened. `what()` is both, of a long report the
/// first kLinesInWhat lines, so that an exception which nobody catches says it too.
class DeviceError : public std::runtime_error {
 public:
  static constexpr size_t kLinesInWhat = 24;

  /// `sentence`: one line without its full stop. `report`: lines.
  DeviceError(Category category, const std::string& sentence, std::string report = {});
  Category category() const { return category_; }
  /// "Timeout: boot of tile (1,2) has not ended".
  const std::string& summary() const { return summary_; }
  /// The summary without its category.
  std::string sentence() const { return summary_.substr(category_name(category_).size() + 2); }
  /// Empty, or lines that end with a line break.
  const std::string& report() const { return report_; }

 private:
  Category category_;
  std::string summary_;
  std::string report_;
};

/// The device's memory is too small for what is asked for, or no free piece of it is large enough. Its category is
/// HostError.
class OutOfDeviceMemory : public DeviceError {
 public:
  explicit OutOfDeviceMemory(const std::string& sentence) : DeviceError(Category::HostError, sentence) {}
};

/// Throws a DeviceError of category HostError: bad arguments, never a device fault.
[[noreturn]] void host_error(const std::string& sentence);

}  // namespace kerr::host
