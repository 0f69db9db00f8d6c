// What the handles of this library mean: devices, their buffers, tensors and programs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/c/failure.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/supervision.hpp"
#include "emu/machine/input_log.hpp"
#include "graph/transfer.hpp"
#include "host/runtime/chip.hpp"
#include "jobs/device.hpp"
#include "loops/executable.hpp"
#include "loops/scratch.hpp"

namespace kerr::c {

class Device : public std::enable_shared_from_this<Device> {
 public:
  struct Settings {
    jobs::DeviceSpec spec;
    jobs::Watch watch = jobs::Watch::Nothing;
    std::optional<loops::Path> path;                 // of every program
    loops::Against check = loops::Against::Nothing;  // of every launch
    uint32_t max_harts = 0;                          // of a launch
    std::chrono::milliseconds between_callbacks{100};
    std::optional<uint64_t> launch_ms;  // limit of launches that name none; 0: none
    std::string record;                 // a file from power-on on; empty: none
  };
  explicit Device(Settings settings);
  ~Device();

  /// A call: alone on the device, supervised. After a failure that may have left programs running the device is reset.
  /// Throws Failure: WrongProcess, Busy, InvalidHandle (closed meanwhile), Device (it could not be reset).
  template <class Body>
  void call(std::string_view what, std::optional<TimeLimit> limit, Body&& body) {
    const std::unique_lock lock = enter();
    supervision_.begin(what, limit);
    try {
      body();
      supervision_.end();
    } catch (...) {
      supervision_.end();
      recover_from(std::current_exception());
      std::rethrow_exception(supervision_.with_limit_named(std::current_exception()));
    }
  }
  template <class Body>
  void call(std::string_view what, Body&& body) {
    call(what, std::nullopt, std::forward<Body>(body));
  }
  /// Throws Failure (WrongProcess) in a child of the process that opened it.
  void require_own_process() const;

  void close();
  void interrupt() { supervision_.interrupt(); }

  // Within a call.
  host::Chip& chip() { return *chip_; }
  const jobs::OpenDevice& opened() const { return *open_; }
  Supervision& supervision() { return supervision_; }
  void reset();
  void begin_recording(const std::string& path);
  void end_recording();
  void restore(const std::string& path);
  uint64_t cycles() const { return open_->cycles(); }
  /// -1 where cycles are no time.
  int64_t nanoseconds(uint64_t cycles) const;
  uint64_t resets() const { return resets_; }
  /// Memory that launches by tiles keep; with_room() gives it back.
  loops::Scratch& scratch() { return scratch_; }
  /// Returns allocate(): if the device's memory is too small, it is called again without the scratch.
  template <class Allocate>
  auto with_room(Allocate&& allocate) {
    try {
      return allocate();
    } catch (const host::OutOfDeviceMemory&) {
      if (scratch_.bytes() == 0) throw;
    }
    scratch_.release();
    return allocate();
  }
  void count(const loops::Launched& launched);
  struct Counts {
    uint64_t launches[3] = {};  // by path: definition, scalar, tiles
    uint64_t products = 0;      // of tiles
  };
  const Counts& counts() const { return counts_; }

  const Settings& settings() const { return settings_; }
  /// A name of arch/boards.hpp: what programs are compiled for.
  const std::string& board() const { return board_; }
  /// Throws Failure (Unsupported) for any but our own emulator.
  emu::Machine& machine() const;

 private:
  std::unique_lock<std::mutex> enter();
  void boot();
  void recover_from(const std::exception_ptr& thrown);

  const Settings settings_;
  const uint32_t process_;  // process_number() of its owner
  Supervision supervision_;
  std::mutex mutex_;  // of a call, and of all that follows
  bool closed_ = false;
  std::string broken_;  // why it cannot be used any more
  std::string board_;
  uint64_t resets_ = 0;
  std::optional<jobs::OpenDevice> open_;
  std::optional<SupervisedDevice> device_;
  std::shared_ptr<host::Allocators> allocators_;
  std::unique_ptr<host::Chip> chip_;
  loops::Scratch scratch_;
  Counts counts_;
  std::unique_ptr<emu::InputRecorder> recorder_;
};

/// Where a buffer lies, whole pages.
kerr_place place_of(const host::Buffer& buffer);

struct BufferObject {
  std::shared_ptr<Device> device;
  host::Buffer buffer;
  uint64_t bytes;
};

struct TensorObject {
  std::shared_ptr<Device> device;
  graph::DeviceMatrix matrix;
};

struct ProgramObject {
  std::shared_ptr<Device> device;
  loops::Executable executable;
};

}  // namespace kerr::c
