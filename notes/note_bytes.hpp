// A note of the host stack as bytes.   arch/host_notes.hpp
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arch/host_notes.hpp"
#include "emu/machine/input_log.hpp"

namespace kerr::notes {

/// Images that one note has brought, for those behind it. Numbers begin at 1.
struct Images {
  std::vector<std::shared_ptr<const image::Image>> all;
  std::unordered_map<const image::Image*, uint32_t> numbers;  // of a writer
};

/// Writes an image once and then its number: what one writer wrote is read by one reader, all of it and in its order.
class NoteWriter {
 public:
  std::vector<uint8_t> bytes_of(const arch::note::Note& note);

 private:
  Images images_;
};

/// Images come back without relocations, which only a loader needs.
class NoteReader {
 public:
  /// Throws emu::SnapshotError for bytes that are no note.
  arch::note::Note note_of(std::span<const uint8_t> bytes);

 private:
  Images images_;
};

/// Reads the notes of a log that is replayed, and tells somebody.
class ReplayedNotes final : public emu::NoteListener {
 public:
  using Tell = std::function<void(const arch::note::Note& note, emu::Cycle cycle)>;
  explicit ReplayedNotes(Tell tell) : tell_(std::move(tell)) {}
  void noted(std::span<const uint8_t> bytes, emu::Cycle cycle) override { tell_(reader_.note_of(bytes), cycle); }

 private:
  const Tell tell_;
  NoteReader reader_;
};

}  // namespace kerr::notes
