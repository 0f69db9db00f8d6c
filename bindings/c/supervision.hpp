// Ends calls that take too long, or that somebody interrupts, and tells how far they are.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arch/host_notes.hpp"
#include "bindings/c/kerr.h"
#include "host/device/pcie_device.hpp"

namespace kerr::c {

/// Whether this thread is within a progress callback.
bool in_callback();

/// How much wall time a call may take.
struct TimeLimit {
  TimeLimit(std::chrono::milliseconds most, std::string_view what_to_do = "") : wall(most), advice(what_to_do) {}
  std::chrono::milliseconds wall;
  std::string_view advice;  // follows the sentence that says that it has passed
};

/// Supervises the calls to one device, one at a time.
class Supervision {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Supervision(std::chrono::milliseconds between) : between_(between) {}

  void set_callback(kerr_progress callback, void* user) { callback_ = callback, user_ = user; }
  void set_cycles(std::function<uint64_t()> cycles) { cycles_ = std::move(cycles); }

  /// `what`: the call, for people.
  void begin(std::string_view what, std::optional<TimeLimit> limit);
  void end() { running_ = 0; }
  /// How far the call is, for its callbacks.
  void set_steps(uint64_t done, uint64_t total) { done_ = done, total_ = total; }
  /// By any thread, at any time: the call that runs ends at its next poll().
  void interrupt() { interrupted_ = running_.load(); }

  /// Called often by the call that runs; returns at once if none does. Throws Failure (Interrupted), DeviceError
  /// (Timeout).
  void poll();
  /// `thrown` has ended the call. If it is a Timeout because of the limit, the result has poll()'s sentence, also
  /// where others have replaced it by their own.
  std::exception_ptr with_limit_named(std::exception_ptr thrown) const;

 private:
  void tell(Clock::time_point now);

  const std::chrono::milliseconds between_;
  kerr_progress callback_ = nullptr;
  void* user_ = nullptr;
  std::function<uint64_t()> cycles_;
  std::string what_;
  Clock::time_point begin_, next_;
  std::optional<TimeLimit> limit_;
  std::string passed_;             // poll()'s sentence, once the limit of this call has passed
  uint64_t done_ = 0, total_ = 0;  // steps of the call; 0: it has none
  uint64_t calls_ = 0;
  std::atomic<uint64_t> running_{0}, interrupted_{0};  // numbers of calls; 0: none
};

/// A device that polls while it waits.
class SupervisedDevice final : public host::PcieDevice {
 public:
  SupervisedDevice(host::PcieDevice& device, Supervision& supervision) : device_(device), supervision_(supervision) {}

  /// Whether a wait has ended otherwise than by what it waited for, since the last call: programs may still be running.
  bool take_disturbed() { return std::exchange(disturbed_, false); }

  std::string name() const override { return device_.name(); }
  uint32_t config_read(uint32_t offset) override { return device_.config_read(offset); }
  void config_write(uint32_t offset, uint32_t value) override { device_.config_write(offset, value); }
  uint64_t bar_bytes(host::Bar bar) const override { return device_.bar_bytes(bar); }
  void read(host::Bar bar, uint64_t offset, std::span<std::byte> out) override { device_.read(bar, offset, out); }
  void write(host::Bar bar, uint64_t offset, std::span<const std::byte> bytes, host::Caching caching) override {
    device_.write(bar, offset, bytes, caching);
  }
  void flush() override { device_.flush(); }
  uint64_t pin(std::span<std::byte> memory) override { return device_.pin(memory); }
  void unpin(uint64_t noc_address) override { device_.unpin(noc_address); }
  host::WaitResult wait(const std::function<bool()>& condition, host::Deadline deadline) override;
  host::DeviceStatus status() override { return device_.status(); }
  bool wants_notes() const override { return device_.wants_notes(); }
  void note(const arch::note::Note& note) override { device_.note(note); }
  host::WindowOwner* window_owner() override { return device_.window_owner(); }
  std::unique_ptr<host::ResetPort> reset_port() override;

 private:
  host::PcieDevice& device_;
  Supervision& supervision_;
  bool disturbed_ = false;
};

}  // namespace kerr::c
