#include "emu/machine/reference_scheduler.hpp"

namespace kerr::emu {

void run_reference_window(Machine& machine, Cycle end) {
  const Cycle step = machine.options_.timing == Timing::Exact ? 1 : kQuantumCycles;
  while (machine.state_.now < end) {
    const Cycle next = machine.state_.now + step;
    for (auto& chip : machine.state_.chips) {
      for (const uint8_t node : chip->tiles.nodes()) {
        Tile& tile = chip->tiles.at_present(node);
        tile.run(next);
        chip->tiles.set_next_event(node, tile.next_event());
        machine.note_faults(tile);
      }
    }
    for (auto& chip : machine.state_.chips) {
      const std::vector<uint8_t> nodes = chip->tiles.nodes();  // a copy: messages make tiles
      for (const uint8_t node : nodes) machine.exchange(chip->tiles.find(node)->outbox());
    }
    machine.pass_time(next);
  }
}

}  // namespace kerr::emu
