#include "oracle/sfpu_block.hpp"

#include <cstring>
#include <stdexcept>
#include <tuple>

#include "arch/bytes.hpp"
#include "emu/tensix/dispatch.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/assemble.hpp"
#include "oracle/run.hpp"
#include "tests/emu/quiet_board.hpp"

namespace kerr::oracle {
namespace {

constexpr unsigned kLanes = 32, kRegisters = 8;
constexpr uint32_t kIn = 0x20000, kOut = 0x40000;
constexpr unsigned kDatums = 1024, kRows = 64;

// Register r lies in Dst rows 4 * (r / 2) .. + 3, in even columns if r is even: that is what an access of 32 lanes
// covers.
unsigned address_of(unsigned r) { return 4 * (r / 2) + 2 * (r % 2); }
unsigned datum_of(unsigned r, unsigned lane) { return 16 * (4 * (r / 2) + lane / 8) + 2 * (lane % 8) + r % 2; }

uint32_t word(const char* line) { return isa::assemble_tensix(line); }

// Everything that the unit executes.
std::vector<uint32_t> instructions(const SfpuBlock& block) {
  const uint32_t all_lanes = word("SFPENCC instr_mod1=10, imm12=3");
  std::vector<uint32_t> out{all_lanes};
  for (unsigned r = 0; r < kRegisters; ++r)
    out.push_back(word("SFPLOAD instr_mod0=4, sfpu_addr_mode=7") | r << 20 | address_of(r));
  out.push_back(word("SFPSETCC lreg_c=7, instr_mod1=2"));
  out.push_back(word("SFPMOV lreg_dest=7, lreg_c=9, instr_mod1=2"));
  out.insert(out.end(), block.words.begin(), block.words.end());
  out.push_back(word("SFPLOADI lreg_ind=7, instr_mod0=2, imm16=1"));
  out.push_back(all_lanes);
  for (unsigned r = 0; r < kRegisters; ++r)
    out.push_back(word("SFPSTORE instr_mod0=4, sfpu_addr_mode=7") | r << 20 | address_of(r));
  return out;
}

// Word 1 of the configuration: formats of SrcA, SrcB and Dst, 32-bit Dst.
uint32_t alu_config(const SfpuBlock& block) {
  const uint32_t base = 8u << 17 | 8u << 25 | 1u << 29;
  return block.format == SfpuBlock::kFp32 ? base | 5u << 21 | 1u << 30 : base | block.format << 21;
}

// A tile of INT32 to Dst, the instructions, Dst to L1.
Program program_of(const SfpuBlock& block) {
  Program p;
  p.config(0, 0).config(1, 8u << 17 | 8u << 21 | 8u << 25 | 1u << 29).config(2, 1);
  p.config(220, 0).config(64, 0x01000018).config(65, 0x00040001).config(72, 0x28).config(73, 0x1F);
  p.config(76, kIn / 16 - 1).config(84, 0x00400040).config(86, 0x01000100).config(92, 0);
  p.config(50, 0).config(56, 0).config(57, 0).config(71, 0);
  p.config(12, 0x00400004).config(13, 0x10000400).config(14, 0).config(15, 0).config(17, 0).config(18, 1);
  p.config(20, 0).config(24, 0xFFFF).config(28, 0x1000).config(68, 0).config(69, kOut / 16 - 1);
  p.config(70, 8 << 8 | 8 << 4 | 1).config(180, 0);
  for (const unsigned t : {0u, 1u, 2u, 3u, 5u, 7u, 19u, 35u, 41u, 47u, 54u}) p.thread_config(t, 0);
  p.thread_config(37, 4).thread_config(38, 0x20);
  p.push(0xA2FF8400).push(0x5E2FFC00).push(0x5E803C00).push(0x51E0000A).push(0x54E0000F);
  p.push(0x3700000F).push(0x10180000).push(0x42000081).push(0xA2FF8002).drain();
  p.config(1, alu_config(block)).config(186, block.seed);
  for (const uint32_t w : instructions(block)) p.push(w);
  p.push(0xA2FF8800).drain();
  p.config(1, 8u << 17 | 8u << 21 | 8u << 25 | 1u << 29);
  for (unsigned n = 0; n < 15; ++n) p.push(0x41000000);
  p.push(0x41008001).push(0xA2010008).drain();
  return p;
}

}  // namespace

std::array<uint32_t, 8 * 32> inputs(const SfpuBlock& block) {
  std::mt19937 random(block.seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned kind = pick(4);
  const auto pattern = [&]() -> uint32_t {
    uint32_t v = static_cast<uint32_t>(random());
    if (kind == 1 || pick(3) == 0) v = (v & 0x807FFFFF) | (118 + pick(16)) << 23;
    if (kind == 2 && pick(2) == 0) v >>= pick(32);
    switch (pick(24)) {
      case 0: return v & 0x80000000;                            // zeros
      case 1: return v & 0x807FFFFF;                            // denormals
      case 2: return (v & 0x80000000) | 0x7F800000;             // infinities
      case 3: return v | 0x7F800000;                            // NaNs
      case 4: return (v & 0x807FFFFF) | (250 + pick(5)) << 23;  // near the end
      case 5: return (v & 0x807FFFFF) | (1 + pick(3)) << 23;    // near the other
      case 6: return (v & 0xFFFF0000) | 0x8000u >> pick(6);     // ties
      case 7: return (v & 0xFF800000) | 0x007FFFFF >> pick(8);  // carries
      case 8: return pick(2) ? pick(64) : 0u - pick(64);        // small integers
      case 9: return 0x80000000 + pick(3) - 1;                  // most negative
      default: return v;
    }
  };
  std::array<uint32_t, kRegisters * kLanes> values;
  for (uint32_t& v : values) v = pattern();
  // Now and then two registers agree, so that comparisons meet equality and sums cancel.
  for (unsigned l = 0; l < kLanes; ++l) {
    if (pick(6) == 0) values[kLanes * 1 + l] = values[kLanes * 2 + l] ^ (pick(2) ? 0x80000000 : 0);
  }
  const uint32_t flags = pick(3) == 0 ? ~0u : static_cast<uint32_t>(random());
  for (unsigned l = 0; l < kLanes; ++l) values[kLanes * 7 + l] = flags >> l & 1;
  return values;
}

std::string describe(const SfpuBlock& block) {
  std::string text;
  for (const uint32_t w : block.words) text += (text.empty() ? "" : "; ") + isa::disassemble_tensix(w);
  if (block.format != 5) text += ", format " + std::to_string(block.format);
  return text;
}

void randomise(SfpuBlock& block, std::mt19937& random) { block.seed = static_cast<uint32_t>(random()); }

std::vector<uint32_t> run_on_device(Device& device, const SfpuBlock& block) {
  const TileXy tile;
  const auto values = inputs(block);
  std::vector<uint32_t> datums(kDatums);
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) datums[datum_of(r, l)] = values[kLanes * r + l];
  }
  device.write(tile, kIn, arch::as_uint8(datums));
  if (!run_harts(device, tile, {{Hart::Trisc1, program_of(block)}}, {}, 200000).empty())
    throw std::runtime_error("the program did not finish: " + describe(block));
  const std::vector<uint8_t> bytes = device.read(tile, kOut, 4 * kDatums);
  std::memcpy(datums.data(), bytes.data(), bytes.size());
  std::vector<uint32_t> out;
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) out.push_back(datums[datum_of(r, l)]);
  }
  return out;
}

