#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/interleaved.hpp"

// Commands from an interleaved DRAM buffer, read through cmddat_q.               docs/hardware/fast-dispatch.md 6.3
namespace kerr::firmware {

// A window onto the buffer that fills all of cmddat_q. A first part is waited for, the rest is read while it is
// executed; when a command does not lie in the window as a whole, the window begins again at that command.
template <class Report, auto& kReader>
class ExecBuf {
 public:
  ExecBuf(uint32_t base, uint32_t log2_page, uint32_t pages)
      : from_(true, base, 1u << log2_page, 0), bytes_(pages << log2_page) {
    position_ = 0;
    arrived_ = requested_ = 0;
  }

  // L1 address of the next command.
  uint32_t command() const { return cq::kCmddatQ + position_ - window_; }
  // Makes the next `n` bytes of the buffer available at command().
  void ensure(uint32_t n) {
    Report::require(n <= cq::kCmddatQBytes && n <= bytes_ - position_, CqError::BadStride, n);
    if (position_ + n <= arrived_) return;
    if (position_ + n <= requested_) return settle();
    settle();  // nothing may arrive late in what begins again
    window_ = position_;
    from_.seek(window_);
    requested_ = window_;
    request(n < kFirstBytes ? kFirstBytes : n);
    settle();
    request(cq::kCmddatQBytes);
  }
  void advance(uint32_t n) { position_ += n; }
  // Until no read is under way.
  void settle() {
    kReader.barrier();
    arrived_ = requested_;
  }

 private:
  static constexpr uint32_t kFirstBytes = 16 * 1024;

  // Reads on, up to `limit` bytes of the window.
  void request(uint32_t limit) {
    const uint32_t left = bytes_ - requested_;
    const uint32_t room = limit - (requested_ - window_);
    const uint32_t n = min(left, room);
    read_interleaved(kReader, from_, cq::kCmddatQ + requested_ - window_, n);
    requested_ += n;
  }

  Interleaved from_;
  uint32_t bytes_;
  uint32_t window_ = 0;  // offsets in the buffer: start of the window,
  uint32_t position_;    // next command,
  uint32_t arrived_;     // end of what is there,
  uint32_t requested_;   // end of what has been asked for
};

}  // namespace kerr::firmware
