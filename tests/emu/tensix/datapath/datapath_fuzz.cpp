// datapath_fuzz LIBRARY COUNT [SEED [TOPIC]]: random data-path programs on a library with the libttsim C ABI and on our
// coprocessor; says which differ (with COUNT 1 prints the script). With `--record FILE` as last arguments, programs
// whose results agree are written there: topic, seed, CRC-32 of the script and of the output area.
// recorded_programs_test.cpp replays them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "arch/bytes.hpp"
#include "oracle/isolate.hpp"
#include "oracle/run.hpp"
#include "oracle/script.hpp"
#include "tests/emu/tensix/datapath/lone_script.hpp"
#include "tests/emu/tensix/datapath/program_maker.hpp"

namespace {

using namespace kerr;

// What the library leaves in the output area, or why it ended.
oracle::Outcome reference(const char* path, const std::string& script) {
  return oracle::isolate([&] {
    oracle::Device device(path);
    const oracle::ScriptResult result = oracle::run_script(device, script);
    if (!result.passed) throw std::runtime_error(result.output);
    return device.read({}, emu::ProgramMaker::kOutput, emu::ProgramMaker::kOutputBytes);
  });
}

uint32_t text_crc(const std::string& text) { return emu::crc32(arch::as_uint8(text)); }

struct Tally {
  unsigned equal = 0, different = 0, refused_by_both = 0, refused_by_library = 0, refused_by_us = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: datapath_fuzz LIBRARY COUNT [SEED [TOPIC]] [--record FILE]\n");
    return 2;
  }
  std::ofstream record;
  if (argc > 4 && std::strcmp(argv[argc - 2], "--record") == 0) {
    record.open(argv[argc - 1]);
    argc -= 2;
  }
  const uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 1;
  const uint64_t count = std::strtoull(argv[2], nullptr, 0);
  const char* only = argc > 4 ? argv[4] : nullptr;
  std::map<std::string, Tally> tallies;
  std::map<std::string, unsigned> our_refusals, their_refusals;
  bool all_equal = true;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    for (const emu::Topic topic : emu::kTopics) {
      if (only && std::strcmp(only, name(topic)) != 0) continue;
      const std::string script = emu::ProgramMaker(topic, seed).make();
      const std::string dump = "dump " + std::to_string(emu::ProgramMaker::kOutput) + ' ' +
                               std::to_string(emu::ProgramMaker::kOutputBytes) + '\n';
      const emu::LoneScriptResult ours = emu::run_lone_script(script + dump);
      const oracle::Outcome theirs = reference(argv[1], script);
      Tally& tally = tallies[name(topic)];
      if (!theirs.finished) {
        ++(ours.fault.empty() ? tally.refused_by_library : tally.refused_by_both);
        ++their_refusals[theirs.message.substr(0, 160)];
      } else if (!ours.fault.empty()) {
        ++tally.refused_by_us;
        ++our_refusals[ours.fault];
      } else if (ours.dumped == theirs.bytes) {
        ++tally.equal;
        if (record.is_open()) {
          char line[96];
          std::snprintf(line, sizeof line, "%s %llu %08X %08X\n", name(topic), static_cast<unsigned long long>(seed),
                        text_crc(script), emu::crc32(ours.dumped));
          record << line;
        }
      } else {
        ++tally.different;
        all_equal = false;
        size_t at = 0;
        while (ours.dumped[at] == theirs.bytes[at]) ++at;
        std::printf("DIFFERENT %s seed %llu, first at output byte %zu: ours", name(topic),
                    static_cast<unsigned long long>(seed), at);
        for (size_t n = at & ~size_t{3}; n < (at & ~size_t{3}) + 8; ++n) std::printf(" %02x", ours.dumped[n]);
        std::printf(", theirs");
        for (size_t n = at & ~size_t{3}; n < (at & ~size_t{3}) + 8; ++n) std::printf(" %02x", theirs.bytes[n]);
        std::printf("\n");
        if (count == 1) std::printf("%s", script.c_str());
      }
    }
  }
  for (const auto& [topic, t] : tallies) {
    std::printf("%-14s equal %u, different %u, refused by both %u, by the library %u, by us %u\n", topic.c_str(),
                t.equal, t.different, t.refused_by_both, t.refused_by_library, t.refused_by_us);
  }
  for (const auto& [why, n] : our_refusals) std::printf("only we refuse, %u times: %s\n", n, why.c_str());
  if (std::getenv("KERR_SHOW_REFUSALS")) {
    for (const auto& [why, n] : their_refusals) std::printf("the library ends, %u times: %s\n", n, why.c_str());
  }
  return all_equal ? 0 : 1;
}
