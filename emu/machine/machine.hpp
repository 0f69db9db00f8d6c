// The machine: one or several chips, and the loop that lets time pass.   docs/architecture.md "Time"
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "emu/chip/chip.hpp"
#include "emu/cycle.hpp"
#include "emu/machine/input.hpp"
#include "emu/machine/thread_choice.hpp"
#include "emu/machine/waits.hpp"
#include "emu/machine/worker_pool.hpp"
#include "emu/noc/exact_fabric.hpp"
#include "emu/noc/reorder.hpp"
#include "emu/observe/debugger.hpp"
#include "emu/observe/fault.hpp"
#include "emu/observe/observer.hpp"
#include "emu/observe/remark.hpp"
#include "emu/options.hpp"

namespace kerr::emu {

/// The whole simulated machine. Not thread-safe: one caller at a time, which may be a different thread each time.
///
/// Time passes in whole windows and only inside advance() and step(). Accesses to BARs take effect at once, at now().
/// Results depend on the boards, the timing and its parameters, the window of relaxed timing, the FP16 fault, the seed
/// of noc_reorder, the icache, strictness and what the host does at which cycle; never on shards, threads or parking.
class Machine {
 public:
  /// Throws std::invalid_argument for what Options::check() refuses, and for an impossible board.
  explicit Machine(Options options);
  ~Machine();

  int chips() const { return static_cast<int>(state_.chips.size()); }
  /// "chip 1 " in front of what is on it; empty if there is one chip only.
  std::string name_of_chip(int chip) const;
  Chip& chip(int index) { return *state_.chips[static_cast<size_t>(index)]; }
  const Options& options() const { return options_; }
  /// The end of a link between chips, until its chip is reset. It may answer a request with messages of any chip, whose
  /// `source` is a node of the chip on which they travel, sent at the request's arrival or later.
  void attach(TileId node, std::unique_ptr<Server> end) {
    chip(node.chip).attach(node.node, std::move(end));
    find_next_request();
  }

  // --- time --------------------------------------------------------------------------------------------------------

  /// A multiple of the window.
  Cycle now() const { return state_.now; }
  /// Raises the target by `cycles` and runs whole windows until now() has reached it: how a caller slices its calls
  /// changes nothing. Returns early only if the machine faults.
  void advance(Cycle cycles);
  /// Skips the time in which nothing can happen, then runs one window; does not start one at or after `limit`.
  void step(Cycle limit);

  // --- state -------------------------------------------------------------------------------------------------------

  /// True once something on the device has gone wrong; time does not pass from then on. The smallest fault comes first.
  bool faulted() const { return !state_.faults.empty(); }
  const std::vector<Fault>& faults() const { return state_.faults; }
  /// What the programs hold that silicon takes no notice of, since power-on: one for each kind, in the order in which
  /// they came first. Slow.
  struct Remarks {
    std::vector<Remark> remarks;
    uint64_t further = 0;  // times of others, of which a tile had too many
  };
  Remarks remarks() const;
  /// Whether some tile has a remark that it had not before the last call.
  bool take_remark_news() { return remark_seen_.exchange(false, std::memory_order_relaxed); }
  /// Nothing can happen any more until the host does something.
  bool quiescent() { return next_event() == kNever; }
  /// The earliest cycle at which anything can happen.
  Cycle next_event();
  /// The same, if harts that run did not: kNever if nothing can happen but what such harts bring about.
  Cycle next_event_beside_running();
  /// What each agent waits for, in all tiles that have a waiting agent or a running hart.
  std::vector<TileWaits> waits();
  TileCounters counters(int chip);

  /// A hash of all that a snapshot holds, except what depends on parking: equal for equal runs. Slow.
  uint64_t state_hash();
  /// All state to or from an archive (snapshot.hpp makes files of it). Loading throws SnapshotError, and then nothing
  /// has changed; afterwards references to chips and tiles are no longer good.
  void save(Archive& archive);
  void load(
      Archive& archive, const std::function<void()>& check_end = [] {});

  // --- the host's side ---------------------------------------------------------------------------------------------

