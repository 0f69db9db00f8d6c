// The public microbenchmarks of Blackhole silicon, run on the emulator in exact timing.   docs/hardware/timing.md 16
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kerr::timing_tests {

/// One number that somebody measured on silicon, and how the emulator comes to it.
struct Micro {
  std::string group;      // "harts", "pushes", "NoC latency", ...
  std::string name;
  std::string unit;
  double silicon;
  double tolerance;       // of the silicon's number, 0.05 = 5 %; 0: exact to what is printed
  std::string section;    // of docs/hardware/timing.md
  std::function<double()> measure;
  bool expected_miss = false;  // known to lie outside: the page says so, and a test that it still does
  bool slow = false;           // takes seconds: is only tested if KERR_LONG_ROWS is set
};

std::vector<Micro> hart_micros();
std::vector<Micro> push_micros();
std::vector<Micro> unit_micros();
std::vector<Micro> reduction_micros();
std::vector<Micro> turn_micros();
std::vector<Micro> software_micros();
std::vector<Micro> noc_micros();
std::vector<Micro> stream_micros();
std::vector<Micro> launch_micros();
/// All of them, in the order of the page.
std::vector<Micro> all_micros();

/// One that this model does not get right: the page says what is known of why.
Micro missed(Micro micro);

/// Is `kerr` as near as it has to be?
bool fits(const Micro& micro, double kerr);

/// The table of docs/performance/timing.md, a line each; of a slow one, unless it is told to measure it, only how the
/// line begins.
std::vector<std::string> table(bool with_slow);

}  // namespace kerr::timing_tests
