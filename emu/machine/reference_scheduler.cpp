#include "emu/machine/reference_scheduler.hpp"

namespace kerr::emu {

void run_reference_window(Machine& machine, Cycle end) {
  while (machine.now_ < end) {
    const Cycle quantum = machine.now_ + kQuantumCycles;
    for (auto& chip : machine.chips_) {
      for (const std::uint8_t node : chip->tiles.nodes()) {
        Tile& tile = chip->tiles.at_present(node);
        tile.run(quantum);
        chip->tiles.next_events()[node] = tile.next_event();
        machine.note_faults(tile);
      }
    }
    for (auto& chip : machine.chips_) {
      const std::vector<std::uint8_t> nodes = chip->tiles.nodes();  // a copy: messages make tiles
      for (const std::uint8_t node : nodes) machine.exchange(chip->tiles.find(node)->outbox());
    }
    machine.set_time(quantum);
    machine.serve(quantum + machine.options_.window_cycles);
  }
}

}  // namespace kerr::emu
