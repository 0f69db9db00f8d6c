// The coprocessor: one TRISC drives MOPs, which expand to many instructions each, and counts them in L1 when they are
// done.   docs/hardware/tensix-datapath.md 3, 4, A.1
#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "bench/against/workload.hpp"
#include "bench/hart/programs.hpp"
#include "bench/tensix/exponential.hpp"
#include "isa/assembler.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::bench {

namespace {

using namespace isa::reg;
using oracle::Device;

constexpr uint32_t kCounter = 0x1000, kData = 0x20000, kTileBytes = 0x800, kOut = 0x40000;
constexpr uint32_t base_of(uint32_t address) { return address / 16 - 1; }
constexpr unsigned kNextElements = 3;  // the address modifier that moves on by the 32 elements of a vector

// A program of TRISC 1, which plays all three parts.
class TensixProgram {
 public:
  void config(unsigned word, uint32_t value) { store(arch::kConfigBase + 4 * word, value); }
  void mop_config(unsigned word, uint32_t value) { store(arch::kMopConfigBase + 4 * word, value); }
  void thread_config(unsigned word, uint32_t value) { a.ttinsn(0xB2000000 | word << 16 | value); }
  void push(std::string_view instruction) { a.ttinsn(isa::assemble_tensix(std::string(instruction))); }
  void store(uint32_t address, uint32_t value) {
    a.li(t0, static_cast<int32_t>(address));
    a.li(t1, static_cast<int32_t>(value));
    a.sw(t1, t0);
  }
  /// Reads the register whose read waits until nothing of this thread is under way.
  void drain() {
    a.li(t0, static_cast<int32_t>(arch::kTtSyncThreadIdle));
    a.lw(t1, t0);
    a.addi(t1, t1, 0);
  }

  /// Formats, strides and counters for BF16 from L1 to SrcA, SrcB and Dst and back, as LLK leaves them.
  void set_up() {
    for (const auto& [word, value] : {std::pair{0u, 0u}, {1u, 5u << 17 | 5u << 21 | 9u << 25}, {2u, 0u}, {220u, 0u},
                                      {65u, 0x00040001u}, {113u, 0x00040001u}, {84u, 0x00400040u}, {86u, 0x01000100u},
                                      {92u, 0u}, {50u, 0u}, {56u, 0u}, {57u, 0u}, {71u, 0u}, {12u, 0x00200002u},
                                      {13u, 0x08000200u}, {14u, 0u}, {15u, 0u}, {17u, 0u}, {18u, 0u}, {20u, 0u},
                                      {24u, 0xFFFFu}, {28u, 0x1000u}, {68u, 0u}, {69u, base_of(kOut)}, {70u, 0x991u},
                                      {180u, 0u}, {64u, 0x01000015u}, {72u, 0x25u}, {73u, 0xFu}, {76u, base_of(kData)},
                                      {112u, 0x01000015u}, {120u, 0x25u}, {121u, 0xFu},
                                      {124u, base_of(kData + kTileBytes)}}) {
      config(word, value);
    }
    for (const unsigned word : {0u, 1u, 2u, 3u, 7u, 12u, 28u, 19u, 35u, 41u, 47u, 48u, 49u, 54u}) thread_config(word, 0);
    thread_config(28 + kNextElements, 2);
    thread_config(37, 4);
    thread_config(38, 0x20);
    thread_config(5, 4);
    for (const uint32_t word : {0xA2FF8400u, 0x5E6FFC00u, 0x5E803C00u, 0x51E0000Au, 0x54E0000Fu, 0x3700000Fu, 0x10180000u})
      a.ttinsn(word);
    drain();
  }
  /// A tile to SrcA, one to SrcB, both valid.
  void fill_sources() {
    a.ttinsn(0xA2FF8400), a.ttinsn(0x428000C1), a.ttinsn(0x420000C1), a.ttinsn(0x3700000F);
    drain();
  }
  /// Records what is to be played by REPLAY.
  template <class Instructions>
  uint32_t record(const Instructions& instructions) {
    push(fmt::format("REPLAY load_mode=1, len={}", std::size(instructions)));
    for (const auto& instruction : instructions) push(instruction);
    return isa::assemble_tensix(fmt::format("REPLAY len={}", std::size(instructions)));
  }

