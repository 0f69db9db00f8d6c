#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// The ring of 4 KiB pages in host memory through which events and data go back.    docs/hardware/fast-dispatch.md 11
namespace kerr::firmware {

// Pointers are NoC-local addresses in units of 16 bytes; a toggle flips on every wrap, so that full differs from empty.
template <auto& kWriter>
class CompletionQueue {
 public:
  template <class Report>
  void init() {
    const uint32_t size = KERR_CONFIG(completion_bytes);
    Report::require(
        KERR_CONFIG(completion_base) % cq::kL1Align == 0 && size % cq::kPageBytes == 0 && size >= 2 * cq::kPageBytes,
        CqError::ConfigMismatch, offsetof(cq::ConfigBlock, completion_bytes) / 4);
    begin_ = KERR_CONFIG(completion_base) >> 4;
    end_ = begin_ + (KERR_CONFIG(completion_bytes) >> 4);
    host_copy_ = KERR_CONFIG(region_base_lo) + cq::kHostCompletionQWr;
    const uint32_t word = load(cq::kDevCompletionQWrPtr);
    write_ = word & cq::kCompletionPointerMask;
    toggle_ = word & cq::kCompletionToggle;
  }

  uint32_t bytes() const { return (end_ - begin_) << 4; }

  // Sends `bytes` (at most the ring's size) from L1 `source` as whole pages: data first, then the pointer, on one path.
  void push(uint32_t source, uint32_t bytes) {
    const uint32_t units = align_up(bytes, cq::kPageBytes) >> 4;
    while (free_units() < units) fence();
    const Destination host = Destination::unicast(cq::kPcieNocXyAddr);
    const uint32_t first = min(bytes, (end_ - write_) << 4);
    kWriter.write(host, write_ << 4, source, first);
    if (bytes > first) kWriter.write(host, begin_ << 4, source + first, bytes - first);
    write_ += units;
    if (write_ >= end_) {
      write_ -= end_ - begin_;
      toggle_ ^= cq::kCompletionToggle;
    }
    store(cq::kDevCompletionQWrPtr, write_ | toggle_);
    drain_store(cq::kDevCompletionQWrPtr);
    kWriter.write(host, host_copy_, cq::kDevCompletionQWrPtr, 4);
    kWriter.flush();  // the pointer word and the data may be overwritten after this
  }

 private:
  uint32_t free_units() const {
    const uint32_t word = load(cq::kDevCompletionQRdPtr);
    const uint32_t read = word & cq::kCompletionPointerMask;
    const bool same_lap = (word & cq::kCompletionToggle) == toggle_;
    return same_lap ? (end_ - begin_) - (write_ - read) : read - write_;
  }

  uint32_t begin_, end_, host_copy_;
  uint32_t write_;
  uint32_t toggle_;
};

}  // namespace kerr::firmware
