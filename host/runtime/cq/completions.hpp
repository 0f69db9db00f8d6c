// What comes back from the device: events, and the data of reads. docs/hardware/fast-dispatch.md 11
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>

namespace kerr::host::cq {

/// Bytes that the device sends for a read, and where they go.
/// The stream holds pages of `stride` bytes of which the first `page` count, after `skip` bytes that nobody asked for.
struct PendingRead {
  std::byte* out = nullptr;
  uint64_t wanted = 0;  ///< bytes to deliver
  uint64_t length = 0;  ///< of the stream
  uint32_t skip = 0;
  uint32_t page = 0;
  uint32_t stride = 0;
  uint32_t tag = 0;  ///< echoed in the header

  /// Takes the stream's bytes from `position` on.
  void take(uint64_t position, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      size_t n = bytes.size();
      if (position < skip) {
        n = std::min<size_t>(n, skip - position);
      } else {
        const uint64_t row = (position - skip) / stride, in_row = (position - skip) % stride;
        n = std::min<size_t>(n, stride - in_row);
        const uint64_t to = row * page + in_row;
        if (in_row < page && to < wanted) {
          std::memcpy(out + to, bytes.data(), std::min<uint64_t>({n, page - in_row, wanted - to}));
        }
      }
      position += n;
      bytes = bytes.subspan(n);
    }
  }
};

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
