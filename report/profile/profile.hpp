// For each kernel: how often each of its instructions was executed, how long it took, and which Tensix words it pushed.
// And what circular buffers held.   docs/architecture.md "Observing"
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/boards.hpp"
#include "arch/host_notes.hpp"
#include "emu/observe/noted_tiles.hpp"
#include "emu/observe/observer.hpp"
#include "report/timeline/reason.hpp"

namespace kerr::report {

using emu::Cycle;

/// Code that harts of one kind ran: a kernel, or the base firmware.
struct ProfiledCode {
  enum class Kind : uint8_t { Kernel, Firmware, Unknown };  // Unknown: nobody said what it is; of a tile's hart one

  std::string name;
  arch::Hart hart = arch::Hart::Brisc;
  Kind kind = Kind::Kernel;
  uint32_t bytes = 0;
  uint32_t image_address = 0;                 // of its first byte, as the image has it
  std::shared_ptr<const image::Image> image;  // may be null
};

/// What harts of one tile did with it.
struct CodeUse {
  struct Place {
    uint64_t times = 0, cycles = 0;  // cycles: until the next instruction of the hart, so with what it waits
    uint32_t word = 0;               // the instruction
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Word {
    uint64_t times = 0, busy = 0;  // busy: cycles of its unit, in exact timing
  };
  size_t code = 0;                                      // of Profile::code()
  std::map<uint32_t, Place> places;                     // by offset; of unknown code by pc
  std::map<std::pair<uint32_t, uint32_t>, Word> words;  // by the place that pushed it, and the word
};

/// A counter of a circular buffer was stored: tiles received, or tiles acked.
struct CreditStored {
  Cycle cycle = 0;
  Credit counter;
  uint32_t value = 0;
};

/// A launch that the host told of.
struct ProfiledLaunch {
  std::string program;
  uint8_t chip = 0;
  Cycle cycle = 0;             // at which the host told
  std::vector<uint8_t> nodes;  // raw
  std::vector<arch::note::Launched::CircularBuffer> circular_buffers;
};

/// Records all this of any machine on any number of threads. Read it while the machine does not run.
class Profile final : public emu::Observer {
 public:
  /// Launches beyond these are counted and not kept.
  static constexpr size_t kMostLaunches = 10'000;

  /// `boards`: of the machine.
  explicit Profile(const std::vector<arch::Board>& boards);
  ~Profile() override;

  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override;
  void issued(const emu::Actor& who, uint32_t word) override;
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override;
  void worked(const emu::Actor& who, const emu::UnitWork& work) override;
  void noted(const arch::note::Note& note, Cycle cycle) override;

  const std::vector<ProfiledCode>& code() const { return code_; }  // the first of each hart: unknown
  const std::vector<ProfiledLaunch>& launches() const { return launches_; }
  uint64_t further_launches() const { return further_launches_; }
  /// What the harts of a tile did.
  std::vector<CodeUse> uses(uint8_t node, int chip = 0) const;
  /// In the order of cycles, of each buffer.
  const std::vector<CreditStored>& credits(uint8_t node, int chip = 0) const;

 private:
  struct Tile;
  Tile& at(emu::TileId tile);
  const Tile* find(uint8_t node, int chip) const;
  size_t code_index(const arch::note::Code& code, arch::Hart hart, ProfiledCode::Kind kind);
  void launched(const arch::note::Launched& launch, Cycle cycle);

  const emu::NotedTiles noted_;
  std::vector<ProfiledCode> code_;
  std::map<std::pair<std::string, int>, size_t> unnamed_;  // code without an image: by name and hart
  std::map<std::pair<const image::Image*, int>, size_t> known_;
  std::vector<ProfiledLaunch> launches_;
  uint64_t further_launches_ = 0;
  std::vector<std::unique_ptr<Tile>> tiles_;  // by chip and node; each is touched by one thread at a time
};

}  // namespace kerr::report