  uint32_t config_read(int chip, uint32_t offset) { return this->chip(chip).function.config_read(offset); }
  /// May reset the chip.
  void config_write(int chip, uint32_t offset, uint32_t value);
  std::optional<Fault> read(int chip, Bar bar, uint64_t offset, std::span<uint8_t> out);
  std::optional<Fault> write(int chip, Bar bar, uint64_t offset, std::span<const uint8_t> bytes);
  /// The same without TLB windows, by the coordinate that programs on NoC 0 use.
  std::optional<Fault> read_coordinate(int chip, uint32_t x, uint32_t y, uint64_t address, std::span<uint8_t> out);
  std::optional<Fault> write_coordinate(int chip, uint32_t x, uint32_t y, uint64_t address,
                                        std::span<const uint8_t> bytes);
  /// Everything on the chip back to power-on, packets under way included; faults of the machine are forgotten.
  void reset(int chip);

  // --- all input can be recorded (input_log.hpp) -------------------------------------------------------------------

  /// The sink that is told every input from now on; nullptr: none.
  void set_input_sink(InputSink* sink) { sink_ = sink; }
  /// Is told of stops from now on, and then tiles run on one thread. It must outlive the machine. nullptr: nobody.
  void set_debugger(Debugger* debugger);
  Debugger* debugger() const { return debugger_; }
  /// Instead of Options::host_memory. nullptr: none.
  void set_host_memory(HostMemory* memory) { host_.set_memory(memory); }
  /// How many inputs there were since power-on, host memory included.
  uint64_t inputs() const { return state_.inputs; }
  /// Which ones they were, as far as somebody listened: fold() of them.
  uint64_t run() const { return state_.run; }

 private:
  friend void run_reference_window(Machine& machine, Cycle end);

  struct ActiveTile {
    Tile* tile;
    Cycle* next_event;
  };
  struct Shard;

  /// What of a machine is state; the rest is options and the tools of the window loop.
  struct State {
    Cycle now = 0, target = 0;
    uint64_t inputs = 0, run = 0;
    std::vector<Fault> faults;
    FaultLog server_faults;
    std::vector<Message> responses;  // of servers, not yet sent
    std::vector<std::unique_ptr<Chip>> chips;
    std::vector<std::unique_ptr<ExactFabric>> fabrics;  // one a chip in exact timing, none in relaxed
    void serialize(Archive& archive);
  };

  State at_power_on();
  void tell_of_chips();
  void reset_now(int index);
  std::unique_ptr<Chip> make_chip(int index, Cycle now);
  std::unique_ptr<ExactFabric> make_fabric() const;
  void set_time(Cycle now);
  void take_up_changes();
  void find_next_request();
  Cycle next_event_between_tiles() const;
  void step(Cycle limit, Cycle run_ahead_limit);
  Cycle find_active(Cycle end);
  void run_window(Cycle end, Cycle run_ahead_limit);
  void run_shards(Cycle end);
  void run_in_pool(Cycle end);
  Cycle run_ahead(ActiveTile& lone, Cycle end, Cycle limit);
  void run_tile(ActiveTile& active, Cycle end);
  // between_windows.cpp
  void exchange(Outbox& outbox);
  void route(Message&& message);
  void pass_time(Cycle end);
  void send_responses();
  void note_faults(Tile& tile) {
    if (tile.faults().any()) fault_seen_.store(true, std::memory_order_relaxed);
    if (tile.remarks().take_news()) remark_seen_.store(true, std::memory_order_relaxed);
  }
  void collect_faults();

  void note(Input&& input);
  template <class Access>
  std::optional<Fault> told(Input&& input, Chip& chip, std::span<const uint8_t> out, Access access);
  std::vector<uint8_t> copy_for_sink(std::span<const uint8_t> bytes) const;

  const Options options_;
  const Reorder reorder_;
  const Cycle window_;
  const Cycle lookahead_;  // nothing sent at or after a window's end takes effect sooner after it
  std::shared_ptr<DecodedLines> lines_;
  InputSink* sink_ = nullptr;
  Debugger* debugger_ = nullptr;
  HostPort host_;
  State state_;

  // The window loop.
  WorkerPool pool_;
  ThreadChoice thread_choice_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<ActiveTile> active_;
  Cycle next_request_ = kNever;  // the earliest arrival at any server
  std::vector<Message> delivered_;
  std::atomic<bool> fault_seen_{false};  // in some tile's log
  std::atomic<bool> remark_seen_{false};
};

}  // namespace kerr::emu
