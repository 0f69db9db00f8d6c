// Pushes and the front end: docs/hardware/timing.md 3, 4.4. As in the reports, 100 turns from clock to clock.
#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "kernels/blocks/compute.hpp"
#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
namespace tx = isa::tensix;
namespace until = kernels::until;

namespace {

constexpr double kTurns = 100;

// a3, a4: where to push, and the sync register. Words in a5 to a7 and s3 on are pushed by stores.
void load_addresses(Kernel& k) {
  k.li(a3, arch::kInstructionPushBase);
  k.li(a4, arch::kTtSyncThreadIdle);
}

void sync(Kernel& k) {
  k.sw(zero, a4);
  k.lw(a5, a4);
  k.and_(zero, zero, a5);
}

// The words are loaded once and stored in each turn, `times` times over.
Role pushes(std::vector<uint32_t> words, int times, bool synced) {
  return {.hart = arch::Hart::Trisc1,
          .prepare =
              [=](Kernel& k) {
                load_addresses(k);
                for (size_t i = 0; i < words.size(); ++i) k.li(i == 0 ? a6 : a7, words[i]);
              },
          .payload =
              [=](Kernel& k) {
                for (int i = 0; i < times; ++i) {
                  for (size_t w = 0; w < words.size(); ++w) k.sw(w == 0 ? a6 : a7, a3);
                }
                if (synced) sync(k);
              }};
}

Micro push(std::string name, double silicon, const Role& role) {
  return {"Pushes of a TRISC: raw cycles of a loop of 100 turns", std::move(name), "cycles", silicon, 0.02, "3",
          [=] { return cycles_of(100, role) / kTurns; }};
}

constexpr uint32_t kSemaphore = 1u << kernels::kSemMathPack;

// As in the reports the addresses are made anew in each turn.
void sync_by_address(Kernel& k) {
  constexpr uint32_t upper = arch::kTtSyncThreadIdle >> 12, lower = arch::kTtSyncThreadIdle & 0x7FF;
  k.lui(t0, upper);
  k.sw(zero, t0, lower);
  k.lui(t0, upper);
  k.lw(a5, t0, lower);
  k.and_(zero, zero, a5);
}

Micro semaphores(std::string name, double silicon, uint32_t initial, const Payload& instructions) {
  const Role role{.hart = arch::Hart::Trisc2,
                  .prepare =
                      [=](Kernel& k) {
                        load_addresses(k);
                        k.tensix(tx::SEMINIT{.sem_sel = kSemaphore, .init_value = initial, .max_value = 15});
                        sync(k);
                      },
                  .payload = sequence({instructions, sync_by_address})};
  return {"Semaphores of the coprocessor: raw cycles of a loop", std::move(name), "cycles", silicon, 0.05, "4.4", [=] {
            return cycles_per_turn(role);
          }};
}

}  // namespace

std::vector<Micro> push_micros() {
  const uint32_t nop = tx::NOP{}.encode();
  const uint32_t stall = tx::STALLWAIT{}.encode();
  const uint32_t seminit = tx::SEMINIT{.sem_sel = kSemaphore, .max_value = 1}.encode();
  return {
      push("empty", 3.26, pushes({}, 0, false)),
      push("write and read of the sync register", 9.24, pushes({}, 0, true)),
      push("8 NOPs", 11.22, pushes({nop}, 8, false)),
      push("8 NOPs, sync", 19.25, pushes({nop}, 8, true)),
      push("8 STALLWAITs for nothing", 15.60, pushes({stall}, 8, false)),
      push("8 STALLWAITs for nothing, sync", 26.25, pushes({stall}, 8, true)),
      push("4 SEMINITs", 7.22, pushes({seminit}, 4, false)),
      push("4 SEMINITs, sync", 15.25, pushes({seminit}, 4, true)),
      push("2 SEMINITs, each with a STALLWAIT", 7.22, pushes({seminit, stall}, 2, false)),
      push("2 SEMINITs, each with a STALLWAIT, sync", 15.25, pushes({seminit, stall}, 2, true)),
      semaphores("SEMWAIT, sync", 12.02, 0,
                 [](Kernel& k) {
                   k.tensix(tx::SEMWAIT{.wait_sem_cond = 2, .sem_sel = kSemaphore, .stall_res = kernels::stall::kSync});
                 }),
      semaphores("SEMPOST, SEMGET, sync", 13.02, 1,
                 [](Kernel& k) {
                   k.tensix(tx::SEMPOST{.sem_sel = kSemaphore});
                   k.tensix(tx::SEMGET{.sem_sel = kSemaphore});
                 }),
      semaphores("SEMGET, SEMPOST, sync", 13.02, 1,
                 [](Kernel& k) {
                   k.tensix(tx::SEMGET{.sem_sel = kSemaphore});
                   k.tensix(tx::SEMPOST{.sem_sel = kSemaphore});
                 }),
  };
}

}  // namespace kerr::timing_tests
