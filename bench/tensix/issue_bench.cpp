// Whole instructions through front end, wait gate and unit: one MOP of 1,000 an iteration, as kernels issue them.
// The time is that of one instruction.
#include <benchmark/benchmark.h>

#include <string>

#include "emu/tensix/coprocessor.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::emu {
namespace {

class Tile : public WaitBoard, public CoprocessorBus {
 public:
  Tile() : coprocessor(TileId::at(0, 1, 2), l1, *this, *this, faults) {}

  L1 l1;
  FaultLog faults;
  Coprocessor coprocessor;

 private:
  Access load(int, std::uint32_t, BusReply&) override { return Access::Done; }
  Access store(int, std::uint32_t, std::uint32_t, BusReply&) override { return Access::Done; }
  void wake(WaitMask) override {}
  void wake_line(std::uint32_t) override {}
};

constexpr int kThread = 1;
constexpr unsigned kOuter = 20, kInner = 50;

void Issue(benchmark::State& bench, const std::string& instruction, const std::string& first) {
  Tile tile;
  Coprocessor& c = tile.coprocessor;
  const std::uint32_t nop = isa::assemble_tensix("NOP"), word = isa::assemble_tensix(instruction);
  const std::uint32_t mop[] = {kOuter, kInner, nop, nop, nop, word, nop, word, word};
  for (unsigned i = 0; i < std::size(mop); ++i) c.mop_config_write(kThread, i, mop[i]);
  Cycle now = 0;
  const auto run = [&](std::uint32_t pushed) {
    (void)c.push(kThread, pushed, Coprocessor::Entry::BeforeMop);
    c.wake(kThread);
    c.run(kThread, now, now + 100'000);
    now += 100'000;
  };
  if (!first.empty()) run(isa::assemble_tensix(first));
  const std::uint64_t before = c.instructions(kThread);
  for (auto _ : bench) run(isa::assemble_tensix("MOP mop_type=1"));
  const double done = static_cast<double>(c.instructions(kThread) - before);
  if (done != static_cast<double>(bench.iterations()) * kOuter * kInner) {
    const auto faults = tile.faults.take();
    return bench.SkipWithError(faults.empty() ? "it waits" : faults.front().what.c_str());
  }
  bench.counters["each"] =
      benchmark::Counter(done, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

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
