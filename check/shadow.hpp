// Who has last read and written each byte of a memory.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/stamp.hpp"

namespace kerr::check {

/// The shadow of one memory: blocks of 1 KiB, each with one cell for all of it or one for each line of 64 bytes, and
/// those with one for each granule of 16 bytes where an access was smaller. An access is held against what is there and
/// then takes its place.
class Shadow {
 public:
  static constexpr uint32_t kGranule = 16;
  static constexpr uint32_t kLine = 64;
  static constexpr uint32_t kBlock = 1024;

  /// `bytes`: of a small memory, whose blocks stand in an array; 0: any address.
  explicit Shadow(uint64_t bytes) : dense_(bytes / kBlock) {}

  /// `by` reads or writes [address, address + bytes). conflict(earlier, whether that wrote, first, last) is called for
  /// each access that `view` does not know and that one of the two writes: of the granules from `first` to before
  /// `last`.
  template <class Conflict>
  void read(uint64_t address, uint64_t bytes, const Stamp& by, const View& view, const TransferDirectory& transfers,
            Conflict conflict) {
    Look look(by, view, transfers);
    access<false>(address, bytes, look, conflict);
  }
  template <class Conflict>
  void write(uint64_t address, uint64_t bytes, const Stamp& by, const View& view, const TransferDirectory& transfers,
             Conflict conflict) {
    Look look(by, view, transfers);
    access<true>(address, bytes, look, conflict);
  }

  struct Cell {
    Stamp write, read;
  };
  struct Line {
    Cell all;
    std::unique_ptr<std::array<Cell, kLine / kGranule>> granules;
    uint32_t rules = 0;  // for whoever has the shadow, as long as the line keeps its granules
  };
  /// The line of the address, if it has granules; else nullptr.
  Line* line(uint64_t address);
  /// The cell of the granule in which the access lies. nullptr: it has none of its own, or the access reaches further.
  Cell* granule(uint64_t address, uint64_t bytes) {
    Line* const l = address % kGranule + bytes > kGranule ? nullptr : line(address);
    return l == nullptr ? nullptr : &(*l->granules)[address % kLine / kGranule];
  }
  /// Bytes of [from, to), which lie in one granule.
  static constexpr uint16_t mask_of(uint64_t from, uint64_t to) {
    return static_cast<uint16_t>((0xFFFFu >> (kGranule - (to - from))) << from % kGranule);
  }

  /// read() and write() for a hart, whose accesses come one after another, where nobody else has been: quicker. False:
  /// that is not so, and nothing is done.
  bool read_alone(uint64_t address, uint64_t bytes, Stamp by) { return alone(&Shadow::read_alone, address, bytes, by); }
  bool write_alone(uint64_t address, uint64_t bytes, Stamp by) {
    return alone(&Shadow::write_alone, address, bytes, by);
  }
  /// The same in two steps: whether the hart of `by` is alone with these bytes of the granule, and the access.
  bool is_alone(const Cell& cell, const Event& by, uint16_t mask) const;
  void read_alone(Cell& cell, const Stamp& by);
  void write_alone(Cell& cell, const Stamp& by);

  /// Each write, or read, of the bytes that is noted: see(stamp, address), once for bytes that have it
  /// in common.
  template <class See>
  void each_write(uint64_t address, uint64_t bytes, See see) const {
    each<true>(address, bytes, see);
  }
  template <class See>
  void each_read(uint64_t address, uint64_t bytes, See see) const {
    each<false>(address, bytes, see);
  }
  /// Readers of the bytes that were noted are of no further interest: the word is a flag.
  void forget_readers(uint64_t address, uint64_t bytes);

  uint64_t lost() const { return lost_; }

 private:
  static constexpr size_t kMostReaders = 32;
  static constexpr uint32_t kGranules = kLine / kGranule;  // of a line
  static constexpr uint32_t kLines = kBlock / kLine;       // of a block

  struct Block {
    Cell all;
    std::unique_ptr<std::array<Line, kLines>> lines;
  };

  /// One access, and the last stamp that turned out to be known to it: neighbours often have the same.
  class Look {
   public:
    Look(const Stamp& stamp, const View& view, const TransferDirectory& transfers)
        : by(stamp), whole(stamp), view_(view), transfers_(transfers) {
      whole.mask = 0xFFFF;
    }
    bool knows(const Stamp& stamp) {
      if (stamp.same_access(known_)) return true;
      if (!view_.knows(stamp, transfers_)) return false;
      known_ = stamp;
      return true;
    }

    const Stamp& by;
    Stamp whole;  // the same, of whole granules

   private:
    const View& view_;
    const TransferDirectory& transfers_;
    Stamp known_;
  };

