// Snapshots: the whole machine in a file.   docs/architecture.md "Snapshots"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/cycle.hpp"
#include "emu/machine/machine.hpp"
#include "emu/machine/saved_machine.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

struct SnapshotInfo {
  uint64_t layout = 0;  // which build of Kerr can read it: SurveyArchive::layout()
  SavedMachine machine;
  Cycle cycle = 0;
  uint64_t inputs = 0;  // how many the machine had seen: where in a log a replay continues
  uint64_t run = 0;     // Machine::run(): 0 if nothing was ever recorded
  uint32_t tiles = 0;   // Tensix tiles that were ever touched
  uint64_t dram_bytes = 0;
  uint32_t faults = 0;

  void serialize(Archive& a) { a(layout, machine, cycle, inputs, run, tiles, dram_bytes, faults); }
};

/// Between windows: not while time passes. Nothing of the machine changes. `threads` compress.
/// Throws SnapshotError if the file cannot be written (then there is none), or for chips joined by links
/// (Machine::attach).
void save_snapshot(Machine& machine, const std::string& path, int threads = 1);
/// `expected_bytes`: room that is made at once; a guess that is right saves copies.
std::vector<uint8_t> save_snapshot(Machine& machine, int threads = 1, size_t expected_bytes = 0);

/// Into a machine with the same boards and window; shards, scheduler and parking may differ. It then continues as the
/// saved one would have: same states, same cycles. The host's memory is not the machine's and stays as it is.
/// Throws SnapshotError with a sentence for a file that is damaged, cut off, of another machine or of another build;
/// then nothing has changed. References to chips and tiles are no longer good afterwards.
void load_snapshot(Machine& machine, const std::string& path, int threads = 1);
void load_snapshot(Machine& machine, std::span<const uint8_t> bytes, int threads = 1);

/// Reads the beginning only.
SnapshotInfo read_snapshot_info(const std::string& path);

/// Reads all of it and throws SnapshotError if a checksum is wrong or something misses. Also for files of other builds.
void check_snapshot(const std::string& path, int threads = 1);

}  // namespace kerr::emu
