// A machine under a client that speaks the GDB remote serial protocol.   docs/guide/debugging.md
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "debug/connection.hpp"
#include "debug/machine_target.hpp"
#include "debug/packets.hpp"
#include "debug/session.hpp"
#include "emu/observe/debugger.hpp"

namespace kerr::debug {

/// Everything happens on the thread that runs the machine, inside its calls. Nothing of it changes what the machine
/// does, unless the client writes registers or memory.
class GdbServer final : public emu::Debugger {
 public:
  /// `interrupted`: asked while it waits for the client; true: it waits no longer, and the run goes on without it.
  /// Throws std::runtime_error if it cannot listen. `port` 0: any.
  explicit GdbServer(
      uint16_t port, std::function<bool()> interrupted = [] { return false; });
  /// It must be told of the machine's end before: end().
  ~GdbServer() override;

  uint16_t port() const { return connection_.port(); }
  /// The machine to be debugged, which stands between windows. Waits for a client until it lets the machine run:
  /// with `waits`, otherwise only if there is one.
  void begin(emu::Machine& machine, std::vector<Code> code, bool waits);
  /// A machine that repeats a recorded run: it stands whenever a client has not resumed it. Rewinder runs it.
  void begin_recorded(emu::Machine& machine, std::vector<Code> code);
  /// An observer of the machine, for `monitor events`; it must outlive the machine.
  void set_history(const hang::History* history) { target_.set_history(history); }
  /// Code that may run on harts of which begin() says nothing.
  void look_for(std::vector<LooseCode> code) { target_.look_for(std::move(code)); }
  /// What kernels print is shown on the client's console. False: nobody waits for a stop, and nothing was shown. What
  /// is printed while it goes back is not shown.
  bool print(std::string_view text);
  /// Called before the client is told of a stop: what kernels have printed is to come to print().
  void before_stops(std::function<void()> act) { before_stops_ = std::move(act); }
  /// The run goes no further, as `text` says: one more stop, if the client waits for one.
  void show(std::string_view text);
  /// The run has ended: its processes have exited with this status.
  void end(unsigned status = 0);

  void stopped(const emu::Stop& stop) override;
  void served(const emu::Message& request) override;
  void host_wrote(emu::TileId tile, uint64_t address, uint64_t bytes) override;
  void between_windows(emu::Machine& machine) override;
  void chip_made(int chip) override;
  void noted(const arch::note::Note& note, emu::Cycle cycle) override;

  // --- for Rewinder ---

  bool has_client() const { return session_.has_value(); }
  /// The client wants the machine to be where it was. Until search() stops are passed over.
  bool goes_back() const { return session_ && session_->runs() && session_->way() != Session::Way::Forward; }
  /// The same, or to a cycle of its choice.
  bool goes_away() const { return goes_back() || goes_to(); }
  std::optional<emu::Cycle> goes_to() const {
    return session_ && session_->runs() && session_->continues() ? target_.goes_to() : std::nullopt;
  }
  Session& session() { return *session_; }
  MachineTarget& target() { return target_; }
  /// Where the client last resumed the machine.
  struct Standing {
    emu::Cycle window = 0;            // in which it stood,
    std::optional<emu::Stop> stop{};  // here; none: at its begin
    unsigned outside = 0;             // if no agent of a tile has done what it is of: outside_in_window()
    bool past = false;                // the client has stepped past the access that the stop is of
    Pid pid = 0;                      // the process that was shown,
    uint64_t instructions = 0;        // and how many it had executed
  };
  const Standing& standing() const { return standing_; }
  /// Until it returns what the client is to be told, or the client has interrupted it, stops are its matter alone.
  using Search = std::function<std::optional<std::string>(const emu::Stop&)>;
  void search(Search search) { search_ = std::move(search); }
  bool searches() const { return search_ != nullptr; }
  /// The machine stands between two windows: the client is told so, and has the word. `keeps_access`: in front of the
  /// one that was told last.
  void stand(std::string_view payload, bool keeps_access = false);
  /// What a client is told of a stop that it wants to know of.
  std::optional<std::string> payload_of(const emu::Stop& stop);
  /// The attached process that watches what was written or read.
  std::optional<Pid> watcher_of(const emu::Stop& stop) const;
  /// The begin of the window to which a stop belongs that is told right now. The host acts before a window begins, and
  /// DRAM is served at its end.
  emu::Cycle window_of(const emu::Stop& stop) const;
  /// No agent of a tile has done it: the host has, or a bank of DRAM.
  bool is_outside(const emu::Stop& stop) const { return stop.agent == emu::Agent::Host || is_served(stop); }
  /// How many of those there have been in this window, by the host or by banks as this one.
  unsigned outside_in_window(const emu::Stop& stop) const { return outside_[stop.agent == emu::Agent::Host]; }
  /// The machine stands at the begin of another window.
  void forget_window() { outside_ = {}; }

 private:
  void take_client();
  void serve();
  void receive(bool waits);
  void let_go();
  void handle(const Event& event);
  void interrupt(Session::Signal signal);
  void send(std::string_view payload);
  bool stands() const;
  bool is_served(const emu::Stop& stop) const;

  const std::function<bool()> interrupted_;
  std::function<void()> before_stops_;
  Connection connection_;
  MachineTarget target_{*this};
  std::optional<Session> session_;
  PacketReader reader_;
  std::string last_;               // what was sent last, framed
  bool waits_ = false;             // for a client to begin
  bool stays_ = false;             // where it is as long as there is a client
  std::optional<emu::Stop> stop_;  // that the machine stands at
  Standing standing_;
  Search search_;
  std::array<unsigned, 2> outside_{};  // by banks of DRAM, by the host
  uint32_t windows_ = 0;               // since somebody looked whether a client has come
};

}  // namespace kerr::debug