  /// Endlessly: `first`, if given, `outer` times `inner` times the word, then one more turn counted.
  Bytes repeat(uint32_t word, unsigned outer, unsigned inner, std::string_view first = {}) {
    const uint32_t nop = isa::assemble_tensix("NOP");
    const uint32_t mop[] = {outer, inner, nop, nop, nop, word, nop, word, word};
    for (unsigned i = 0; i < std::size(mop); ++i) mop_config(i, mop[i]);
    a.li(s1, static_cast<int32_t>(kCounter));
    a.li(s2, 0);
    const isa::Label top = a.here();
    if (!first.empty()) push(first);
    push("MOP mop_type=1");
    drain();
    a.addi(s2, s2, 1);
    a.sw(s2, s1);
    a.j(top);
    return a.finish(kCode).bytes;
  }

  isa::Assembler a;
};

// Random BF16 numbers between 2^-4 and 2^4 for two tiles.
std::vector<uint8_t> tiles() {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(2 * kTileBytes);
  for (size_t n = 0; n < bytes.size(); n += 2) {
    const uint32_t value = (random() & 0x8000) | (123 + random() % 8) << 7 | random() % 128;
    bytes[n] = static_cast<uint8_t>(value);
    bytes[n + 1] = static_cast<uint8_t>(value >> 8);
  }
  return bytes;
}

Workload workload(const char* name, const char* unit, Bytes (*program)()) {
  return {name, unit, [=](Device& device) -> Progress {
            const oracle::TileXy tile{};
            device.write(tile, kData, tiles());
            device.write(tile, kCode, program());
            const Device::Start start{oracle::Hart::Trisc1, kCode};
            device.start(tile, {&start, 1});
            return [&device, tile](double) { return static_cast<double>(device.read32(tile, kCounter)); };
          }};
}

Bytes repeat_on_sources(const char* instruction) {
  TensixProgram p;
  p.set_up();
  p.fill_sources();
  return p.repeat(p.record(std::vector<std::string>(8, instruction)), 1, 32);
}

Bytes repeat_on_vectors(const char* instruction) {
  TensixProgram p;
  p.set_up();
  p.push("SFPENCC instr_mod1=10, imm12=3");
  for (unsigned r = 0; r < 4; ++r) p.push(fmt::format("SFPLOADI instr_mod0=0, imm16=0x3F9{0}, lreg_ind={0}", r));
  return p.repeat(p.record(std::vector<std::string>(8, instruction)), 1, 32);
}

// UNPACR without set_dat_valid: the same bank again and again.
Bytes unpack_tiles() {
  TensixProgram p;
  p.set_up();
  return p.repeat(p.record(std::vector<std::string>(8, "UNPACR last=1, ovrd_thread_id=1")), 1, 32);
}

// A tile is sixteen times four rows.
Bytes pack_tiles() {
  TensixProgram p;
  p.set_up();
  std::vector<std::string> tile(16, "PACR");
  tile.back() = "PACR last=1, addr_mode=1";
  return p.repeat(p.record(tile), 1, 16);
}

// A polynomial and an exponent, the shape of exp(), on 32 elements a pass and 32 passes: a tile of random numbers. The
// results go behind the tile.
Bytes exponential() {
  TensixProgram p;
  p.set_up();
  p.fill_sources();
  for (unsigned row = 0; row < 64; row += 8) {
    p.push(fmt::format("MOVA2D instr_mod=2, src={0}, dst={0}, addr_mode=7", row));
  }
  p.push("SFPENCC instr_mod1=10, imm12=3");
  for (const char* constant : {"SFPLOADI lreg_ind=4, imm16=0x3D80", "SFPLOADI lreg_ind=5, imm16=0x3E70",
                               "SFPLOADI lreg_ind=6, imm16=0x3F32", "SFPLOADI lreg_ind=7, imm16=0x3F80"}) {
    p.push(constant);
  }
  return p.repeat(p.record(kExponential), 1, 32, "SETRWC bit_mask=4");
}

}  // namespace

std::vector<Workload> tensix_workloads() {
  return {
      workload("MVMUL, random bf16", "turns of 256", [] { return repeat_on_sources("MVMUL"); }),
      workload("ELWMUL, random bf16", "turns of 256", [] { return repeat_on_sources("ELWMUL"); }),
      workload("ELWADD, random bf16", "turns of 256", [] { return repeat_on_sources("ELWADD"); }),
      workload("SFPMAD", "turns of 256",
               [] { return repeat_on_vectors("SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=0"); }),
      workload("exp, the vector unit's kernel", "tiles", exponential),
      workload("unpack bf16 to SrcA", "256 tiles", unpack_tiles),
      workload("pack bf16", "16 tiles", pack_tiles),
  };
}

}  // namespace kerr::bench
