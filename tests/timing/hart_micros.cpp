#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;

namespace {

Micro loop(std::string name, double silicon, double tolerance, std::string section, Payload payload, Payload prepare = nothing) {
  return {"harts: raw cycles of a loop", std::move(name), "cycles", silicon, tolerance, std::move(section),
          [=] { return cycles_per_turn({.prepare = prepare, .payload = payload}); }};
}

Payload times(int n, const Payload& payload) {
  return [=](Kernel& k) {
    for (int i = 0; i < n; ++i) payload(k);
  };
}

// a3 holds `address`.
Payload pointing_to(uint32_t address) {
  return [=](Kernel& k) { k.li(a3, address); };
}

}  // namespace

std::vector<Micro> hart_micros() {
  const Payload load = [](Kernel& k) { k.lw(a4, a3); };
  const Payload chase = [](Kernel& k) { k.lw(a3, a3); };
  const auto chased_at = [](uint32_t address) {  // a word that holds its own address
    return [=](Kernel& k) {
      k.li(a3, address);
      k.sw(a3, a3);
      k.fence();
    };
  };
  const auto use_after = [](int fillers) {
    return [=](Kernel& k) {
      k.lw(a4, a3);
      for (int i = 0; i < fillers; ++i) k.addi(a6, a6, 1);
      k.add(a5, a5, a4);
    };
  };
  constexpr uint32_t local = 0xFFB0'0100;
  // All five harts, or the first `harts` of them, load from NCRISC's local memory.
  const auto window = [&](int harts) {
    const Payload at_window = pointing_to(arch::kLdmSlowBase[1]);
    std::vector<Role> others;
    for (int hart = 1; hart < harts; ++hart) others.push_back({static_cast<arch::Hart>(hart), at_window, load});
    return [=] { return cycles_per_turn({.prepare = at_window, .payload = load}, others); };
  };
  const std::string group = "harts: raw cycles of a loop";
  return {
      loop("empty", 3.00, 0, "2.2", nothing),
      loop("8 dependent additions", 11.00, 0, "2.2", times(8, [](Kernel& k) { k.addi(a4, a4, 1); })),
      loop("4 dependent multiplications", 10.00, 0, "2.2", times(4, [](Kernel& k) { k.mul(a4, a4, a4); })),
      loop("4 independent multiplications", 7.00, 0, "2.2",
           [](Kernel& k) { for (const isa::Reg r : {a4, a5, a6, a7}) k.mul(r, a0, a1); }),
      loop("fence", 7.00, 0, "2.2", [](Kernel& k) { k.fence(); }),
      loop("4 CSR reads", 19.00, 0, "2.2", times(4, [](Kernel& k) { k.csrr(a4, 0x7C0); })),
      loop("load, local memory", 4.00, 0.03, "2.3", load, pointing_to(local)),
      loop("load, register (wall clock)", 5.00, 0.03, "2.3", load, pointing_to(arch::kWallClockL)),
      loop("load, L1", 5.50, 0.03, "2.3", load, pointing_to(kData)),
      loop("pointer chase, local memory", 4.00, 0.03, "2.3", chase, chased_at(local)),
      loop("pointer chase, L1", 8.00, 0.03, "2.3", chase, chased_at(kData)),
      loop("load, L1, and its use", 12.00, 0.03, "2.3", use_after(0), pointing_to(kData)),
      loop("load, L1, 4 others, its use", 12.00, 0.03, "2.3", use_after(4), pointing_to(kData)),
      loop("store, L1", 4.00, 0.03, "2.3", [](Kernel& k) { k.sw(a4, a3); }, pointing_to(kData)),
      loop("4 stores, L1", 7.00, 0.03, "2.3", [](Kernel& k) { for (int i = 0; i < 4; ++i) k.sw(a4, a3, 4 * i); },
           pointing_to(kData)),
      loop("store, then load of the same word, L1", 9.50, 0.06, "2.3",
           [](Kernel& k) {
             k.sw(a4, a3);
             k.lw(a5, a3);
           },
           pointing_to(kData)),
      {group, "load, another hart's local memory", "cycles", 5.50, 0.03, "2.3, 2.4", window(1)},
      {group, "the same by 2 harts at once", "cycles", 8.00, 0.03, "2.4", window(2)},
      {group, "the same by 5 harts at once", "cycles", 20.00, 0.03, "2.4", window(5)},
  };
}

}  // namespace kerr::timing_tests
