// What a debugger's client can see and change of a machine. A process is a hart, by its number (pid).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::debug {

using Pid = uint32_t;  // from 1 on

/// A row of `info os processes`.
struct Process {
  Pid pid = 0;
  std::string name;   // "(1,2) BRISC"
  std::string state;  // "running, pc 0x4a1c"
  std::string code;   // the kernel that it was given; may be empty
};

/// A file with symbols, and where its segments lie.
struct Library {
  std::string name;                // what a client asks for: file()
  std::vector<uint32_t> segments;  // the address of each PT_LOAD
};

/// What registers a process has beside those of every hart: own_registers.hpp.
enum class RegisterSet : uint8_t { Tensix, Noc };

/// All calls are made while the machine stands. A pid that does not exist is refused like an address.
class Target {
 public:
  virtual ~Target() = default;

  virtual std::vector<Process> processes() = 0;
  virtual bool exists(Pid pid) = 0;
  /// From now on stops of an existing pid are told: its faults, its ebreaks, and what is asked for below.
  virtual void attach(Pid pid) = 0;
  /// "(1,2) BRISC".
  virtual std::string name(Pid pid) = 0;
  virtual std::vector<Library> libraries(Pid pid) = 0;
  /// The program of every process, which has libraries(): without one a client never asks for them.
  virtual std::string program() = 0;
  /// The contents of a file that program() or libraries() has named; null if there is none.
  virtual const std::string* file(std::string_view name) = 0;

  /// The first kRegisters of target_description(). Of an existing pid.
  virtual std::vector<uint32_t> registers(Pid pid) = 0;
  virtual RegisterSet register_set(Pid pid) = 0;
  /// The words of one of all registers, the lowest first; nothing if there is none of that number.
  virtual std::vector<uint32_t> one_register(Pid pid, uint32_t number) = 0;
  /// Empty: it is done. Otherwise why not.
  virtual std::string write_register(Pid pid, uint32_t number, std::span<const uint32_t> words) = 0;
  virtual uint32_t pc(Pid pid) = 0;
  /// How many bytes from `address` on could be read.
  virtual size_t read(Pid pid, uint32_t address, std::span<uint8_t> out) = 0;
  /// All of them, or nothing.
  virtual bool write(Pid pid, uint32_t address, std::span<const uint8_t> bytes) = 0;

  virtual bool set_breakpoints(Pid pid, std::vector<uint32_t> addresses) = 0;
  struct Watch {
    uint32_t address = 0, bytes = 0;
    bool reads = false, writes = true;  // what is watched for
    friend bool operator==(const Watch&, const Watch&) = default;
  };
  /// False: that memory cannot be watched.
  virtual bool can_watch(Pid pid, const Watch& watch) = 0;
  virtual void set_watches(Pid pid, const std::vector<Watch>& watches) = 0;
  virtual void step(Pid pid, bool steps) = 0;

  /// What runs is recorded: it can be gone through backwards, and not be changed.
  virtual bool is_recorded() const = 0;

  /// What `monitor COMMAND` prints. `pid` 0: of no process.
  virtual std::string monitor(Pid pid, std::string_view command) = 0;
};

/// target.xml. Each hart has the first kRegisters of it, which `g` sends; its own follow.
std::string_view target_description(RegisterSet set);
inline constexpr uint32_t kRegisters = 72;
inline constexpr uint32_t kPcRegister = 32;

}  // namespace kerr::debug
