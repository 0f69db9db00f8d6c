// Whole instructions through front end, wait gate and unit: one MOP of 1,000 an iteration, as kernels issue them.
// The time is that of one instruction.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/tensix/exponential.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/text/assemble.hpp"
#include "tests/emu/quiet_board.hpp"

namespace kerr::emu {
namespace {

constexpr int kThread = 1;

class Tile : public QuietBoard, public CoprocessorBus {
 public:
  Tile() : coprocessor(TileId::at(0, 1, 2), l1, *this, *this, faults) {}

  L1 l1;
  FaultLog faults;
  Coprocessor coprocessor;

  /// Pushes a word and lets the thread run until it has nothing left to do.
  void run(uint32_t pushed) {
    (void)coprocessor.threads[kThread].front.push_before_mop(pushed);
    coprocessor.threads[kThread].wake();
    coprocessor.run(kThread, now_, now_ + 100'000);
    now_ += 100'000;
  }

 private:
  Cycle now_ = 0;
  Access load(uint32_t, BusReply&) override { return Access::Done; }
  Access store(uint32_t, uint32_t, BusReply&) override { return Access::Done; }
};

constexpr unsigned kOuter = 20, kInner = 50;

void Issue(benchmark::State& bench, const std::string& instruction, const std::string& first) {
  Tile tile;
  Coprocessor& c = tile.coprocessor;
  const uint32_t nop = isa::assemble_tensix("NOP"), word = isa::assemble_tensix(instruction);
  const uint32_t whole = isa::assemble_tensix("MOP mop_type=1");
  const uint32_t mop[] = {kOuter, kInner, nop, nop, nop, word, nop, word, word};
  for (unsigned i = 0; i < std::size(mop); ++i) c.threads[kThread].front.write_mop_config(i, mop[i]);
  if (!first.empty()) tile.run(isa::assemble_tensix(first));
  const uint64_t before = c.threads[kThread].instructions;
  for (auto _ : bench) tile.run(whole);
  const double done = static_cast<double>(c.threads[kThread].instructions - before);
  if (done != static_cast<double>(bench.iterations()) * kOuter * kInner) {
    const auto faults = tile.faults.take();
    return bench.SkipWithError(faults.empty() ? "it waits" : faults.front().what.c_str());
  }
  bench.counters["each"] = benchmark::Counter(done, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The kernel for the 32 vectors of a tile: the time of a vector.
void Exponential(benchmark::State& bench) {
  Tile tile;
  Coprocessor& c = tile.coprocessor;
  const auto assemble = [&](const std::string& text) { return isa::assemble_tensix(text); };
  for (const char* first : {"SETC16 setc16_reg=31, setc16_value=2", "SFPENCC instr_mod1=10, imm12=3",
                            "SFPLOADI lreg_ind=4, imm16=0x3D80", "SFPLOADI lreg_ind=5, imm16=0x3E70",
                            "SFPLOADI lreg_ind=6, imm16=0x3F32", "SFPLOADI lreg_ind=7, imm16=0x3F80"}) {
    tile.run(assemble(first));
  }
  // Numbers around 1, of both signs.
  for (int n = 0; n < 32; ++n) {
    tile.run(assemble("SFPLOADI lreg_ind=0, imm16=" + std::to_string((n & 1) << 15 | (0x3F00 + 5 * n))));
    tile.run(assemble("SFPSTORE lreg_ind=0, instr_mod0=2, sfpu_addr_mode=3"));
  }
  const std::string length = std::to_string(std::size(bench::kExponential));
  tile.run(assemble("REPLAY load_mode=1, len=" + length));
  for (const char* word : bench::kExponential) tile.run(assemble(word));
  const uint32_t nop = assemble("NOP"), replay = assemble("REPLAY len=" + length);
  const uint32_t mop[] = {1, 32, nop, nop, nop, replay, nop, replay, replay};
  for (unsigned i = 0; i < std::size(mop); ++i) c.threads[kThread].front.write_mop_config(i, mop[i]);
  const uint32_t whole = assemble("MOP mop_type=1");
  const uint64_t before = c.threads[kThread].instructions;
  const uint32_t to_first_row = assemble("SETRWC bit_mask=4");
  for (auto _ : bench) {
    tile.run(to_first_row);
    tile.run(whole);
  }
  const double done = static_cast<double>(c.threads[kThread].instructions - before - bench.iterations());
  if (done != static_cast<double>(bench.iterations()) * 32 * std::size(bench::kExponential)) {
    const auto faults = tile.faults.take();
    return bench.SkipWithError(faults.empty() ? "it waits" : faults.front().what.c_str());
  }
  bench.counters["each"] = benchmark::Counter(static_cast<double>(bench.iterations()) * 32,
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(Exponential)->Name("Issue/Kernel/exp");

const bool kRegistered = [] {
  const std::string valid = "SETDVALID setvalid=3";
  for (const auto& [instruction, first] : {
           std::pair<std::string, std::string>{"SFPNOP", ""},
           {"SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=0", ""},
           {"SFPMULI lreg_dest=0, imm16_math=0x3F80", ""},
           {"SFPLOAD lreg_ind=0, instr_mod0=2, sfpu_addr_mode=7", ""},
           {"SFPSTORE lreg_ind=1, instr_mod0=2, sfpu_addr_mode=7", ""},
           {"SFPIADD lreg_dest=0, lreg_c=1, instr_mod1=4", ""},
           {"SFPSETCC lreg_c=1", ""},
           {"MVMUL", valid},
           {"ELWADD", valid},
           {"ELWMUL", valid},
           {"GAPOOL instr_mod19=1", valid},
           {"MOVA2D instr_mod=2", valid},
           {"MOVB2D movb2d_instr_mod=4", valid},
           {"MOVD2A instr_mod=2", valid},
           {"MOVD2B instr_mod=2", valid},
           {"ZEROACC clear_mode=3", ""},
           {"SETRWC bit_mask=15", ""},
           {"TRNSPSRCB", valid},
       }) {
    benchmark::RegisterBenchmark(("Issue/" + instruction).c_str(), Issue, instruction, first);
  }
  return true;
}();

}  // namespace
}  // namespace kerr::emu
