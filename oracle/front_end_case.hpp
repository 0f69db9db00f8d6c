// Random programs for the front end and the small units of one thread: what a library with the C ABI and our
// coprocessor are compared on. The state that they leave in GPRs, configuration, semaphores, address and row counters
// is the result.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "oracle/tile_case.hpp"

namespace kerr::oracle {

struct FrontEndCase {
  struct Step {
    enum class Kind : uint8_t { Push, MopConfig, Drain };
    Kind kind = Kind::Push;
    uint32_t value = 0;
    unsigned index = 0;  ///< of a MOP configuration word
  };
  std::vector<Step> steps;
};

/// MOPs of both templates, recordings and playback, scalar, configuration, semaphore and address counter instructions.
/// Keeps to what the reference simulator accepts.
FrontEndCase random_front_end_case(std::mt19937& random);

/// The same as a program for TRISC0 that leaves the result in L1.
TileCase to_tile_case(const FrontEndCase& c);
/// The result from our coprocessor, driven without harts. Throws std::runtime_error on a fault.
std::vector<uint8_t> run_on_coprocessor(const FrontEndCase& c);

/// "ADDDMAREG ...": for a person.
std::string describe(const FrontEndCase& c);

}  // namespace kerr::oracle
