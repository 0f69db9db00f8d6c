// What the host stack has called things: kernels and their lines, arguments, semaphores, circular buffers, buffers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/host_notes.hpp"
#include "check/finding.hpp"

namespace kerr::check {

/// Hears what the host stack notes (emu::Observer::noted) and names findings of any time since.
class Names {
 public:
  explicit Names(const std::vector<arch::Board>& boards);
  ~Names();

  /// Of the first chip, at this cycle or later ones: in order.
  void noted(const arch::note::Note& note, Cycle now);

  /// Fills in kernels, frames and names of objects, where they are empty and something is known.
  void name(Finding& finding) const;
  void name(Findings& findings) const;

 private:
  struct Launch {
    Cycle since;
    std::shared_ptr<const arch::note::Launched> note;
    const arch::note::Launched::Group* group;
    size_t core;  // of the group
  };
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
  Memory* memory_of(uint64_t id);
  /// What lies at that pc of the hart; nullptr: nobody said.
  const arch::note::Code* code_at(TileId tile, Cycle cycle, uint32_t pc, std::optional<arch::Hart> hart) const;
  void name(Site& site) const;
  void name(Object& object, Cycle cycle) const;
  std::string name_of_l1(const Launch& launch, uint64_t address) const;
  std::string name_of_page(const Memory& memory, TileId tile, uint64_t address) const;
  /// The last one of that tile up to `cycle` that `is` wants; nullptr: none.
  template <class Is>
  const Launch* launch_at(TileId tile, Cycle cycle, Is is) const;
  TileId tile_at(arch::NocCoord translated) const;

  arch::Harvesting harvesting_{};
  arch::TranslationTables tables_{};
  std::map<TileId, std::vector<Launch>> launches_;  // in the order of time
  std::map<TileId, std::vector<Firmware>> firmware_;
  std::vector<Memory> memory_;
};

}  // namespace kerr::check
