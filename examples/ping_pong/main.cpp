// Two cores that wait for each other, by turns; and what Kerr says if one of them plays a turn too few.
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <cstdio>
#include <exception>

using namespace kerr;
using namespace kerr::isa::reg;

constexpr uint32_t kPing = 0, kPong = 1;  // the semaphore that each of them waits for
constexpr arch::NocCoord kCores[] = {{1, 2}, {5, 6}};

kernels::Kernel player(const char* name, uint32_t own, uint32_t others, bool begins, uint32_t turns) {
  // NoC 0; then registers that it keeps for itself.
  const kernels::RemoteIncrement increment{0, s1, s2, s3};
  kernels::Stream a = kernels::begin_kernel(name);
  a.lw(s4, a0, 0);                                    // argument 0: where the other core is
  a.mv(s6, a2);                                       // the program's semaphores
  a.addi(s5, s6, kernels::semaphore_offset(others));  // the address is the same on both cores
  a.li(s7, 0);                                        // how often its own one has been raised
  increment.open(a);
  const auto raise = [&] { increment.issue(a, s5, s4, {.id = others, .argument = 0}); };
  a.repeat(s8, turns, [&] {
    if (begins) raise();
    a.addi(s7, s7, 1);
    kernels::await_semaphore(a, s6, own, s7, 1);  // until it equals s7; raised 1 time since the last wait
    if (!begins) raise();
  });
  increment.barrier(a);  // all increments have been answered: the NoC is idle
  return kernels::end_kernel(a);
}

kernels::CheckedProgram game(const arch::FirmwareLayout& layout, uint32_t ping_turns, uint32_t pong_turns) {
  kernels::CheckedProgram program("ping pong", layout);
  program->add_semaphore();
  program->add_semaphore();
  const auto ping =
      program.add_kernel(arch::Hart::Brisc, player("ping", kPing, kPong, true, ping_turns), "ping", {&kCores[0], 1});
  const auto pong =
      program.add_kernel(arch::Hart::Brisc, player("pong", kPong, kPing, false, pong_turns), "pong", {&kCores[1], 1});
  program->set_args(ping, kCores[0], {kCores[1].packed()});
  program->set_args(pong, kCores[1], {kCores[0].packed()});
  return program;
}

int main() {
  host::EmulatedDevice device;
  host::Chip chip(device);
  chip.run(game(chip.layout(), 10, 10).finish());
  const uint32_t semaphores = chip.layout().kernel_config + 16;  // behind the arguments: one word, padded to 16 bytes
  const uint32_t ping = chip.io().read32(kCores[0], semaphores + kernels::semaphore_offset(kPing));
  const uint32_t pong = chip.io().read32(kCores[1], semaphores + kernels::semaphore_offset(kPong));
  std::printf("10 turns: ping has been raised %u times, pong %u times%s\n", ping, pong,
              ping == 10 && pong == 10 ? ": verified" : "");
  try {
    game(chip.layout(), 10, 9).finish();
  } catch (const std::exception& error) {
    std::printf("refused: %s\n", error.what());
  }
  try {
    kernels::CheckedProgram unchecked = game(chip.layout(), 10, 9);
    chip.run(*unchecked);  // the program in it, which nobody has checked
  } catch (const host::DeviceError& error) {
    std::printf("%s\n", error.what());
  }
  return ping == 10 && pong == 10 ? 0 : 1;
}
