// A machine as a debugger's client sees it. Process 1 + 8 * n + hart is a hart of the n-th tile with harts: the Tensix
// tiles of the first chip in the order of NoC 0, its Ethernet tiles, then the next chip.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arch/ethernet_registers.hpp"
#include "debug/launches.hpp"
#include "debug/program.hpp"
#include "debug/repetition.hpp"
#include "debug/target.hpp"
#include "emu/machine/machine.hpp"
#include "hang/history.hpp"
#include "image/code_finder.hpp"

namespace kerr::debug {

class MachineTarget final : public Target {
 public:
  /// `debugger` is told of stops. It must outlive the machine.
  explicit MachineTarget(emu::Debugger& debugger) : debugger_(debugger) {}
  /// From now on there is a machine to look at. `code`: what its harts are about to run. `is_recorded`: it is only
  /// looked at.
  void begin(emu::Machine& machine, std::vector<Code> code, bool is_recorded);
  bool has_begun() const { return machine_ != nullptr; }
  emu::Machine* machine() const { return machine_; }
  /// The machine is about to be destroyed.
  void end();

  Pid pid_of(emu::TileId tile, arch::Hart hart) const;
  /// 0: it is no hart.
  Pid pid_of(const emu::Stop& stop) const;
  /// How many instructions the hart has executed. Of an existing pid.
  uint64_t instructions(Pid pid);
  emu::TileId tile_of(Pid pid) const { return place_of(pid)->tile; }
  /// The tile that runs right now: it is in the middle of its window. None: time stands between two windows.
  void set_running(std::optional<emu::TileId> tile);
  /// The access to what is watched at which the machine has stopped: for `monitor who`. Nothing: it has not.
  void set_access(std::optional<emu::Stop> access) { access_ = access; }
  /// What a server has done to DRAM that is watched: nothing, or the stop.
  std::optional<emu::Stop> dram_access(const emu::Message& request) const;
  /// The same of a write by the host.
  std::optional<emu::Stop> dram_write(emu::TileId tile, uint64_t address, uint64_t bytes) const;
  /// Whether a hart can see what is at stop.address of the stop's tile.
  bool can_see(Pid pid, const emu::Stop& stop) const;
  /// A chip was made anew: what was asked of its tiles is asked again.
  void ask_again();
  /// Harts of which begin() says nothing may run this.
  void look_for(std::vector<LooseCode> code) { loose_ = std::move(code); }
  /// What the host says of its launches.
  Launches& launches() { return launches_; }
  /// An observer of the machine, which must outlive it. nullptr: there is none.
  void set_history(const hang::History* history) { history_ = history; }
  /// Repeats a recorded run; it must outlive this. nullptr: this run is not recorded.
  void set_repetition(Repetition* repetition) { repetition_ = repetition; }
  /// The client wants the recorded run to be at this cycle when it next resumes it.
  std::optional<emu::Cycle> goes_to() const { return goes_to_; }
  void set_goes_to(std::optional<emu::Cycle> cycle) { goes_to_ = cycle; }

  // --- Target ---
  std::vector<Process> processes() override;
  bool exists(Pid pid) override { return place_of(pid).has_value(); }
  void attach(Pid pid) override;
  std::string name(Pid pid) override;
  std::vector<Library> libraries(Pid pid) override;
  std::string program() override;
  const std::string* file(std::string_view name) override;
  std::vector<uint32_t> registers(Pid pid) override;
  RegisterSet register_set(Pid pid) override;
  std::vector<uint32_t> one_register(Pid pid, uint32_t number) override;
  std::string write_register(Pid pid, uint32_t number, std::span<const uint32_t> words) override;
  uint32_t pc(Pid pid) override;
  size_t read(Pid pid, uint32_t address, std::span<uint8_t> out) override;
  bool write(Pid pid, uint32_t address, std::span<const uint8_t> bytes) override;
  bool set_breakpoints(Pid pid, std::vector<uint32_t> addresses) override;
  bool can_watch(Pid pid, const Watch& watch) override;
  void set_watches(Pid pid, const std::vector<Watch>& watches) override;
  void step(Pid pid, bool steps) override;
  bool is_recorded() const override { return is_recorded_; }
  std::string monitor(Pid pid, std::string_view command) override;

 private:
  struct Place {
    emu::TileId tile;
    arch::Hart hart = arch::Hart::Brisc;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// A place in a bank of DRAM: dram_windows.cpp.
  struct DramPlace {
    size_t bank = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;  // up to the end of what it sees
  };
  struct DramWatch {
    Watch watch;
    uint8_t chip = 0;
    DramPlace at;
    /// Where a client sees the first watched byte from `offset` of the bank on.
    uint32_t address_of(uint64_t offset) const {
      return watch.address + static_cast<uint32_t>(offset > at.offset ? offset - at.offset : 0);
    }
  };
  struct Asked {
    std::vector<uint32_t> breakpoints;
    std::vector<Watch> watches;
  };

  static int harts_of(emu::TileId tile) { return tile.y() == 1 ? arch::ethernet::kHarts : arch::kHarts; }
  std::optional<Place> place_of(Pid pid) const;
  emu::Tile& tile(emu::TileId id);
  const emu::Hart& hart(const Place& place) { return tile(place.tile).hart(place.hart); }
  emu::TileStops& stops(const Place& place);
  void changed(const Place& place);
  void ask(const Place& place, const Asked& asked);
  std::optional<DramPlace> dram_at(const Place& place, uint32_t address) const;
  size_t read_dram(const Place& place, const DramPlace& at, std::span<uint8_t> out);
  void find_dram_watches();
  bool is_in_bank(const DramWatch& watched, emu::TileId tile) const;
  const Code* code_of(const Place& place) const;
  std::shared_ptr<const image::Image> image_of(const Place& place);
  // loose_code.cpp
  std::vector<Code> found_on(const Place& place, const image::CodeFinder& finder) const;
  std::vector<Code> found_on(const Place& place);
  std::string where(const Place& place);

  // monitor.cpp
  std::string why(const Place& place);
  std::string who();
  std::string waits(const std::optional<Place>& place);
  std::string events(const Place& place, std::string_view arguments);
  std::string timeline(const Place& place, std::string_view arguments);
  std::string go_to(std::string_view arguments);
  emu::Cycle position(const Place& place);
  std::string repeated(emu::Cycle begin, emu::Observer& observer,
                       const std::function<std::string(emu::Machine&)>& text_of);
  std::string disassemble(const Place& place, std::string_view arguments);
  std::string semaphores(const Place& place);
  std::string noc(const Place& place);
  std::string dst(const Place& place, std::string_view arguments);
  std::string source(const Place& place, bool is_a, std::string_view arguments);
  std::string configuration(const Place& place, std::string_view words);
  std::string dram(const Place& place, std::string_view arguments);

  emu::Debugger& debugger_;
  emu::Machine* machine_ = nullptr;
  std::vector<Code> code_;
  bool is_recorded_ = false;
  std::vector<emu::TileId> tiles_;  // with harts
  std::optional<emu::TileId> running_;
  std::optional<emu::Stop> access_;
  std::vector<LooseCode> loose_;
  Launches launches_;
  const hang::History* history_ = nullptr;
  Repetition* repetition_ = nullptr;
  std::optional<emu::Cycle> goes_to_;
  std::array<uint64_t, arch::kDramBanks> dram_begins_{};  // of what a client sees of each bank
  std::vector<DramWatch> dram_watches_;
  std::map<Place, Asked> asked_;  // of every hart that was ever attached
  std::map<std::string, std::string, std::less<>> files_;
};

}  // namespace kerr::debug
