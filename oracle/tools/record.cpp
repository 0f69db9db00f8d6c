// kerr_oracle_record LIBRARY DIRECTORY [SEED]: writes fpu.txt, convert.txt, sfpu.txt and
// programs.txt, which the tests replay.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "oracle/fpu_modes.hpp"
#include "oracle/isolate.hpp"
#include "oracle/run.hpp"
#include "oracle/tile_case.hpp"
#include "oracle/tools/tool.hpp"
#include "oracle/vectors.hpp"

namespace {

using namespace kerr::oracle;
using kerr::emu::math::Format;

// A whole run in a child process, as its bytes. `work` takes the device.
template <class Work>
std::vector<uint8_t> run(const char* path, const std::string& what, Work work) {
  const Outcome outcome = isolate([&] {
    Device device(path);
    const auto result = work(device);
    std::vector<uint8_t> bytes(result.size() * sizeof result[0]);
    std::memcpy(bytes.data(), result.data(), bytes.size());
    return bytes;
  });
  if (!outcome.finished) throw std::runtime_error(what + ": " + outcome.message);
  return outcome.bytes;
}

template <class Block>
std::vector<uint8_t> run(const char* path, const Block& block) {
  return run(path, describe(block), [&](Device& device) { return run_on_device(device, block); });
}

// Twice each, so that every instruction meets several hundred lanes.
void record_vector_unit(const char* path, std::mt19937& random, std::ostream& out) {
  for (SfpuBlock block : comparable_sfpu_blocks()) {
    for (int n = 0; n < 2; ++n) {
      randomise(block, random);
      const std::vector<uint8_t> bytes = run(path, block);
      std::vector<uint32_t> result(bytes.size() / 4);
      std::memcpy(result.data(), bytes.data(), bytes.size());
      write(out, SfpuVector{block, result});
    }
  }
}

// Random programs by generator and seed, with a checksum of the program and one of its result.
void record_programs(const char* path, std::ostream& out) {
  for (const char* kind : {"tensix", "rv32"}) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
      std::mt19937 random(seed);
      const TileCase c = case_generator(kind)(random);
      const std::vector<uint8_t> bytes = run(path, std::string(kind) + " " + std::to_string(seed),
                                             [&](Device& device) { return run_case(device, c); });
      char line[64];
      std::snprintf(line, sizeof line, "%s %u %08X %08X\n", kind, seed, checksum(c), crc32(bytes));
      out << line;
    }
  }
}

// Not every mode: the files are to stay small. The fuzzer runs them all.
bool wanted(const FpuBlock& block) {
  const bool middle_phase = block.mode.phase == 1 || block.mode.phase == 2;
  return block.mode.flush_src && block.mode.src_a == block.mode.src_b && !(block.op == FpuOp::Elwmul && middle_phase);
}
bool wanted(const ConvertBlock& block) { return block.pack.relu_mode != 1; }

void record(const char* path, const std::string& directory, unsigned seed) {
  std::mt19937 random(seed);
  std::ofstream fpu(directory + "/fpu.txt"), convert(directory + "/convert.txt"), programs(directory + "/programs.txt"),
      sfpu(directory + "/sfpu.txt");
  for (std::ofstream* file : {&fpu, &convert, &programs, &sfpu})
    *file << "# Recorded by kerr_oracle_record from the reference simulator ttsim 1.10.0 (Blackhole). "
             "oracle/README.md\n";
  for (FpuBlock block : comparable_blocks()) {
    if (!wanted(block)) continue;
    randomise(block, random);
    const std::vector<uint8_t> bytes = run(path, block);
    std::vector<uint32_t> result(bytes.size() / 4);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    write(fpu, first_step(block, result));
  }
  for (ConvertBlock block : comparable_conversions()) {
    if (!wanted(block)) continue;
    randomise(block, random);
    write(convert, first_datums(block, run(path, block)));
  }
  record_programs(path, programs);
  record_vector_unit(path, random, sfpu);
}

}  // namespace

int main(int argc, char** argv) {
  return tool_main(argc, argv, "kerr_oracle_record LIBRARY.so DIRECTORY [SEED]", 2, [](int words, char** word) {
    record(word[1], word[2], number(words, word, 3, 1));
    return 0;
  });
}
