// Who has last read and written each byte of a memory.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/stamp.hpp"

namespace kerr::check {

/// The shadow of one memory: blocks of 1 KiB, each with one cell for all of it or one for each granule of 16 bytes. An
/// access is held against what is there and then takes its place.
class Shadow {
 public:
  static constexpr uint32_t kGranule = 16;
  static constexpr uint32_t kBlock = 1024;

  /// `bytes`: of a small memory, whose blocks stand in an array; 0: any address.
  explicit Shadow(uint64_t bytes) : dense_(bytes / kBlock) {}

  /// `by` reads or writes [address, address + bytes). conflict(earlier, whether that wrote, first, last) is called for
  /// each access that `view` does not know and that one of the two writes: of the granules from `first` to before
  /// `last`.
  template <class Conflict>
  void read(uint64_t address, uint64_t bytes, const Stamp& by, const View& view, const TransferDirectory& transfers,
            Conflict conflict) {
    access<false>(address, bytes, by, view, transfers, conflict);
  }
  template <class Conflict>
  void write(uint64_t address, uint64_t bytes, const Stamp& by, const View& view, const TransferDirectory& transfers,
             Conflict conflict) {
    access<true>(address, bytes, by, view, transfers, conflict);
  }

  /// Each write, or read, of the bytes that is noted: see(stamp, granule's address).
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
  static constexpr uint32_t kGranules = kBlock / kGranule;

  struct Cell {
    Stamp write, read;
  };
  struct Block {
    Cell all;
    std::unique_ptr<std::array<Cell, kGranules>> granules;
  };

  Block& block(uint64_t n);
  const Block* find(uint64_t n) const;
  void split(Block& block);
  void clear(Block& block);

  uint64_t list();
  void drop(Stamp& stamp);
  Stamp copy(const Stamp& stamp);
  void add(Stamp& to, const Stamp& one);
  /// Takes the bytes of `mask` out of what is noted.
  void cut(Stamp& from, uint16_t mask);
  void note_read(Stamp& reads, const Stamp& by, const View& view, const TransferDirectory& transfers);

  template <class See>
  void visit(const Stamp& stamp, See see) const {
    if (stamp.part == Part::Nobody) return;
    if (stamp.part != Part::Several) return see(stamp);
    for (const Stamp& one : lists_[stamp.number]) see(one);
  }
  template <bool kWrites, class Conflict>
  void access(uint64_t address, uint64_t bytes, const Stamp& by, const View& view, const TransferDirectory& transfers,
              Conflict& conflict);
  template <bool kWrites, class Conflict>
  void access(Cell& cell, const Stamp& by, const View& view, const TransferDirectory& transfers, Conflict conflict);
  template <bool kWrites, class See>
  void each(uint64_t address, uint64_t bytes, See& see) const;

  std::vector<std::unique_ptr<Block>> dense_;
  std::unordered_map<uint64_t, std::unique_ptr<Block>> sparse_;
  std::vector<std::vector<Stamp>> lists_;
  std::vector<uint64_t> free_lists_;
  uint64_t lost_ = 0;
};

// --- machinery

template <bool kWrites, class Conflict>
void Shadow::access(Cell& cell, const Stamp& by, const View& view, const TransferDirectory& transfers,
                    Conflict conflict) {
  Stamp& own = kWrites ? cell.write : cell.read;
  if (own.same_access(by) && (own.mask & by.mask) == by.mask) {
    if constexpr (!kWrites) return;
    if (cell.read.part == Part::Nobody) return;
  }
  const auto look = [&](const Stamp& earlier, bool wrote) {
    if ((earlier.mask & by.mask) == 0 || view.knows(earlier, transfers)) return;
    conflict(earlier, wrote);
  };
  visit(cell.write, [&](const Stamp& earlier) { look(earlier, true); });
  if constexpr (kWrites) {
    visit(cell.read, [&](const Stamp& earlier) { look(earlier, false); });
    cut(cell.write, by.mask);
    cut(cell.read, by.mask);
    add(cell.write, by);
  } else {
    note_read(cell.read, by, view, transfers);
  }
}

template <bool kWrites, class Conflict>
void Shadow::access(uint64_t address, uint64_t bytes, const Stamp& by, const View& view,
                    const TransferDirectory& transfers, Conflict& conflict) {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t n = address / kBlock;
    const uint64_t begin = n * kBlock;
    const uint64_t until = end < begin + kBlock ? end : begin + kBlock;
    Block& b = block(n);
    if (until - address == kBlock) {
      Stamp whole = by;
      whole.mask = 0xFFFF;
      if (b.granules == nullptr) {
        access<kWrites>(b.all, whole, view, transfers,
                        [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, begin, begin + kBlock); });
      } else {
        for (uint32_t g = 0; g < kGranules; ++g) {
          const uint64_t at = begin + g * kGranule;
          access<kWrites>((*b.granules)[g], whole, view, transfers,
                          [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, at, at + kGranule); });
        }
        if constexpr (kWrites) {
          clear(b);
          b.all.write = whole;
        }
      }
    } else {
      if (b.granules == nullptr) split(b);
      for (uint64_t at = address; at < until;) {
        const uint64_t granule = at / kGranule * kGranule;
        const uint64_t to = until < granule + kGranule ? until : granule + kGranule;
        Stamp part = by;
        part.mask = static_cast<uint16_t>((0xFFFFu >> (kGranule - (to - at))) << (at - granule));
        access<kWrites>(
            (*b.granules)[granule % kBlock / kGranule], part, view, transfers,
            [&](const Stamp& earlier, bool wrote) { conflict(earlier, wrote, granule, granule + kGranule); });
        at = to;
      }
    }
    address = until;
  }
}

template <bool kWrites, class See>
void Shadow::each(uint64_t address, uint64_t bytes, See& see) const {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t n = address / kBlock;
    const uint64_t until = end < (n + 1) * kBlock ? end : (n + 1) * kBlock;
    if (const Block* const b = find(n)) {
      if (b->granules == nullptr) {
        visit(kWrites ? b->all.write : b->all.read, [&](const Stamp& s) { see(s, address); });
      } else {
        for (uint64_t at = address; at < until;) {
          const uint64_t granule = at / kGranule * kGranule;
          const uint64_t to = until < granule + kGranule ? until : granule + kGranule;
          const auto mask = static_cast<uint16_t>((0xFFFFu >> (kGranule - (to - at))) << (at - granule));
          const Cell& cell = (*b->granules)[granule % kBlock / kGranule];
          visit(kWrites ? cell.write : cell.read, [&](const Stamp& s) {
            if (s.mask & mask) see(s, at);
          });
          at = to;
        }
      }
    }
    address = until;
  }
}

}  // namespace kerr::check
