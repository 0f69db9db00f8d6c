// Names of the host stack: kernels and their lines, arguments, semaphores, circular buffers, buffers.
// docs/architecture.md "Checking"
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/host_notes.hpp"
#include "check/annotation.hpp"
#include "check/finding.hpp"
#include "emu/observe/noted_tiles.hpp"

namespace kerr::check {

/// Hears what the host stack notes (emu::Observer::noted), and names findings of any time since. It remembers the last
/// launches of each tile.
class Names {
 public:
  /// `boards`: of the machine.
  /// `annotations`: the regions of L1 that somebody has named.
  explicit Names(const std::vector<arch::Board>& boards, const std::vector<Annotation>& annotations = {});
  ~Names();

  /// Notes come in the order of their cycles.
  void noted(const arch::note::Note& note, Cycle now);

  /// Fills in kernels, frames and names of objects, where they are empty and something is known.
  void name(Finding& finding) const;
  void name(Site& site) const;

  /// The tile at these coordinates of a chip, as notes have them; nothing if there is none.
  std::optional<TileId> tile_at(int chip, arch::NocCoord translated) const { return tiles_.at(chip, translated); }

  /// A launch on one tile.
  struct Launch {
    Cycle since = 0;  // when it was noted
    std::shared_ptr<const arch::note::Launched> note{};
    const arch::note::Launched::Group* group = nullptr;
    size_t core = 0;  // of the group
  };
  /// The earliest launch of that tile for which `is` holds; nullptr: none is remembered, or not all since the one
  /// whose id is `last`.
  template <class Is>
  const Launch* first_launch(TileId tile, uint64_t last, Is is) const {
    const auto of_tile = launches_.find(tile);
    if (of_tile == launches_.end()) return nullptr;
    const std::deque<Launch>& all = of_tile->second;
    if (all.size() >= kMostLaunches && all.front().note->id > last) return nullptr;
    const auto found = std::ranges::find_if(all, is);
    return found == all.end() ? nullptr : &*found;
  }

 private:
  static constexpr size_t kMostLaunches = 64;   // of a tile
  static constexpr size_t kMostBuffers = 4096;  // with more, those that are freed are forgotten

  struct Firmware {
    Cycle since;
    std::shared_ptr<const arch::note::Booted> note;
  };
  struct Memory {
    arch::note::Allocated note;
    std::string name;
    Cycle since, until;
    bool freed = false;
  };

  void launched(const arch::note::Launched& note, Cycle now);
  Memory* memory_of(int chip, uint64_t id);
  /// The code that lies at that pc of the hart; nullptr: nobody said. `word`: the hart's instruction, 0 if it is not
  /// known: the next program may have been noted while this one still ran.
  const arch::note::Code* code_at(TileId tile, Cycle cycle, uint32_t pc, std::optional<arch::Hart> hart,
                                  uint32_t word) const;
  void name(Object& object, Cycle cycle) const;
  std::string name_of_l1(const Launch& launch, uint64_t address) const;
  std::string name_of_page(const Memory& memory, TileId tile, uint64_t address) const;
  /// The last launch of that tile up to `cycle` for which `is` holds; nullptr: none.
  template <class Is>
  const Launch* launch_at(TileId tile, Cycle cycle, Is is) const;

  emu::NotedTiles tiles_;
  std::map<TileId, std::deque<Launch>> launches_;  // in the order of time
  std::map<TileId, std::deque<Firmware>> firmware_;
  std::vector<Memory> memory_;
  std::vector<Annotation> regions_;
};

}  // namespace kerr::check
