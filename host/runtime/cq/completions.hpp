// What comes back from the device: events, and the data of reads. docs/hardware/fast-dispatch.md 11
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "host/runtime/cq/pending_read.hpp"

namespace kerr::host::cq {

/// Whether event `id` is `reached`, or came before it. Ids wrap: the difference is signed (11.4).
constexpr bool has_passed(uint32_t id, uint32_t reached) { return static_cast<int32_t>(reached - id) >= 0; }

/// Reads the pages of the completion ring in order. No device, no memory but that of the reads. Not thread-safe.
class Completions {
 public:
  /// A read whose data come next after those of the reads before; its tag is given out here and returned.
  uint32_t expect(PendingRead read);
  /// Event `id` will be of one sub-device only: others may still run when it comes.
  void expect_partial(uint32_t id) { partial_.push_back(id); }

  /// Takes one page of wire::kPageBytes: the next piece of a read, or the header of a read or an event. `written`: the
  /// device's write pointer, for the message. Throws DeviceError (Protocol) for what nobody has asked for.
  void take(std::span<const std::byte> page, uint32_t written, bool is_possible);

  /// The last event that has come, 0 before the first one; and the last one that was not of one sub-device only.
  uint32_t reached() const { return reached_; }
  uint32_t finished() const { return finished_; }

 private:
  void take_data(std::span<const std::byte> bytes);
  void take_event(uint32_t id);

  uint32_t reached_ = 0, finished_ = 0;
  std::deque<PendingRead> reads_;  // in the order of their data
  uint64_t position_ = 0;          // in the stream of the first one, header included; 0: between commands
  uint32_t next_tag_ = 0;
  std::deque<uint32_t> partial_;  // events to come
};

}  // namespace kerr::host::cq
