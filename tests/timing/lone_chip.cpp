#include "tests/timing/lone_chip.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;

std::uint32_t LoneChip::run(NocCoord tile) {
  for (int slice = 0; slice < 10'000; ++slice) {
    machine_.advance(110);
    if (machine_.faulted()) {
      ADD_FAILURE() << machine_.faults().front().text();
      return 0;
    }
    if (slice % 8 == 0 && host_.read32(tile, kDone) == 1) return host_.read32(tile, kResult);
  }
  ADD_FAILURE() << "the program did not finish";
  return 0;
}

emu::Kernel timed_loop(std::uint32_t turns, const Payload& prepare, const Payload& payload) {
  emu::Kernel k;
  prepare(k);
  k.li(s0, turns);
  k.li(s1, 0);
  k.load_word(s2, arch::kWallClockL);
  const isa::Label top = k.here();
  payload(k);
  k.addi(s0, s0, -1);
  k.addi(s1, s1, 1);
  k.bnez(s0, top);
  k.load_word(t2, arch::kWallClockL);
  k.sub(t2, t2, s2);
  k.store_reg(kResult, t2);
  k.store_word(kDone, 1);
  k.stop();
  return k;
}

double cycles_per_turn(const Payload& prepare, const Payload& payload, NocCoord tile) {
  const auto cycles = [&](std::uint32_t turns) {
    LoneChip chip;
    chip.host().start(tile, timed_loop(turns, prepare, payload));
    return static_cast<double>(chip.run(tile));
  };
  constexpr std::uint32_t few = 64, many = 320;
  return (cycles(many) - cycles(few)) / (many - few);
}

}  // namespace kerr::timing_tests
