// How a unit says that something went wrong.   docs/architecture.md "Faults are values"
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "emu/access.hpp"
#include "emu/observe/fault.hpp"

namespace kerr::emu {

/// Implemented by the tile, which adds who acts, when and at which instruction.
class Reporter {
 public:
  virtual void report(FaultCategory category, uint64_t address, std::string what, std::string advice = {}) = 0;

  /// `return reporter.fault(...)` from an access.
  Access fault(FaultCategory category, uint64_t address, std::string what, std::string advice = {}) {
    report(category, address, std::move(what), std::move(advice));
    return Access::Fault;
  }

 protected:
  ~Reporter() = default;
};

}  // namespace kerr::emu
