// kerr_oracle_record LIBRARY DIRECTORY [SEED]: writes fpu.txt and convert.txt, the vectors that the tests replay.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "tests/oracle/fpu_modes.hpp"
#include "tests/oracle/isolate.hpp"
#include "tests/oracle/vectors.hpp"

namespace {

using namespace kerr::oracle;
using kerr::emu::math::Format;

// A whole run in a child process, as its bytes.
template <class Block>
std::vector<std::uint8_t> run(const char* path, const Block& block) {
  const Outcome outcome = isolate([&] {
    Library library(path);
    Device device(library);
    const auto result = run_on_device(device, block);
    std::vector<std::uint8_t> bytes(result.size() * sizeof result[0]);
    std::memcpy(bytes.data(), result.data(), bytes.size());
    return bytes;
  });
  if (!outcome.finished) throw std::runtime_error(describe(block) + ": " + outcome.message);
  return outcome.bytes;
}

// Not every mode: the files are to stay small. The fuzzer runs them all.
bool wanted(const FpuBlock& block) {
  const bool middle_phase = block.mode.phase == 1 || block.mode.phase == 2;
  return block.mode.flush_src && block.mode.src_a == block.mode.src_b && !(block.op == FpuOp::Elwmul && middle_phase);
}
bool wanted(const ConvertBlock& block) { return block.pack.relu_mode != 1; }

void record(const char* path, const std::string& directory, unsigned seed) {
  std::mt19937 random(seed);
  std::ofstream fpu(directory + "/fpu.txt"), convert(directory + "/convert.txt");
  for (std::ofstream* file : {&fpu, &convert})
    *file << "# Recorded by kerr_oracle_record from the reference simulator ttsim 1.10.0 (Blackhole). tests/oracle/README.md\n";
  for (FpuBlock block : comparable_blocks()) {
    if (!wanted(block)) continue;
    randomise(block, random);
    const std::vector<std::uint8_t> bytes = run(path, block);
    std::vector<std::uint32_t> result(bytes.size() / 4);
    std::memcpy(result.data(), bytes.data(), bytes.size());
    write(fpu, first_step(block, result));
  }
  for (ConvertBlock block : comparable_conversions()) {
    if (!wanted(block)) continue;
    randomise(block, random);
    write(convert, first_datums(block, run(path, block)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: kerr_oracle_record LIBRARY.so DIRECTORY [SEED]\n");
    return 2;
  }
  try {
    record(argv[1], argv[2], argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kerr_oracle_record: %s\n", e.what());
    return 1;
  }
  return 0;
}
