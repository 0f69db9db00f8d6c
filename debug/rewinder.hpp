// A recorded run under a debugger, forwards and backwards.   docs/guide/debugging.md "Backwards"
#pragma once

#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "debug/gdb_server.hpp"
#include "debug/program.hpp"
#include "debug/repetition.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::debug {

/// What somebody who watches the machine knows, and what goes back with it: kept with each snapshot.
struct Beside {
  std::function<std::any()> keep = [] { return std::any(); };
  std::function<void(const std::any&)> restore = [](const std::any&) {};
};

/// Going back is going forward from a snapshot to where the machine was. A place in time is a window, and in it a hart
/// and how many instructions it had executed: the same in each repetition.
class Rewinder final : private Repetition {
 public:
  /// `machine`: fresh, and like the one that was recorded. `unfinished`: emu::Replay. `notes` is told each note of the
  /// log when time first comes to it. All must outlive it.
  /// Throws emu::SnapshotError.
  Rewinder(emu::Machine& machine, std::string log, bool unfinished, GdbServer& server,
           emu::NoteListener* notes = nullptr, Beside beside = {});
  ~Rewinder();

  /// Lets time pass up to the program's begin or the end of the log, waits for a client there, and does what it says
  /// until it has gone. `program.code` may be empty: nobody knows. Throws emu::SnapshotError if the log is damaged.
  void run(Program program);

 private:
  /// Each repetition brings all notes again, from the first on.
  struct NewNotes final : emu::NoteListener {
    emu::NoteListener* to = nullptr;
    uint64_t came = 0, told = 0;
    void noted(std::span<const uint8_t> bytes, emu::Cycle cycle) override {
      if (++came <= told) return;
      told = came;
      if (to != nullptr) to->noted(bytes, cycle);
    }
  };
  struct Snapshot {
    emu::Cycle cycle = 0;
    std::vector<uint8_t> bytes;
    std::any beside;
  };
  struct Hit {
    emu::Cycle window = 0;
    unsigned number = 0;  // among the hits of its window, from 1 on
    emu::Stop stop{};
    Pid process = 0;            // that is told
    Pid hart = 0;               // that has come there or has written; 0: another agent has
    uint64_t instructions = 0;  // of it
  };

  void repeat(emu::Cycle begin, emu::Cycle end, emu::Observer& observer,
              const std::function<void(emu::Machine&)>& look) override;
  void replay();
  bool advance();
  emu::Cycle next_stretch();
  bool go_to(emu::Cycle window);
  void keep_now_and_then();
  Snapshot taken();
  void restore(const Snapshot& snapshot);
  const Snapshot& latest_until(emu::Cycle cycle) const;
  std::optional<Hit> hit_of(const emu::Stop& stop);

  void go_to_cycle(emu::Cycle cycle);
  void go_back();
  void step_back(const GdbServer::Standing& from);
  bool approach(emu::Cycle window, bool& is_there);
  void continue_back(GdbServer::Standing from);
  std::optional<Hit> last_hit_until(const GdbServer::Standing& end);
  void stand_at(const Hit& hit);
  void stand_behind(Pid hart, uint64_t instructions);

  emu::Machine& machine_;
  const std::string log_;
  const bool unfinished_;
  GdbServer& server_;
  NewNotes notes_;
  const Beside beside_;
  std::optional<emu::Replay> replay_;
  std::vector<Snapshot> snapshots_;  // by cycle; the first is where the log begins
  Snapshot near_;                    // the begin of the window that was gone back to last
  std::chrono::milliseconds interval_{250};
  std::chrono::steady_clock::time_point kept_;
};

}  // namespace kerr::debug
