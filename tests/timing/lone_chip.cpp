#include "tests/timing/lone_chip.hpp"

#include <algorithm>

#include "arch/memory_map.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;

namespace {

constexpr NocCoord kTile{1, 2};

uint32_t results(arch::Hart hart) { return kResults + kResultStride * static_cast<uint32_t>(hart); }

// As the reports do: high, low, high again. Clobbers t0 to t2.
void read_clock(emu::Kernel& k, isa::Reg low) {
  k.li(t0, arch::kWallClockL);
  const isa::Label again = k.here();
  k.lw(t1, t0, arch::kWallClockH - arch::kWallClockL);
  k.lw(low, t0);
  k.lw(t2, t0, arch::kWallClockH - arch::kWallClockL);
  k.bne(t1, t2, again);
}

// As base firmware leaves it: L0 cache and fusion of pushes off, as in all measurements.   docs/hardware/tile.md 1.4
void configure(emu::Kernel& k) {
  k.li(t0, 0x60008);
  k.csrw(0x7C0, t0);
}

emu::Kernel program(const Role& role, uint32_t turns) {
  emu::Kernel k;
  configure(k);
  role.prepare(k);
  if (turns == 0) {
    const isa::Label top = k.here();
    role.payload(k);
    k.addi(s0, s0, -1);  // the same three instructions as where turns are counted
    k.addi(s1, s1, 1);
    k.j(top);
    return k;
  }
  k.li(s0, turns);
  k.li(s1, 0);
  read_clock(k, s2);
  const isa::Label top = k.here();
  role.payload(k);
  k.addi(s0, s0, -1);
  k.addi(s1, s1, 1);
  k.bnez(s0, top);
  role.finish(k);
  read_clock(k, s1);
  k.store_reg(results(role.hart) + 4, s2);
  k.store_reg(results(role.hart) + 8, s1);
  k.store_word(results(role.hart), 1);
  k.stop();
  return k;
}

}  // namespace

void LoneChip::load(NocCoord tile, const Role& role, uint32_t turns) {
  const auto hart = static_cast<size_t>(role.hart);
  const uint32_t base = arch::kDefaultResetPc[hart];
  host_.write(tile, base, program(role, turns).finish(base).bytes);
  const uint32_t bit = 1u << arch::kSoftResetBit[hart];
  const auto known = std::find_if(released_.begin(), released_.end(), [&](const auto& r) { return r.first == tile; });
  if (known != released_.end()) {
    known->second &= ~bit;
  } else {
    released_.emplace_back(tile, arch::kSoftResetAllHarts & ~bit);
  }
}

void LoneChip::start() {
  for (const auto& [tile, value] : released_) host_.write32(tile, emu::TestHost::kSoftReset, value);
  released_.clear();
}

Interval LoneChip::finish(NocCoord tile, arch::Hart hart) {
  start();
  for (int slice = 0; slice < 20'000; ++slice) {
    if (host_.read32(tile, results(hart)) == 1)
      return {host_.read32(tile, results(hart) + 4), host_.read32(tile, results(hart) + 8)};
    machine_.advance(110);
    if (machine_.faulted()) {
      ADD_FAILURE() << machine_.faults().front().text();
      return {};
    }
  }
  ADD_FAILURE() << "the program did not finish";
  return {};
}

double cycles_of(uint32_t turns, const Role& timed, const std::vector<Role>& others) {
  LoneChip chip;
  chip.load(kTile, timed, turns);
  for (const Role& other : others) chip.load(kTile, other, 0);
  return chip.finish(kTile, timed.hart).cycles();
}

double cycles_per_turn(const Role& timed, const std::vector<Role>& others) {
  constexpr uint32_t few = 64, many = 320;
  return (cycles_of(many, timed, others) - cycles_of(few, timed, others)) / (many - few);
}

Payload stream(const std::function<void(kernels::Stream&)>& emit) {
  return [emit](emu::Kernel& k) {
    kernels::Stream s;
    emit(s);
    const isa::Code code = s.finish(0);
    for (uint32_t at = 0; at < code.end(); at += 4) k.word(code.word_at(at));
  };
}

Payload sequence(const std::vector<Payload>& payloads) {
  return [payloads](emu::Kernel& k) {
    for (const Payload& payload : payloads) payload(k);
  };
}

}  // namespace kerr::timing_tests
