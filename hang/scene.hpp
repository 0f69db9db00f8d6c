// The agents of a machine at one moment: what runs on each, and where it stands.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/hang_question.hpp"
#include "check/report/places.hpp"
#include "emu/machine/machine.hpp"
#include "hang/footprint.hpp"
#include "hang/livelock.hpp"

namespace kerr::hang {

using Kernel = arch::note::Launched::Kernel;

/// A hart, or a thread of the coprocessor, of a tile that matters.
struct AgentAt {
  enum class State : uint8_t {
    Blocked,   // waits, and will for as long as nobody changes what it waits for
    Spins,     // runs, and a proof says that it goes round in its loop for ever
    Runs,      // has something to do, or an alarm
    Paused,    // at ebreak or ecall
    Finished,  // has returned to the firmware, or to nobody; a thread without an instruction
  };
  size_t tile = 0;  // of Scene::tiles()
  emu::Agent agent = emu::Agent::Host;
  State state = State::Finished;
  const Kernel* kernel = nullptr;  // of a hart, if somebody said what it runs
  uint32_t pc = 0;                 // of a hart
  emu::WaitMask waits_for = 0;
  const Spin* spin = nullptr;  // what is known of a hart that runs
  std::string text;            // how the emulator describes the wait

  /// For what it does there is a cause.
  bool waits() const { return state == State::Blocked || state == State::Spins; }

  bool is_hart() const { return agent >= emu::Agent::Brisc && agent <= emu::Agent::Trisc2; }
  bool is_thread() const { return agent >= emu::Agent::Thread0 && agent <= emu::Agent::Thread2; }
  arch::Hart hart() const {
    return static_cast<arch::Hart>(static_cast<int>(agent) - static_cast<int>(emu::Agent::Brisc));
  }
  int thread() const { return static_cast<int>(agent) - static_cast<int>(emu::Agent::Thread0); }
};

struct TileAt {
  emu::TileId id;
  arch::NocCoord core;  // translated
  emu::Tile* tile = nullptr;
  const arch::note::Launched* launch = nullptr;
  bool unfinished = true;
  std::array<const Kernel*, arch::kHarts> kernels{};
  std::array<const Footprint*, arch::kHarts> footprints{};  // of each kernel
  std::array<size_t, emu::kAgents> agents{};                // indices into Scene::agents(); kNobody
};

/// The word that a load of the hart would give, if looking at it has no effect.
std::optional<uint32_t> peek(emu::Tile& tile, arch::Hart hart, uint32_t address, uint32_t bytes);

/// Looks at a machine, which must not run meanwhile. Of the tiles those of the question's programs or, if it has none,
/// all whose harts are out of reset.
class Scene {
 public:
  static constexpr size_t kNobody = ~size_t{0};

  /// `livelock`: what is known of the harts that run; it must outlive the scene.
  Scene(emu::Machine& machine, const arch::HangQuestion& question, const Livelock* livelock = nullptr);

  const std::vector<TileAt>& tiles() const { return tiles_; }
  const std::vector<AgentAt>& agents() const { return agents_; }
  const TileAt& tile_of(const AgentAt& agent) const { return tiles_[agent.tile]; }
  /// kNobody: no such agent.
  size_t agent(size_t tile, emu::Agent agent) const { return tiles_[tile].agents[static_cast<size_t>(agent)]; }
  std::optional<size_t> tile_at(emu::TileId id) const;
  bool knows_programs() const { return knows_programs_; }

  const check::Places& places() const { return places_; }
  /// "(1,2) TRISC0"
  std::string name(const AgentAt& agent) const;
  /// "f()+0x8  f.cpp:3" of a pc of its kernel, as much of it as is known.
  std::string place(const AgentAt& agent, uint32_t pc) const;
  /// The places of those of `pcs` that are of its kernel, each line of source once; the first of them.
  std::string places(const AgentAt& agent, const std::vector<uint32_t>& pcs) const;

  std::optional<uint32_t> peek(size_t tile, arch::Hart hart, uint32_t address, uint32_t bytes) const {
    return hang::peek(*tiles_[tile].tile, hart, address, bytes);
  }
  uint32_t stream(size_t tile, int stream, int reg) const;
  uint8_t hardware_semaphore(size_t tile, uint32_t index) const;
  /// A thread, or -1.
  int mutex_holder(size_t tile, uint32_t index) const;
  /// A register of a command buffer; `offset` as in arch::niu.
  uint32_t niu_word(size_t tile, int noc, int buffer, uint32_t offset) const;

 private:
  void add_all(emu::Machine& machine);
  void add_programs(emu::Machine& machine, const arch::HangQuestion& question);
  void add_tile(emu::Machine& machine, TileAt tile, const arch::note::Launched::Group* group);
  void add_agents(size_t tile);
  void add_hart(size_t tile, arch::Hart hart, const emu::AgentWait* wait);
  const Footprint* footprint_of(const Kernel& kernel);

  const Livelock* livelock_;
  bool knows_programs_ = false;
  check::Places places_;
  std::vector<TileAt> tiles_;
  std::vector<AgentAt> agents_;
  std::map<const image::Image*, std::unique_ptr<Footprint>> footprints_;
  std::map<emu::TileId, size_t> index_;
};

/// A register of a stream of a Tensix tile.
uint32_t stream_register(emu::Tile& tile, int stream, int reg);

}  // namespace kerr::hang