  bool alone(void (Shadow::*way)(Cell&, const Stamp&), uint64_t address, uint64_t bytes, Stamp by) {
    Cell* const cell = granule(address, bytes);
    if (cell == nullptr) return false;
    by.mask = mask_of(address, address + bytes);
    if (!is_alone(*cell, by.event(), by.mask)) return false;
    (this->*way)(*cell, by);
    return true;
  }
  static bool is_of(const Stamp& stamp, const Event& by) {
    return stamp.part == Part::Agent && stamp.component == by.component && stamp.place == by.place;
  }
  /// Nobody but the hart of `by` has left this stamp.
  static bool is_own(const Stamp& stamp, const Event& by) { return stamp.part == Part::Nobody || is_of(stamp, by); }
  /// The same of what is noted of the bytes of `mask`.
  bool all_are_of(const Stamp& list, const Event& by, uint16_t mask) const;
  void read_in_list(Stamp& reads, const Stamp& by);
  void write_in_list(Cell& cell, const Stamp& by);
  Block& block(uint64_t n);
  const Block* find(uint64_t n) const;
  void split(Block& block);
  void split(Line& line);
  void clear(Cell& cell);
  void clear(Line& line);
  void clear(Block& block);

  uint64_t list();
  void drop(Stamp& stamp);
  Stamp copy(const Stamp& stamp);
  void add(Stamp& to, const Stamp& one);
  /// Takes the bytes of `mask` out of what is noted.
  void cut(Stamp& from, uint16_t mask);
  void note_read(Stamp& reads, const Stamp& by, Look& look, uint32_t granules);

  template <class See>
  void visit(const Stamp& stamp, See see) const {
    if (stamp.part == Part::Nobody) return;
    if (stamp.part != Part::Several) return see(stamp);
    for (const Stamp& one : lists_[stamp.number]) see(one);
  }
  template <bool kWrites, class Conflict>
  void access(uint64_t address, uint64_t bytes, Look& look, Conflict& conflict);
  template <bool kWrites, class Conflict>
  void access_line(Line& line, uint64_t begin, Look& look, Conflict& conflict);
  template <bool kWrites, class Conflict>
  void access(Cell& cell, const Stamp& by, Look& look, uint32_t granules, Conflict conflict);
  template <bool kWrites, class See>
  void each(uint64_t address, uint64_t bytes, See& see) const;

  std::vector<std::unique_ptr<Block>> dense_;
  std::unordered_map<uint64_t, std::unique_ptr<Block>> sparse_;
  std::vector<std::vector<Stamp>> lists_;
  std::vector<uint64_t> free_lists_;
  uint64_t lost_ = 0;
};

// --- machinery

inline Shadow::Line* Shadow::line(uint64_t address) {
  const uint64_t n = address / kBlock;
  if (n >= dense_.size()) return nullptr;
  Block* const b = dense_[n].get();
  if (b == nullptr || b->lines == nullptr) return nullptr;
  Line& found = (*b->lines)[address % kBlock / kLine];
  return found.granules == nullptr ? nullptr : &found;
}

// A hart knows all that it did itself, so there is no conflict: what is left is what note_read(), cut() and add() do.
inline bool Shadow::is_alone(const Cell& cell, const Event& by, uint16_t mask) const {
  return (is_own(cell.write, by) || all_are_of(cell.write, by, mask)) &&
         (is_own(cell.read, by) || all_are_of(cell.read, by, mask));
}

inline void Shadow::read_alone(Cell& cell, const Stamp& by) {
  Stamp& reads = cell.read;
  if (reads.part == Part::Several) return read_in_list(reads, by);
  if (reads.part == Part::Nobody) {
    reads = by;
  } else if (reads.number != by.number || (by.mask & ~reads.mask) != 0) {
    (reads.mask & ~by.mask) == 0 ? static_cast<void>(reads = by) : add(reads, by);
  }
}

inline void Shadow::write_alone(Cell& cell, const Stamp& by) {
  const auto gives_way = [&](const Stamp& s) { return s.part != Part::Several && (s.mask & ~by.mask) == 0; };
  if ((cell.read.part != Part::Nobody && !gives_way(cell.read)) ||
      (cell.write.part != Part::Nobody && !gives_way(cell.write)))
    return write_in_list(cell, by);
  cell.read.part = Part::Nobody;
  cell.write = by;
}

template <bool kWrites, class Conflict>
void Shadow::access(Cell& cell, const Stamp& by, Look& look, uint32_t granules, Conflict conflict) {
  Stamp& own = kWrites ? cell.write : cell.read;
  if (own.same_access(by) && (own.mask & by.mask) == by.mask) {
    if constexpr (!kWrites) return;
    if (cell.read.part == Part::Nobody) return;
  }
  const auto compare = [&](const Stamp& earlier, bool wrote) {
    if ((earlier.mask & by.mask) == 0 || look.knows(earlier)) return;
    conflict(earlier, wrote);
  };
  visit(cell.write, [&](const Stamp& earlier) { compare(earlier, true); });
  if constexpr (kWrites) {
    visit(cell.read, [&](const Stamp& earlier) { compare(earlier, false); });
    cut(cell.write, by.mask);
    cut(cell.read, by.mask);
    add(cell.write, by);
  } else {
    note_read(cell.read, by, look, granules);
  }
}

// All of a line.
template <bool kWrites, class Conflict>
void Shadow::access_line(Line& line, uint64_t begin, Look& look, Conflict& conflict) {
  if (line.granules == nullptr) {
    access<kWrites>(line.all, look.whole, look, kGranules, [&](const Stamp& earlier, bool wrote) {
      for (uint64_t at = begin; at < begin + kLine; at += kGranule) conflict(earlier, wrote, at, at + kGranule);
    });
    return;
  }
  for (uint32_t g = 0; g < kGranules; ++g) {
    const uint64_t at = begin + g * kGranule;
    access<kWrites>((*line.granules)[g], look.whole, look, 1,
                    [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, at, at + kGranule); });
  }
  if constexpr (kWrites) {
    clear(line);
    line.all.write = look.whole;
  }
}

