// What is asked for of a checker.   docs/reference/checker.md
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/annotation.hpp"
#include "check/code_library.hpp"

namespace kerr::check {

/// How a machine is to be checked.
struct Watching {
  enum class Mode : uint8_t {
    Off,
    All,     // accesses that nothing orders, and misuse
    Memory,  // misuse alone: no rule that needs an order
  };
  Mode mode = Mode::Off;
  bool stop = false;  // the first error is a fault, which ends the run
  std::vector<Annotation> annotations{};
  std::shared_ptr<const CodeLibrary> code{};  // of programs whose host gives no names; may be null

  bool on() const { return mode != Mode::Off; }
};

}  // namespace kerr::check
