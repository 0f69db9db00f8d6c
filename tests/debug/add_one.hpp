// Two harts: BRISC adds 1 to 16 words, NCRISC waits for the last of them and then stores a word of its own behind them.
#pragma once

#include <cstdint>
#include <string>

#include "jobs/run/run.hpp"
#include "tests/debug/client.hpp"

namespace kerr::debug {

/// The path of examples/assembler_text/add_one.s.
std::string add_one_file();
std::string contents_of(const std::string& path);

struct Way {
  emu::Timing timing;
  bool parking = true;
  bool caches = false;
};
inline constexpr Way kWays[] = {
    {emu::Timing::Relaxed}, {emu::Timing::Exact}, {emu::Timing::Relaxed, false}, {emu::Timing::Relaxed, true, true}};
std::string name_of(const Way& way);

/// BRISC's code: the loop begins at +8 with lw, +16 sw, +28 bnez; t1 counts down. NCRISC's: +4 lw, +8 beqz, +12 li t1,
/// +16 sw. The words are the dump.
jobs::RunJob add_one_and_wait(const Way& way = {emu::Timing::Relaxed});
inline constexpr uint32_t kT1 = 6;

/// Where the code of the current process lies, as `qXfer:libraries` says.
uint32_t code_of(Client& client);
/// Where the job puts the code of the two harts.
struct CodePlaces {
  uint32_t brisc = 0, ncrisc = 0;
};
CodePlaces code_places();

/// A packet with one number in it.
std::string packet(const char* format, uint32_t value);

}  // namespace kerr::debug
