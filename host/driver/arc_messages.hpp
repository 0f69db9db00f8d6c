// Messages to the board's management controller. docs/hardware/host-pcie.md 5.2 to 5.5
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "host/driver/noc_io.hpp"

namespace kerr::host {

/// Codes that this host sends; byte 0 of a message.
enum class ArcCode : uint8_t {
  Test = 0x90,
  AiclkBusy = 0x52,
  AsicState0 = 0xA0,   ///< to work: sent when a chip is opened after a reset
  SetWatchdog = 0xC1,  ///< argument: milliseconds, 0 = off
};

struct ArcAnswer {
  uint8_t status = 0;  ///< below 240: the handler ran; its return value
  uint16_t exit_code = 0;
  std::array<uint32_t, 7> words{};  ///< what follows the first word
};

struct ArcOptions {
  Deadline boot = Deadline::milliseconds(2000);    ///< until the firmware takes messages
  Deadline answer = Deadline::milliseconds(1000);  ///< for each try
  uint32_t tries = 3;                              ///< the bell is rung again after each
};

/// One of the firmware's queues, by default the applications'. Thread-safe within a process; nothing keeps two
/// processes on one queue apart.
class ArcMessages {
 public:
  /// Sends nothing yet. `queue`: of those that the firmware has. `io` must outlive it.
  explicit ArcMessages(NocIo& io, uint32_t queue = 3, const ArcOptions& options = {});

  /// Sends a message and waits for its answer. Throws DeviceError: Timeout if the firmware does not boot, does not
  /// make room or does not answer after all tries (Deadlock where the device tells that it never will); Protocol if
  /// the chip has gone or the queue's words are impossible. An answer that comes after its time-out is dropped by the
  /// next send(). A message that the firmware does not know is no exception: see ArcAnswer::status.
  ArcAnswer send(ArcCode code, std::span<const uint32_t> arguments = {});
  /// The same, and Protocol unless the firmware knows the message and handled it.
  ArcAnswer require(ArcCode code, std::span<const uint32_t> arguments = {});

 private:
  struct Queue {
    uint32_t address;
    uint32_t entries;
  };
  Queue find_queue();
  uint32_t pointer(const Queue& queue, uint32_t word, const char* name);
  void ring();

  NocIo& io_;
  uint32_t index_;
  ArcOptions options_;
  std::mutex mutex_;
};

}  // namespace kerr::host