std::vector<uint32_t> run_on_host(const SfpuBlock& block) {
  using namespace emu;
  QuietBoard board;
  tensix::State state(board);
  tensix::Sfpu sfpu(state.config, state.rwcs, state.dst);
  state.config.write(0, 1, alu_config(block));
  state.config.write(0, 186, block.seed);
  state.dst.set_valid(0, tensix::Dst::kRows, false);
  const auto values = inputs(block);
  const auto cell = [&](unsigned datum, bool low) -> uint16_t& {
    const unsigned row = math::dst_row_32(datum / 16) + (low ? tensix::Dst::kLowHalf : 0);
    return state.dst.row(row)[datum % 16];
  };
  for (unsigned row = 0; row < kRows; ++row) state.dst.set_valid(math::dst_row_32(row), true);
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint32_t raw = math::encode_32(values[kLanes * r + l]);
      cell(datum_of(r, l), false) = static_cast<uint16_t>(raw >> 16);
      cell(datum_of(r, l), true) = static_cast<uint16_t>(raw);
    }
  }
  Cycle cycle = 0;
  for (const uint32_t w : instructions(block)) {
    sfpu.set_time(++cycle);
    const tensix::Issue issue = tensix::dispatch(std::tie(sfpu), 1, w);
    if (!issue.is_done()) throw std::runtime_error(describe(block) + ": " + issue.problem()->what);
  }
  std::vector<uint32_t> out;
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint32_t high = cell(datum_of(r, l), false);
      out.push_back(math::decode_32(high << 16 | cell(datum_of(r, l), true)));
    }
  }
  return out;
}

