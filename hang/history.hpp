// What was done lately around the words that agents wait for, and what each hart did last: for who asks afterwards why
// nothing moves.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arch/boards.hpp"
#include "check/waiting_load.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::hang {

/// An observer of a machine from power-on. Keeps what is new of each tile, and forgets what is old.
class History final : public emu::Observer {
 public:
  /// Who has done something.
  struct By {
    emu::Cycle cycle = 0;
    emu::TileId tile;
    emu::Agent agent = emu::Agent::Host;  // Inbox: a hart of `tile`, by the packet of this number
    uint32_t pc = emu::Actor::kNoPc;
    uint64_t packet = emu::Message::kNotSent;
    uint64_t order = 0;  // of the tile in which it was done
  };
  /// A word of L1 has become another.
  struct Change {
    By by;
    uint32_t before = 0, value = 0;
    bool was_read = false;  // a hart had loaded what was there before
    uint32_t wiped = 0;     // of a store: the atomics since the store before it
  };
  struct Count {
    emu::TileId tile;  // that sent them
    uint32_t times = 0;
  };
  /// A word that somebody has waited for, or that atomics or packets of up to four bytes have changed.
  struct Word {
    bool polled = false;
    std::deque<Change> stores, atomics;  // the last kMostChanges of each, oldest first
    std::vector<Count> since;            // atomics since the last of the stores, of more bytes too
    std::optional<By> covered;           // the last store of more bytes
  };
  /// A store of more bytes.
  struct Range {
    By by;
    uint32_t address = 0, bytes = 0;
  };
  struct Sent {
    By by;
    emu::MessageKind kind = emu::MessageKind::Write;
    uint8_t noc = 0;
    emu::TileId first, last;  // the receivers: the corners of their rectangle; or where a read reads
    uint32_t receivers = 0;
    uint64_t address = 0;  // there
    uint32_t bytes = 0;
    uint32_t operand = 0;
  };
  /// A hart got through a wait, changed something that others wait for, or sent a packet; several alike in a row are
  /// one.
  struct Step {
    enum class Kind : uint8_t { Load, Store, Atomic, Sent };
    Kind kind = Kind::Load;
    uint32_t pc = 0;
    uint32_t address = 0, value = 0;  // of Load, Store, Atomic: the last of them
    uint64_t packet = 0;              // of Sent: likewise
    uint32_t times = 1;
    emu::Cycle first = 0, last = 0;
  };
  enum class Side : uint8_t { Pushed, Popped };

  static constexpr size_t kMostSteps = 16;    // of a hart
  static constexpr size_t kMostChanges = 4;   // of a word, of each kind
  static constexpr size_t kMostWords = 4096;  // of a tile
  static constexpr size_t kMostLoose = 128, kMostRanges = 64, kMostSent = 512;
  static constexpr size_t kBuffers = 32;

  explicit History(const std::vector<arch::Board>& boards) : tiles_(boards.size() << 8) {}

  /// nullptr: nothing is known of it. Between windows, as the next ones.
  const Word* word(emu::TileId tile, uint32_t address) const;
  /// The addresses of the tile's words, in order.
  std::vector<uint32_t> words(emu::TileId tile) const;
  /// Stores of harts to other words, oldest first.
  std::vector<std::pair<uint32_t, Change>> loose(emu::TileId tile) const;
  /// The last store of more bytes over that word; nullptr: none is known.
  const Range* over(emu::TileId tile, uint32_t address) const;
  std::vector<Step> steps(emu::TileId tile, arch::Hart hart) const;
  /// A packet of that tile; nullptr: it is forgotten.
  const Sent* sent(emu::TileId tile, uint64_t packet) const;
  /// Pages that this hart (or its thread) has moved since the buffer's counters were last cleared for a kernel.
  uint32_t pages(emu::TileId tile, arch::Hart hart, uint32_t buffer, Side side) const;

  void chip_made(int chip, emu::Cycle now) override;
  void tile_made(const emu::TileView& view) override;
  const bool& wants_all_retired(emu::TileId) const override { return kNever; }
  void accessed(const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                uint32_t value) override;
  void packet_left(const emu::Actor& actor, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;

 private:
  static constexpr bool kNever = false;

  struct Counter {
    uint32_t last = 0;
    bool cleared = false;
    std::array<uint32_t, arch::kHarts> moved{};
  };
  struct Tile {
    explicit Tile(const emu::TileView& v) : view(v), code(v.l1) {}
    emu::TileView view;
    check::Code code;
    uint64_t order = 0;
    By arriving;  // the packet that takes effect
    std::unordered_map<uint32_t, Word> words;
    std::bitset<arch::kL1Bytes / 4> is_word, fresh;  // fresh: changed, and no hart has loaded it since
    std::deque<std::pair<uint32_t, Change>> loose;
    std::deque<Range> ranges;
    std::deque<Sent> sent;
    std::array<std::deque<Step>, arch::kHarts> steps;
    std::array<std::array<Counter, 2>, kBuffers> counters{};
  };

  const Tile* find(emu::TileId id) const { return tiles_[size_t{id.chip} << 8 | id.node].get(); }
  Tile* find(emu::TileId id) { return tiles_[size_t{id.chip} << 8 | id.node].get(); }
  static By by(Tile& tile, const emu::Actor& actor);
  /// nullptr: the tile has too many.
  static Word* track(Tile& tile, uint32_t address);
  static void add(Tile& tile, emu::Agent hart, const Step& step);
  static void cover(Tile& tile, const Range& range);
  void loaded(Tile& tile, const emu::Actor& actor, uint32_t address, uint32_t value);
  void changed(Tile& tile, const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes,
               uint32_t value);
  void register_changed(Tile& tile, const emu::Actor& actor, uint32_t address, uint32_t value);

  std::vector<std::unique_ptr<Tile>> tiles_;  // by chip and node
};

}  // namespace kerr::hang