template <bool kWrites, class Conflict>
void Shadow::access(uint64_t address, uint64_t bytes, Look& look, Conflict& conflict) {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t n = address / kBlock;
    const uint64_t begin = n * kBlock;
    const uint64_t until = end < begin + kBlock ? end : begin + kBlock;
    Block& b = block(n);
    if (until - address == kBlock) {
      if (b.lines == nullptr) {
        access<kWrites>(b.all, look.whole, look, 1,
                        [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, begin, begin + kBlock); });
      } else {
        for (uint32_t l = 0; l < kLines; ++l) access_line<kWrites>((*b.lines)[l], begin + l * kLine, look, conflict);
        if constexpr (kWrites) {
          clear(b);
          b.all.write = look.whole;
        }
      }
      address = until;
      continue;
    }
    if (b.lines == nullptr) split(b);
    while (address < until) {
      const uint64_t line_begin = address / kLine * kLine;
      const uint64_t line_end = until < line_begin + kLine ? until : line_begin + kLine;
      Line& line = (*b.lines)[line_begin % kBlock / kLine];
      if (line_end - address == kLine) {
        access_line<kWrites>(line, line_begin, look, conflict);
        address = line_end;
        continue;
      }
      if (line.granules == nullptr) split(line);
      while (address < line_end) {
        const uint64_t granule = address / kGranule * kGranule;
        const uint64_t to = line_end < granule + kGranule ? line_end : granule + kGranule;
        Stamp part = look.by;
        part.mask = mask_of(address, to);
        access<kWrites>(
            (*line.granules)[granule % kLine / kGranule], part, look, 1,
            [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, granule, granule + kGranule); });
        address = to;
      }
    }
  }
}

template <bool kWrites, class See>
void Shadow::each(uint64_t address, uint64_t bytes, See& see) const {
  const uint64_t end = address + bytes;
  const auto whole = [&](const Cell& cell) {
    visit(kWrites ? cell.write : cell.read, [&](const Stamp& s) { see(s, address); });
  };
  while (address < end) {
    const uint64_t n = address / kBlock;
    const uint64_t until = end < (n + 1) * kBlock ? end : (n + 1) * kBlock;
    const Block* const b = find(n);
    if (b == nullptr || b->lines == nullptr) {
      if (b != nullptr) whole(b->all);
      address = until;
      continue;
    }
    while (address < until) {
      const uint64_t line_begin = address / kLine * kLine;
      const uint64_t line_end = until < line_begin + kLine ? until : line_begin + kLine;
      const Line& line = (*b->lines)[line_begin % kBlock / kLine];
      if (line.granules == nullptr) {
        whole(line.all);
        address = line_end;
        continue;
      }
      while (address < line_end) {
        const uint64_t granule = address / kGranule * kGranule;
        const uint64_t to = line_end < granule + kGranule ? line_end : granule + kGranule;
        const uint16_t mask = mask_of(address, to);
        const Cell& cell = (*line.granules)[granule % kLine / kGranule];
        visit(kWrites ? cell.write : cell.read, [&](const Stamp& s) {
          if (s.mask & mask) see(s, address);
        });
        address = to;
      }
    }
  }
}

}  // namespace kerr::check
