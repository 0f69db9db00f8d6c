// Whatever a program asks for, the units stay inside their memories: random programs with flipped bits, and noise.
// Run it under ASan and UBSan to see more.
#include <random>
#include <sstream>

#include "tests/emu/tensix/datapath/lone_script.hpp"
#include "tests/emu/tensix/datapath/program_maker.hpp"

namespace kerr::emu {
namespace {

// Flips bits of configuration values and of instruction operands; opcodes stay.
std::string damage(const std::string& script, std::mt19937_64& random, unsigned one_in) {
  std::istringstream in(script);
  std::ostringstream out;
  for (std::string line; std::getline(in, line); out << '\n') {
    if (line.starts_with("bytes") || line.starts_with("words") || line.starts_with("hart")) {
      out << line;
      continue;
    }
    std::istringstream tokens(line);
    for (std::string token; tokens >> token; out << ' ') {
      const size_t equal = token.find('=');
      if (random() % one_in != 0 || (equal == std::string::npos && !token.starts_with("0x"))) {
        out << token;
      } else if (equal == std::string::npos) {
        const auto word = static_cast<uint32_t>(std::stoul(token, nullptr, 0));
        out << "0x" << std::hex << (word ^ 1u << random() % 24) << std::dec;
      } else {
        const auto value = static_cast<uint32_t>(std::stoul(token.substr(equal + 1), nullptr, 0));
        uint32_t damaged = random() % 2 ? value ^ 1u << random() % 32 : static_cast<uint32_t>(random());
        if (token[0] == 't') damaged &= 0xFFFF;
        out << token.substr(0, equal + 1) << damaged;
      }
    }
  }
  return out.str();
}

TEST(HostilePrograms, WithFlippedBitsDoNoHarm) {
  std::mt19937_64 random(2026);
  unsigned faults = 0, programs = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    for (const Topic topic : kTopics) {
      for (const unsigned one_in : {100u, 20u}) {
        const LoneScriptResult result = run_lone_script(damage(ProgramMaker(topic, seed).make(), random, one_in));
        ++programs;
        if (!result.fault.empty()) ++faults;
      }
    }
  }
  EXPECT_GT(faults, 0u);
  EXPECT_LT(faults, programs);
}

TEST(HostilePrograms, OfNoiseDoNoHarm) {
  std::mt19937_64 random(7);
  constexpr uint32_t kOpcodes[] = {0x08, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, 0x16, 0x26, 0x27, 0x28, 0x29,
                                   0x30, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x41, 0x42, 0x43, 0x50, 0x51,
                                   0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x5E, 0x41, 0x42, 0x42, 0x43};
  for (unsigned program = 0; program < 3000; ++program) {
    std::ostringstream script;
    script << "hart T" << random() % 3 << "\nw70=" << (random() % 2 ? 0x551 : random() % 0x10000 | 1) << ' ';
    for (unsigned n = 0; n < 40; ++n) {
      const auto value = static_cast<uint32_t>(random()) >> random() % 32;
      script << 'w' << random() % 224 << '=' << value << ' ';
      script << 't' << random() % 68 << '=' << (value & 0xFFFF) << ' ';
    }
    for (unsigned n = 0; n < 30; ++n) {
      const uint32_t operands = static_cast<uint32_t>(random()) & static_cast<uint32_t>(random()) & 0xFFFFFF;
      script << "0x" << std::hex << (kOpcodes[random() % std::size(kOpcodes)] << 24 | operands) << std::dec << ' ';
    }
    run_lone_script(script.str() + "\nrun\n");
  }
}

}  // namespace
}  // namespace kerr::emu
