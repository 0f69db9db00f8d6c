// Loads that are made to wait, and do not.   docs/hardware/tile.md 1.8, 4.3
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kerr::kernels {

struct UselessWait {
  uint32_t address = 0;  // of the load
  std::string what;      // completes "the load of ..."
};

/// What silicon punishes in the code of a hart, by address. `words` are its instructions from `base` on; the entry is
/// the first one, and what cannot be reached from there by branches, jumps and calls is not looked at.
///   * A load whose only purpose is to wait, and whose value no instruction uses: the hart does not wait for it, and a
///     store behind it may overtake what it should have waited for. Such loads are those of what was stored right
///     before, and of the pages of TTSync, semaphores, PCBufs and mailboxes.
///   * TTSync (FFE80004, FFE80008): the access before the load must be a store to the same word, or the load may
///     overtake pushes. Before the next load or store an instruction must use the value (or a fence or seven
///     instructions must stand there): a second load of these pages meets a hardware bug, and gets a wrong value
///     or never ends.
/// An address counts if it follows from constants in the code.
std::vector<UselessWait> useless_waits(std::span<const uint32_t> words, uint32_t base);

}  // namespace kerr::kernels
