// Writes qemu_vectors.def: what qemu-riscv32 (Debian: qemu-user) makes of the independent programs.
//   record_qemu 300 > tests/emu/riscv/qemu_vectors.def
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "emu/hash.hpp"
#include "tests/emu/riscv/independent_program.hpp"

namespace kerr::emu {
namespace {

using isa::riscv::Op;

constexpr uint32_t kImageBytes = IndependentProgram::kData + 0x1000 - IndependentProgram::kCode;

// write(1, data, ...) and exit(0), as Linux has them.
void append_end(std::vector<uint32_t>& words) {
  const auto li = [&](uint8_t rd, int32_t value) {
    words.push_back(isa::riscv::encode({.op = Op::Addi, .rd = rd, .imm = value}));
  };
  constexpr uint8_t a0 = 10, a1 = 11, a2 = 12, a7 = 17;
  li(a0, 1);
  words.push_back(isa::riscv::encode({.op = Op::Lui, .rd = a1, .imm = IndependentProgram::kData}));
  li(a2, IndependentProgram::kDataBytes + IndependentProgram::kResultBytes);
  li(a7, 64);
  words.push_back(isa::riscv::encode({.op = Op::Ecall}));
  li(a0, 0);
  li(a7, 93);
  words.push_back(isa::riscv::encode({.op = Op::Ecall}));
}

// One segment that is read, written and executed.
std::string elf_of(const IndependentProgram& program) {
  const uint32_t header[] = {0x464C457F, 0x00010101, 0, 0, 2 | 243u << 16, 1, IndependentProgram::kCode, 52, 0, 0,
                                  52 | 32u << 16, 1 | 40u << 16, 0,
                                  1, 0x1000, IndependentProgram::kCode, IndependentProgram::kCode, kImageBytes, kImageBytes, 7, 0x1000};
  std::string file(0x1000 + kImageBytes, '\0');
  std::memcpy(file.data(), header, sizeof header);
  std::vector<uint32_t> words = program.words;
  append_end(words);
  std::memcpy(file.data() + 0x1000, words.data(), 4 * words.size());
  std::memcpy(file.data() + 0x1000 + IndependentProgram::kData - IndependentProgram::kCode, program.data.data(),
              IndependentProgram::kDataBytes);
  return file;
}

bool record(uint32_t seed, const std::string& path) {
  const std::string elf = elf_of(IndependentProgram(seed));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(elf.data(), 1, elf.size(), file) != elf.size() || std::fclose(file) != 0) return false;
  if (std::system(("chmod +x " + path).c_str()) != 0) return false;
  std::FILE* run = ::popen(("qemu-riscv32 -cpu rv32,zba=true,zbb=true,zbkb=true " + path).c_str(), "r");
  if (!run) return false;
  std::vector<uint8_t> result(IndependentProgram::kDataBytes + IndependentProgram::kResultBytes);
  const bool whole = std::fread(result.data(), 1, result.size(), run) == result.size();
  if (::pclose(run) != 0 || !whole) return false;
  fmt::print("QEMU({}, 0x{:016x})\n", seed, mix_bytes(0, result));
  return true;
}

}  // namespace
}  // namespace kerr::emu

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  const std::string path = "/tmp/kerr_record_qemu_" + std::to_string(::getpid());
  fmt::print("// QEMU(seed, hash of data and registers): what qemu-riscv32 7.2 computed, recorded by 'record_qemu {}'.\n", count);
  for (int seed = 1; seed <= count; ++seed) {
    if (!kerr::emu::record(static_cast<uint32_t>(seed), path)) {
      std::fprintf(stderr, "qemu-riscv32 did not run the program of seed %d\n", seed);
      return 1;
    }
  }
  std::remove(path.c_str());
}
