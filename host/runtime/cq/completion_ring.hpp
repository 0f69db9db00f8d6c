// The host's end of the completion queue. docs/hardware/fast-dispatch.md 11
#pragma once

#include <cstdint>

#include "arch/cq_layout.hpp"

namespace kerr::host::cq {

/// Pointer arithmetic only. Pointers are NoC-local addresses in units of 16 bytes with a toggle in bit 31 that flips at
/// each wrap: equal words mean empty, equal addresses with different toggles mean full.
class CompletionRing {
 public:
  /// `base`: NoC-local address of the first page. `bytes`: a multiple of 4096.
  CompletionRing(uint32_t base, uint32_t bytes) : base_(base / 16), end_((base + bytes) / 16), read_(base_) {}

  /// The read pointer as the device knows it.
  uint32_t pointer() const { return read_ | (toggle_ ? arch::cq::kCompletionToggle : 0); }
  /// True if the device's write pointer says that a page is there.
  bool has_page(uint32_t device_write_pointer) const { return device_write_pointer != pointer(); }
  /// True if a write pointer can be one: inside the ring and at a page.
  bool is_possible(uint32_t device_write_pointer) const {
    const uint32_t at = device_write_pointer & arch::cq::kCompletionPointerMask;
    return at >= base_ && at < end_ && (at - base_) % arch::cq::kCompletionPageUnits == 0;
  }
  /// NoC-local address of the page to read.
  uint32_t page_address() const { return read_ * 16; }
  void pop_page() {
    read_ += arch::cq::kCompletionPageUnits;
    if (read_ >= end_) {
      read_ = base_;
      toggle_ = !toggle_;
    }
  }

 private:
  uint32_t base_, end_;  // units of 16 bytes
  uint32_t read_;
  bool toggle_ = false;
};

}  // namespace kerr::host::cq