std::vector<SfpuBlock> comparable_sfpu_blocks() {
  std::vector<SfpuBlock> out;
  const auto add = [&](const std::string& program, unsigned format = 5) {
    out.push_back({isa::assemble_tensix_program(program), format});
  };
  // `line` in each mode, with the result in a register of its own and in VC's.
  const auto in_modes = [&](const std::string& line, std::initializer_list<unsigned> modes, const char* c = "lreg_c") {
    for (const unsigned m : modes) {
      for (const unsigned vd : {0u, 1u}) {
        add(line + (line.find('=') == std::string::npos ? " " : ", ") + "instr_mod1=" + std::to_string(m) + ", " + c +
            "=1, lreg_dest=" + std::to_string(vd));
      }
    }
  };

  for (const unsigned m : {0u, 1u, 2u, 3u}) {
    const std::string mod = ", instr_mod1=" + std::to_string(m);
    add("SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=0" + mod);
    add("SFPMAD lreg_src_a=1, lreg_src_b=10, lreg_src_c=2, lreg_dest=1" + mod);
    add("SFPMAD lreg_src_a=3, lreg_src_b=4, lreg_src_c=0, lreg_dest=0" + mod);
    add("SFPADD lreg_src_a=10, lreg_src_b=1, lreg_src_c=2, lreg_dest=0" + mod);
    // Cancellation: a product subtracted from what it was rounded to.
    add("SFPMUL lreg_src_a=1, lreg_src_b=2, lreg_src_c=9, lreg_dest=0\n"
        "SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=0, lreg_dest=0" +
        mod);
  }
  for (const char* m : {"0", "1"}) {
    add(std::string("SFPMUL lreg_src_a=1, lreg_src_b=2, lreg_src_c=9, lreg_dest=0, instr_mod1=") + m);
    add(std::string("SFPMUL24 lreg_src_a=1, lreg_src_b=2, lreg_src_c=9, lreg_dest=0, instr_mod1=") + m);
  }
  for (const char* imm : {"0x3F80", "0xC049", "0x7F80", "0xFF81", "0x0001", "0x8080", "0x0000"}) {
    add(std::string("SFPMULI lreg_dest=1, imm16_math=") + imm);
    add(std::string("SFPADDI lreg_dest=1, imm16_math=") + imm);
  }
  add("SFPLUT lreg_ind=4, instr_mod0=4");
  add("SFPLUT lreg_ind=3, instr_mod0=4");
  add("SFPLUTFP32 lreg_dest=3, instr_mod1=2");
  add("SFPLUTFP32 lreg_dest=0, instr_mod1=2");
  in_modes("SFPARECIP", {0});

  in_modes("SFPIADD", {0, 2, 4, 6, 8, 10});
  for (const char* imm : {"1", "-1", "2047", "-2048"}) in_modes(std::string("SFPIADD imm12=") + imm, {1, 5, 9});
  in_modes("SFPSHFT", {0, 2});
  for (const char* imm : {"5", "-5", "31", "-33"}) in_modes(std::string("SFPSHFT imm12=") + imm, {1, 3, 5, 7});
  // Amounts of a sensible size.
  add("SFPIADD instr_mod1=5, imm12=-16, lreg_c=15, lreg_dest=1\nSFPSHFT lreg_dest=0, lreg_c=1");
  add("SFPIADD instr_mod1=5, imm12=-16, lreg_c=15, lreg_dest=1\nSFPSHFT lreg_dest=0, lreg_c=1, instr_mod1=2");
  for (const char* name : {"SFPAND", "SFPOR"}) {
    in_modes(name, {0});
    in_modes(std::string(name) + " imm12=2", {1});
  }
  for (const char* name : {"SFPXOR", "SFPNOT"}) {
    add(std::string(name) + " lreg_dest=0, lreg_c=1");
    add(std::string(name) + " lreg_dest=1, lreg_c=1");
  }
  in_modes("SFPLZ", {0, 2, 4});
  in_modes("SFPABS", {0, 1});
  in_modes("SFPMOV", {0, 1, 2});
  for (const char* constant : {"8", "9", "10", "11", "12", "13", "14", "15"}) {
    add(std::string("SFPMOV lreg_dest=0, lreg_c=") + constant);
  }
  in_modes("SFPEXEXP", {0, 1, 2, 10});
  in_modes("SFPEXMAN", {0, 1});
  in_modes("SFPSETEXP", {0, 2});
  in_modes("SFPSETEXP imm12=130", {1});
  in_modes("SFPSETMAN", {0});
  in_modes("SFPSETSGN", {0, 1});
  in_modes("SFPSETSGN imm12=1", {1});
  for (const char* imm : {"1", "-1", "100", "-128"}) in_modes(std::string("SFPDIVP2 imm12=") + imm, {0, 1});
  in_modes("SFPLE", {1, 8});
  in_modes("SFPGT", {1, 8});

  in_modes("SFPCAST", {0, 3}, "lreg_src_c");
  in_modes("SFP_STOCH_RND", {1, 2, 3, 6, 7}, "lreg_src_c");
  add("SFP_STOCH_RND instr_mod1=1, lreg_src_c=1, lreg_dest=0\nSFPMOV instr_mod1=8, lreg_c=9, lreg_dest=2");
  add("SFPCAST instr_mod1=0, lreg_src_c=1, lreg_dest=0\nSFPCAST instr_mod1=3, lreg_src_c=1, lreg_dest=3\n"
      "SFPMOV instr_mod1=8, lreg_c=9, lreg_dest=2");
  add("SFPMOV instr_mod1=8, lreg_c=9, lreg_dest=0\nSFPMOV instr_mod1=8, lreg_c=9, lreg_dest=1");

  add("SFPTRANSP");
  for (const char* m : {"0", "1", "2", "3", "9"}) {
    add(std::string("SFPSWAP lreg_dest=1, lreg_src_c=2, instr_mod1=") + m);
    add(std::string("SFPSWAP lreg_dest=0, lreg_src_c=10, instr_mod1=") + m);
    for (const std::string config : {"4", "0x100", "0x104"}) {
      // SFPCONFIG wants all lanes enabled.
      const auto configured = [](const std::string& value) {
        return "SFPPUSHC\nSFPENCC instr_mod1=10, imm12=3\nSFPCONFIG config_dest=15, instr_mod1=1, imm16_math=" + value +
               "\nSFPPOPC\n";
      };
      add(configured(config) + "SFPSWAP lreg_dest=1, lreg_src_c=2, instr_mod1=" + m + "\n" + configured("0"));
    }
  }
  in_modes("SFPSHFT2", {3, 4}, "lreg_src_c");
  in_modes("SFPSHFT2 imm12=2", {5}, "lreg_src_c");
  add("SFPIADD instr_mod1=5, imm12=-16, lreg_c=15, lreg_dest=1\nSFPSHFT2 instr_mod1=5, imm12=2, lreg_src_c=1, "
      "lreg_dest=0");

  for (const char* m : {"0", "2", "4", "6"}) add(std::string("SFPSETCC lreg_c=1, instr_mod1=") + m);
  add("SFPPUSHC\nSFPSETCC lreg_c=1, instr_mod1=0\nSFPLOADI lreg_ind=0, imm16=1\nSFPCOMPC\nSFPLOADI lreg_ind=0, "
      "imm16=2\n"
      "SFPPOPC");
  add("SFPPUSHC\nSFPSETCC lreg_c=1, instr_mod1=0\nSFPPUSHC\nSFPSETCC lreg_c=2, instr_mod1=2\nSFPCOMPC\n"
      "SFPMOV lreg_dest=0, lreg_c=3\nSFPPOPC\nSFPCOMPC\nSFPMOV lreg_dest=4, lreg_c=3\nSFPPOPC");
  add("SFPENCC instr_mod1=10, imm12=3\nSFPNOT lreg_dest=0, lreg_c=1");

  for (const char* m : {"0", "1", "2", "4", "8", "10"}) {
    for (const char* imm : {"0x3F81", "0xFC00", "0x8001"}) {
      add(std::string("SFPLOADI lreg_ind=1, instr_mod0=") + m + ", imm16=" + imm);
    }
  }
  for (const char* m : {"2", "3", "4", "6", "12", "14", "15"}) {
    add(std::string("SFPLOAD lreg_ind=0, sfpu_addr_mode=7, dest_reg_addr=6, instr_mod0=") + m);
  }
  for (const unsigned format : {0u, 1u, 5u, 6u, 7u, 9u, SfpuBlock::kFp32}) {
    add("SFPLOAD lreg_ind=0, sfpu_addr_mode=7, dest_reg_addr=6, instr_mod0=0", format);
  }
  // What a store leaves is seen through loads of whole and of half elements.
  const auto add_store = [&](const std::string& mode, unsigned format = 5) {
    add("SFPSTORE lreg_ind=1, sfpu_addr_mode=7, dest_reg_addr=2, instr_mod0=" + mode +
            "\nSFPENCC instr_mod1=10, imm12=3\nSFPLOAD lreg_ind=2, sfpu_addr_mode=7, dest_reg_addr=2, instr_mod0=4\n"
            "SFPLOAD lreg_ind=3, sfpu_addr_mode=7, dest_reg_addr=2, instr_mod0=6",
        format);
  };
  for (const char* m : {"2", "3", "4", "6", "7", "9", "12", "14", "15"}) add_store(m);
  for (const unsigned format : {0u, 1u, 5u, 6u, 7u, 9u, 15u, SfpuBlock::kFp32}) add_store("0", format);
  add("SFPLOADI lreg_ind=0, instr_mod0=0, imm16=0x4049\nSFPENCC instr_mod1=10, imm12=3\n"
      "SFPLOADI lreg_ind=0, instr_mod0=0, imm16=0x4049\nSFPCONFIG config_dest=11\nSFPMOV lreg_dest=1, lreg_c=11\n"
      "SFPCONFIG config_dest=11, instr_mod1=1\nSFPMOV lreg_dest=2, lreg_c=11");
  return out;
}

}  // namespace kerr::oracle
