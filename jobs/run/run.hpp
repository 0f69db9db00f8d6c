// Code of one's own on harts of a chip, from its description to what it left behind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "arch/memory_map.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/program/program.hpp"
#include "image/image.hpp"
#include "jobs/device.hpp"
#include "jobs/listener.hpp"
#include "jobs/observation.hpp"
#include "jobs/run/cores.hpp"
#include "jobs/run/places.hpp"
#include "jobs/run/words.hpp"

namespace kerr::debug {
class GdbServer;
struct Program;
}  // namespace kerr::debug

namespace kerr::jobs {

struct RunKernel {
  image::Image image;
  std::string path{};                        // of the file that it was read from, for a debugger; may be empty
  std::shared_ptr<const std::string> elf{};  // that file, if it is an ELF file
  arch::Hart hart = arch::Hart::Brisc;
  Cores cores{};                                            // none: those of the job
  std::vector<Word> args{}, common_args{};                  // of each core; of all (arch/kernel_abi.hpp)
  std::map<arch::NocCoord, std::vector<Word>> core_args{};  // of cores that have others
  uint8_t noc = 0;                                          // host::KernelOptions
};

/// L1 at one address of every core of the run, or pages of DRAM round the banks.
struct RunBuffer {
  std::string name;
  host::Memory memory = host::Memory::L1;
  uint64_t bytes = 0;
  uint32_t page_bytes = 0;        // of DRAM
  std::vector<std::byte> data{};  // from its begin on; behind it is what was there
};

/// Bytes for a place, before anything runs.
struct RunLoad {
  PlacedData to;
  std::vector<std::byte> data;
};

/// The longest run if nothing else is asked for, in device cycles: 0.15 s of a chip at 1350 MHz.
inline constexpr uint64_t kMostCycles = 200'000'000;

struct RunJob {
  std::string name = "run";
  DeviceSpec device;
  /// No firmware: segments at their own addresses, and the harts leave reset at their entries. There are then no
  /// arguments, buffers and semaphores, and the device is the emulator.
  bool bare = false;
  Cores cores{"1,2"};
  std::vector<RunKernel> kernels;
  std::vector<host::CircularBuffer> circular_buffers;  // circular buffer 3 is a buffer of the name cb3
  std::vector<uint32_t> semaphores;                    // their first values; they are called by their numbers
  std::vector<RunBuffer> buffers;
  std::vector<RunLoad> loads;
  std::vector<PlacedData> dumps;  // where they go is the caller's business
  std::optional<uint64_t> cycles;
  /// report::ExecutionLog. Tiles then run on one thread. The emulator only.
  std::function<void(std::string_view lines)> log;
  debug::GdbServer* debugger = nullptr;  // waits for a client before the code runs. The emulator only
  debug::Program* program = nullptr;     // is told what a debugger of the recorded run wants to know
  Observing observing{};                 // a timeline: from the go signal to the end
};

/// A hart that a job has put code on, at the end.
struct RunHart {
  enum class End : uint8_t {
    Returned,  // to the firmware
    Paused,    // at ebreak or ecall
    Loops,     // a jump to itself, or another loop that nothing can end
    Waits,     // for something that does not come
    Runs,      // or would, if the device had not stopped with the fault of another
    Faulted,
  };
  arch::NocCoord core;
  arch::Hart hart = arch::Hart::Brisc;
  End end = End::Returned;
  uint32_t pc = 0;                    // where it is; returned: of its last instruction
  std::string where;                  // "main()+0x8  add.s:7", of pc; may be empty
  std::array<uint32_t, 32> x{}, f{};  // of f FP32 bits
  bool has_registers = false;         // they were asked for, and it has executed something
  uint64_t instructions = 0;  // of its code, and the cycle of the first and the last; known if registers or a log are
  uint64_t first_cycle = 0, last_cycle = 0;
};

/// One dump of the job, at one core if it is of all.
struct RunDump {
  size_t index = 0;                    // in RunJob::dumps
  std::optional<arch::NocCoord> core;  // none: DRAM
  uint64_t address = 0;                // of the first byte; in a bank, of a buffer in all of its banks
  std::vector<std::byte> bytes;        // not of registers: RunOutcome::harts
};

struct RunOutcome : Observation {
  enum class End : uint8_t {
    Finished,  // every kernel has returned; bare: every hart is paused or loops in place
    Faulted,
    Deadlocked,  // nothing can happen any more
    OutOfCycles,
  };
  End end = End::Finished;
  std::string summary, report;  // of what is not Finished: a sentence, and lines (host::DeviceError)
  std::string device, board;
  std::string timing;  // "relaxed" or "exact"; empty where the device does not tell
  uint64_t clock_mhz = arch::kAiclkBusyMhz;
  double boot_s = 0, run_s = 0;
  uint64_t boot_cycles = 0;
  uint64_t begin_cycle = 0, device_cycles = 0;  // from the go signal until the host has seen the end
  std::vector<RunHart> harts;                   // in the order of cores, then harts
  std::vector<RunDump> dumps;                   // in the order of RunJob::dumps, then cores

  double microseconds(uint64_t cycles) const { return static_cast<double>(cycles) / static_cast<double>(clock_mhz); }
};

/// A program that faults, hangs or does not end is an outcome. Throws std::invalid_argument or host::DeviceError with a
/// sentence for a job that cannot be run.
RunOutcome run(const RunJob& job, Listener& listener);
/// The exit status of kerr run, and of the processes that a debugger sees; 2 is of what could not be run.
int status_of(RunOutcome::End end);

}  // namespace kerr::jobs
