// What kerr-bench has to reach: issues' targets by name of the benchmark that measures them.
#pragma once

#include <string_view>
#include <vector>

namespace kerr::bench {

struct Target {
  std::string_view what;
  std::string_view benchmark;     // its full name, or what several begin with and a '*': the worst counts
  std::string_view value;         // a counter's name, or "cpu_time" or "real_time" in ns
  std::string_view compared_with; // another benchmark: the value is the ratio of both, repetition by repetition; may be empty
  double unit;                    // the value is shown divided by it
  std::string_view unit_name;
  bool at_least;                  // else at most
  double limit;                   // in that unit
};

inline const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      {"1 hart, loop of loads, stores, additions", "LoneHart/update_word/1048576", "instructions/s", "", 1e6, "M instructions/s", true, 1000},
      {"1 hart, CoreMark-like integer code", "LoneHart/integer_mix/1048576", "instructions/s", "", 1e6, "M instructions/s", true, 600},
      {"1 hart, dot product of floats", "LoneHart/float_dot/1048576", "instructions/s", "", 1e6, "M instructions/s", true, 200},
      {"700 harts, that loop, 2 threads", "ChipOfHarts/update_word/threads:2/real_time", "instructions/s", "", 1e6, "M instructions/s", true, 2000},
      {"700 harts, bodies of 400 mixed instructions, 2 threads", "ChipOfHarts/mixed_400/threads:2/real_time", "instructions/s", "", 1e6,
       "M instructions/s", true, 700},
      {"700 harts, that loop, 2 threads: of two seconds of CPU time", "ChipOfHarts/update_word/threads:2/real_time", "instructions/cpu_s",
       "", 0.5e6, "M instructions", true, 2000},
      {"700 harts, mixed bodies, 2 threads: of two seconds of CPU time", "ChipOfHarts/mixed_400/threads:2/real_time", "instructions/cpu_s",
       "", 0.5e6, "M instructions", true, 700},
      {"2 threads against 1: 700 harts, that loop", "ChipOfHarts/update_word/threads:2/real_time", "instructions/s",
       "ChipOfHarts/update_word/threads:1/real_time", 1, "times", true, 1.8},
      {"2 threads against 1: 700 harts, mixed bodies", "ChipOfHarts/mixed_400/threads:2/real_time", "instructions/s",
       "ChipOfHarts/mixed_400/threads:1/real_time", 1, "times", true, 1.8},
      {"2 threads against 1: 700 harts, integer code", "ChipOfHarts/integer_mix/threads:2/real_time", "instructions/s",
       "ChipOfHarts/integer_mix/threads:1/real_time", 1, "times", true, 1.8},
      {"700 polling harts, simulated clock", "ChipOfPollingHarts/real_time", "simulated_Hz", "", 1e9, "GHz", true, 30},
      {"boot own firmware on 140 tiles", "BootFirmware", "cpu_time", "", 1e6, "ms", false, 15},
      {"NoC packet of 16 KiB, memory in the caches", "NocPackets/warm/*", "each", "", 1e-6, "us", false, 1.5},
      {"NoC packet of 16 KiB, memory not in the caches", "NocPackets/cold/*", "each", "", 1e-6, "us", false, 3},
      {"BAR write of 1 MiB to L1 and to DRAM", "BarWrite/*", "bytes/s", "", 1e9, "GB/s", true, 4},
      {"save 140 booted tiles and 1 GiB of DRAM, 1 thread", "SaveSnapshot/threads:1/real_time", "cpu_time", "", 1e9, "s", false, 2},
      {"restore them, 1 thread", "LoadSnapshot/threads:1/real_time", "cpu_time", "", 1e9, "s", false, 2},
      {"MVMUL of BF16, AVX-512, slowest phase and accumulator", "DotProduct/AVX-512/*", "MAC", "", 1e9, "GMAC/s", true, 20},
      {"MVMUL of BF16, AVX2, slowest phase and accumulator", "DotProduct/AVX2/*", "MAC", "", 1e9, "GMAC/s", true, 8},
      {"null program through the queue, 1 core", "NullLaunch/cores:1", "cpu_time", "", 1e3, "us", false, 30},
      {"null program through the queue, 118 cores", "NullLaunch/cores:118", "cpu_time", "", 1e3, "us", false, 250},
      {"loop program on 1 core, launch to result", "LaunchLoops/one_core/threads:1/real_time", "cpu_s", "", 1e-3, "ms", false, 0.2},
      {"loop program of 10^9 instructions, 40 % floats, 2 threads", "LaunchLoops/mixed/threads:2/real_time", "real_time", "", 1e9, "s", false, 4},
      {"loop program of 12,000 lines, parsed and compiled", "CompileLoops/12000", "cpu_time", "", 1e6, "ms", false, 50},
      {"FP32 product of 512 x 512 x 512 on the vector unit, 8 cores, 2 threads", "VectorProduct/size:512/cores:8/threads:2/real_time",
       "real_time", "", 1e9, "s", false, 0.35},
      {"upload through the queue", "QueueUpload", "bytes/cpu_s", "", 1e6, "MB/s", true, 500},
      {"download through the queue", "QueueDownload", "bytes/cpu_s", "", 1e6, "MB/s", true, 500},
      {"SFPMAD, issue included", "Issue/SFPMAD*", "each", "", 1e-9, "ns", false, 30},
      {"programs before the eyes of the checker, the worst", "CheckAll/*", "times", "", 1, "times plain", false, 4},
      {"the same, misuse of memory only", "CheckMemory/*", "times", "", 1, "times plain", false, 1.5},
      {"hart with a load and a store in five instructions, checked", "CheckHart", "times", "", 1, "times plain", false, 8},
      {"unpack a tile of BF16", "UnpackTile/bf16_to_src_*", "cpu_time", "", 1, "ns", false, 300},
      {"pack a tile of BF16", "PackTile/bf16", "cpu_time", "", 1, "ns", false, 300},
  };
  return all;
}

}  // namespace kerr::bench
