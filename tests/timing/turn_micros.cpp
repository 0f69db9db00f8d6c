// Matrix and vector unit in turns on Dst, instruction for instruction as blackhole-py's
// tests/compute/fpu/test_dst_bandwidth.py runs them: slopes from 128 turns of a hart's loop to 256, pushes fused.
#include "kernels/blocks/compute.hpp"
#include "tests/timing/marked.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
namespace tx = isa::tensix;
namespace until = kernels::until;

namespace {

using Nth = std::function<void(Kernel&, uint32_t)>;  // the nth instruction of a turn

// Matrix unit: tile 1 of Dst; vector unit: tile 0.
void elwmul(Kernel& k, uint32_t n) { k.tensix(tx::ELWMUL{.dst = 64 + n % 8 * 8, .addr_mode = 3}); }
void mova2d(Kernel& k, uint32_t n) {
  k.tensix(tx::MOVA2D{.dst = 64 + n % 8 * 8, .instr_mod = 2, .addr_mode = 3, .src = n % 8 * 8});
}
void load(Kernel& k, uint32_t n) {
  k.tensix(tx::SFPLOAD{.dest_reg_addr = 2 * n, .sfpu_addr_mode = 3, .instr_mod0 = 3, .lreg_ind = n % 4});
}
void store(Kernel& k, uint32_t n) {
  k.tensix(tx::SFPSTORE{.dest_reg_addr = 2 * n, .sfpu_addr_mode = 3, .instr_mod0 = 3});
}
void mad(Kernel& k, uint32_t) {
  k.tensix(tx::SFPMAD{.lreg_dest = 7, .lreg_src_c = 7, .lreg_src_b = 0, .lreg_src_a = 0});
}

void loop(Kernel& k, uint32_t turns, const Payload& body) {
  k.li(s3, turns);
  const isa::Label top = k.here();
  body(k);
  k.addi(s3, s3, -1);
  k.bnez(s3, top);
}

double slope(const std::function<void(Kernel&, uint32_t)>& loops) {
  return marked_slope(128, 256, [&](uint32_t turns) {
    return [&loops, turns](Kernel& k) {
      loops(k, turns);
      wait_for(k, until::kMath | until::kSfpu);
    };
  });
}

// Cycles a pair, `width` pairs a turn, `group` of each unit's at a time.
double grouped(const Nth& matrix, const Nth& vector, uint32_t width, uint32_t group) {
  const Payload body = [&](Kernel& k) {
    for (uint32_t first = 0; first < width; first += group) {
      for (uint32_t n = first; n < first + group; ++n) matrix(k, n);
      for (uint32_t n = first; n < first + group; ++n) vector(k, n);
    }
  };
  return slope([&](Kernel& k, uint32_t turns) { loop(k, turns, body); }) / width;
}

// Cycles an instruction of one of them.
double alone(const Nth& nth) {
  constexpr uint32_t kWidth = 16;
  const Payload body = [&](Kernel& k) {
    for (uint32_t n = 0; n < kWidth; ++n) nth(k, n);
  };
  return slope([&](Kernel& k, uint32_t turns) { loop(k, turns, body); }) / kWidth;
}

Micro row(std::string name, std::string unit, double silicon, std::function<double()> measure) {
  return {
      "Matrix and vector unit in turns", std::move(name), std::move(unit), silicon, 0.05, "4.2", std::move(measure)};
}

}  // namespace

std::vector<Micro> turn_micros() {
  const std::string each = "cycles each", pair = "cycles a pair";
  std::vector<Micro> all = {
      row("ELWMUL", each, 1, [] { return alone(elwmul); }),
      row("MOVA2D of 8 rows", each, 1.5, [] { return alone(mova2d); }),
      row("SFPLOAD", each, 1, [] { return alone(load); }),
      row("SFPSTORE", each, 1, [] { return alone(store); }),
      row("SFPMAD, dependent", each, 2, [] { return alone(mad); }),
  };
  constexpr std::pair<uint32_t, double> kSweep[] = {{1, 8}, {2, 8}, {4, 5}, {8, 3.5}, {16, 2.75}, {32, 2.375}};
  for (const auto& [group, silicon] : kSweep) {
    all.push_back(row("ELWMUL and SFPLOAD, " + std::to_string(group) + " of each at a time", pair, silicon,
                      [group = group] { return grouped(elwmul, load, 32, group); }));
  }
  all.push_back(row("ELWMUL and SFPSTORE, 1 of each", pair, 8, [] { return grouped(elwmul, store, 16, 1); }));
  all.push_back(missed(row("MOVA2D and SFPLOAD, 1 of each", pair, 7.25, [] { return grouped(mova2d, load, 16, 1); })));
  all.push_back(row("ELWMUL and dependent SFPMAD, 1 of each", pair, 2, [] { return grouped(elwmul, mad, 16, 1); }));
  all.push_back(row("MOVA2D and dependent SFPMAD, 1 of each", pair, 2, [] { return grouped(mova2d, mad, 16, 1); }));
  return all;
}

}  // namespace kerr::timing_tests
