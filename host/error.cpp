#include "host/error.hpp"

namespace kerr::host {

std::string_view category_name(Category category) {
  switch (category) {
    case Category::kUndefinedBehavior: return "UndefinedBehavior";
    case Category::kUnpredictableValue: return "UnpredictableValue";
    case Category::kUnsupported: return "Unsupported";
    case Category::kMisaligned: return "Misaligned";
    case Category::kOutOfBounds: return "OutOfBounds";
    case Category::kRace: return "Race";
    case Category::kUninitialised: return "Uninitialised";
    case Category::kDeadlock: return "Deadlock";
    case Category::kHostError: return "HostError";
    case Category::kTimeout: return "Timeout";
    case Category::kProtocol: return "Protocol";
  }
  return "Unknown";
}

DeviceError::DeviceError(Category category, const std::string& sentence, std::string report)
    : std::runtime_error(std::string(category_name(category)) + ": " + sentence),
      category_(category),
      report_(std::move(report)) {}

void host_error(const std::string& sentence) { throw DeviceError(Category::kHostError, sentence); }

}  // namespace kerr::host
