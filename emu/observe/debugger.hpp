// What a machine tells a debugger (Machine::set_debugger).   docs/architecture.md "Debugging"
#pragma once

#include <cstdint>
#include <optional>

#include "arch/host_notes.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::emu {

class Machine;
struct Message;

/// Why a hart stands still, or who has touched what is watched.
struct Stop {
  enum class Why : uint8_t {
    Breakpoint,  // before the instruction at `address`
    Step,        // behind the one instruction that was asked for
    Write,       // behind the write of a watched byte, which is at `address`; the host's (Agent::Host): between windows
    Read,        // likewise a read
    Pause,       // at an ebreak or ecall, where the hart stays: `address`
    Fault,       // at the instruction that committed it: `address`
  };
  Why why = Why::Breakpoint;
  TileId tile;
  Agent agent = Agent::Host;  // a hart; of a write or read, whoever did it
  uint32_t address = 0;
  std::optional<TileId> sender{};  // of a write or read by a packet
  bool is_access() const { return why == Why::Write || why == Why::Read; }
};

/// Called on the one thread that then runs the machine. As long as a call lasts nothing happens on the
/// device, and when it returns the run goes on as if there had been no call: what a debugger only looks at changes
/// neither states nor cycles.
class Debugger {
 public:
  virtual ~Debugger() = default;
  /// In the middle of a tile's run: other tiles may be up to a window ahead of it.
  virtual void stopped(const Stop&) = 0;
  /// A server (a DRAM bank) has executed a request, between two windows. Told of every one.
  virtual void served(const Message& request) = 0;
  /// The host has written to a server, between two windows. Told of every write.
  virtual void host_wrote(TileId tile, uint64_t address, uint64_t bytes) = 0;
  /// The host stack says what it does, between two windows.
  virtual void noted([[maybe_unused]] const arch::note::Note& note, Cycle) {}
  /// Time has passed, and every tile has reached Machine::now().
  virtual void between_windows(Machine&) = 0;
  /// A chip has come into being, or anew by a reset: none of its tiles knows of what this one has asked for.
  virtual void chip_made(int chip) = 0;
};

}  // namespace kerr::emu
