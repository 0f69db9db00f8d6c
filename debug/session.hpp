// One client's conversation: what it is answered, and when the machine is to run.   docs/guide/debugging.md
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "debug/target.hpp"

namespace kerr::debug {

/// All-stop: the machine stands from the moment a stop is told until the client resumes it. While it runs, a client has
/// nothing to say but Ctrl-C. A process has one thread, number 1.
///
/// Takes any packet: what is unknown is answered with "", what makes no sense with an error.
class Session {
 public:
  explicit Session(Target& target) : target_(target) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Takes back what was asked of the target.
  ~Session() { detach_all(); }

  /// The payloads of the answer, in order; none while the machine is to run.
  std::vector<std::string> handle(std::string_view packet);

  /// The client has resumed the machine and waits for a stop.
  bool runs() const { return runs_; }
  /// Where to: only a recorded run goes back.
  enum class Way : uint8_t { Forward, StepBack, ContinueBack };
  Way way() const { return way_; }
  /// It does not only step. (gdb steps over a breakpoint before it continues.)
  bool continues() const { return continues_; }
  /// It stands behind the access to what is watched that was told last, and has stepped past it.
  bool has_passed_touch() const { return passed_touch_; }
  bool has_attached(Pid pid) const { return attached_.contains(pid); }
  bool has_attached_any() const { return !attached_.empty(); }
  /// It has once resumed what it had attached, or has let go of all of it.
  bool has_begun() const { return begun_; }
  bool needs_acknowledgements() const { return acknowledges_; }
  /// The attached process that is to be shown if a stop concerns no other.
  Pid current() const;

  enum class Signal : uint8_t { Interrupt = 2, Illegal = 4, Trap = 5, Abort = 6 };
  /// A stop of an attached process. The payload to be sent; nothing if the client does not want to know of it: it steps
  /// through a range, or the condition of a breakpoint is false. `at_breakpoint`: before the instruction at pc.
  std::optional<std::string> stopped(Pid pid, Signal signal, bool at_breakpoint = false);
  /// A byte that it watches, at `address` of its process, has been written, or read.
  std::string touched(Pid pid, uint32_t address, bool is_read);
  /// It is where the client wanted it to be.
  std::string arrived() { return stop(current(), Signal::Trap, ""); }
  /// Recorded time goes no further, in this direction.
  std::string at_end_of_time(bool is_begin);
  /// Whether a process that has come to `pc` has a breakpoint there whose condition holds.
  bool breaks_at(Pid pid, uint32_t pc);
  /// The attached process that watches a byte for writes, or reads; nothing if none does.
  std::optional<Pid> watcher(const std::function<bool(Pid)>& can_see_it, uint32_t address, bool is_read) const;
  /// The run has ended. The payloads to be sent: one for each attached process, which exits with this status.
  std::vector<std::string> ended(unsigned status = 0);

 private:
  using Replies = std::vector<std::string>;
  struct Breakpoint {
    bool hardware = false;
    bool removed = false;                 // by the client, for a step of another process
    std::vector<std::string> conditions;  // agent expressions, one of which must not be zero; none: always
  };
  /// gdb takes it that a RISC-V stops in front of what is watched: it takes the watchpoint away, steps, and looks. Here
  /// it has been done when it is told, so the hart stays where it is in that step.
  struct TouchTold {
    Pid pid = 0;
    uint32_t address = 0;
    bool taken_away = false;  // the watchpoint
  };
  struct Attached {
    std::map<uint32_t, Breakpoint> breakpoints;
    std::vector<Target::Watch> watches;
    std::optional<std::pair<uint32_t, uint32_t>> range;  // it steps as long as pc is in it
  };

  std::optional<std::string> answer(std::string_view packet);
  std::optional<std::string> query(std::string_view packet);
  std::string transfer(std::string_view rest);
  std::string set_thread(std::string_view rest);
  std::string attach(std::string_view pid);
  std::string detach(std::string_view pid);
  void detach_all();
  void let_go(Pid pid);
  std::string registers();
  std::string write_registers(std::string_view digits);
  std::string one_register(std::string_view number);
  std::string write_one_register(std::string_view rest);
  std::string read_memory(std::string_view rest);
  std::string write_memory(std::string_view rest, bool binary);
  std::string checksum(std::string_view rest);
  std::string change_point(std::string_view rest, bool inserts);
  std::string change_breakpoint(uint32_t address, bool hardware, std::string_view conditions, bool inserts);
  void apply_breakpoints(Pid pid);
  const Target::Watch* watch_at(Pid pid, uint32_t address, bool is_read) const;
  std::string change_watch(const Target::Watch& watch, bool inserts);
  std::optional<std::string> resume(std::string_view actions);
  std::optional<std::string> resume_simply(char action, std::string_view address);
  std::optional<std::string> resume_backwards(Way way);
  void go(Way way);
  std::string stop(Pid pid, Signal signal, std::string_view why);
  Replies monitor(std::string_view digits);
  std::string files(std::string_view rest);
  std::string stop_reply(Pid pid, Signal signal, std::string_view why);
  bool condition_holds(Pid pid, const Breakpoint& breakpoint);

  Target& target_;
  std::map<Pid, Attached> attached_;
  Pid current_ = 0;  // of Hg; 0: any, which is
  Pid latest_ = 0;   // the one that was attached or has stopped last
  bool runs_ = false;
  Way way_ = Way::Forward;  // while it runs
  bool continues_ = false;  // likewise
  bool passed_touch_ = false;
  std::optional<TouchTold> touch_told_;  // by the last stop
  bool begun_ = false;
  bool acknowledges_ = true;
  bool knows_swbreak_ = false;
  std::string last_stop_;
  Replies console_;                         // before the answer of a monitor command
  std::map<uint32_t, std::string> opened_;  // by file descriptor: names
  uint32_t next_descriptor_ = 1;
};

}  // namespace kerr::debug
