#include "emu/machine/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/snapshot/chunk_file.hpp"
#include "emu/snapshot/file_sink.hpp"

namespace kerr::emu {

namespace {

constexpr FileKind kSnapshotFile{"KERRSNAP", 2, "snapshot"};

// What files of this build look like: surveyed on a P150, with one tile of each kind.
uint64_t layout() {
  static const uint64_t value = [] {
    Machine machine(Options{.boards = {arch::kP150}});
    machine.chip(0).tiles.at_present(machine.chip(0).geometry.tensix().front());
    machine.chip(0).tiles.at_present(NocGeometry::node_of({1, 1}));  // Ethernet
    SurveyArchive survey;
    machine.save(survey);
    return survey.layout();
  }();
  return value;
}

// The ends of links are their makers' and nothing in a file could bring them back.
void refuse_links(Machine& machine) {
  for (int i = 0; i < machine.chips(); ++i) {
    if (machine.chip(i).has_links()) {
      throw SnapshotError("a machine whose chips are joined by links can be neither saved nor restored");
    }
  }
}

SnapshotInfo info_of(Machine& machine) {
  SnapshotInfo info;
  info.layout = layout();
  info.machine = SavedMachine::of(machine);
  info.cycle = machine.now();
  info.inputs = machine.inputs();
  info.run = machine.run();
  for (int i = 0; i < machine.chips(); ++i) {
    info.tiles += static_cast<uint32_t>(machine.chip(i).tiles.nodes().size());
    for (const auto& bank : machine.chip(i).dram) info.dram_bytes += bank->touched_bytes();
  }
  info.faults = static_cast<uint32_t>(machine.faults().size());
  return info;
}

void save(Machine& machine, ByteSink& file, int threads) {
  refuse_links(machine);
  ChunkWriter chunks(file, kSnapshotFile, threads);
  SaveArchive archive(chunks);
  SnapshotInfo info = info_of(machine);
  archive(info);
  chunks.flush();
  machine.save(archive);
  chunks.finish();
}

void load(Machine& machine, StoredBytes& file, int threads) {
  refuse_links(machine);
  ChunkReader chunks(file, kSnapshotFile, threads);
  LoadArchive archive(chunks);
  SnapshotInfo info;
  archive(info);
  if (info.layout != layout()) {
    throw SnapshotError(
        "the snapshot was made by another build of Kerr, whose machine has other parts: load it with that one");
  }
  info.machine.require_like(machine, kSnapshotFile.what);
  machine.load(archive, [&] {
    if (!chunks.at_end()) throw SnapshotError("the snapshot is damaged: it holds more than a machine");
  });
}

}  // namespace

void save_snapshot(Machine& machine, const std::string& path, int threads) {
  FileSink file(path);
  save(machine, file, threads);
  file.finish();
}

std::vector<uint8_t> save_snapshot(Machine& machine, int threads, size_t expected_bytes) {
  MemorySink memory;
  memory.data.reserve(expected_bytes);
  save(machine, memory, threads);
  return std::move(memory.data);
}

void load_snapshot(Machine& machine, const std::string& path, int threads) {
  StoredFile file(path);
  load(machine, file, threads);
}

void load_snapshot(Machine& machine, std::span<const uint8_t> bytes, int threads) {
  StoredMemory memory(bytes);
  load(machine, memory, threads);
}

void check_snapshot(const std::string& path, int threads) {
  StoredFile file(path);
  ChunkReader(file, kSnapshotFile, threads).skip_to_end();
}

SnapshotInfo read_snapshot_info(const std::string& path) { return read_beginning<SnapshotInfo>(path, kSnapshotFile); }

}  // namespace kerr::emu
