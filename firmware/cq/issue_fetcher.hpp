#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_reader.hpp"

// Records from the issue ring in host memory, in the order of the prefetch queue.    docs/hardware/fast-dispatch.md 4.3
namespace kerr::firmware {

// One entry's bytes at a time lie between command and end, whole and contiguous; the read of the next one may be
// under way behind them. An entry is freed when its bytes have arrived: a free entry means they are consumed (4.4).
template <class Report, auto& kReader>
class IssueFetcher {
 public:
  uint32_t command;  // next byte to execute
  uint32_t end;      // of the entry's bytes
  bool stalled;      // the entry carries the stall flag: nothing more is fetched until resume()

  void init() {
    issue_base_ = KERR_CONFIG(issue_base);
    issue_end_ = issue_base_ + KERR_CONFIG(issue_bytes);
    host_mid_ = KERR_CONFIG(region_base_hi);
    entry_ = cq::kPrefetchQ;
    host_ptr_ = issue_base_;
    command = end = cq::kCmddatQ;
    stalled = false;
    pending_bytes_ = 0;
  }

  // Returns with the bytes of one entry, and the next read started if possible.
  void fetch() {
    while (command == end) {
      // What the host stalls for must be in the stalled entry.
      Report::require(!stalled, CqError::kBadExecBuf, command);
      if (pending_bytes_ == 0) {
        while (load<uint16_t>(entry_) == 0) fence();
        start_read();
      }
      complete_read();
    }
    if (pending_bytes_ == 0 && !stalled) start_read();
  }

  // After EXEC_BUF, which has used the whole buffer: the stalled entry is done.
  void resume() {
    command = end = cq::kCmddatQ;
    stalled = false;
  }

 private:
  // Starts reading the record of the next entry, if the entry is set and there is room.
  void start_read() {
    const uint32_t value = load<uint16_t>(entry_);
    if (value == 0) return;
    const bool stall = value & cq::kPrefetchQStallFlag;
    if (stall && command != end) return;  // not before everything else is done
    const uint32_t size = (value & (cq::kPrefetchQStallFlag - 1u)) << 4;
    Report::require(size != 0 && size % cq::kPcieAlign == 0 && size <= cq::kCmddatQBytes &&
                        size <= issue_end_ - issue_base_,
                    CqError::kBadLength, value);
    if (end + size > cq::kCmddatQ + cq::kCmddatQBytes) {
      if (command != end) return;  // unread commands left: not yet
      command = end = cq::kCmddatQ;
    }
    if (host_ptr_ + size > issue_end_) host_ptr_ = issue_base_;
    kReader.read(cq::kPcieNocXyAddr, host_mid_, host_ptr_, end, size);
    host_ptr_ += size;
    pending_bytes_ = size;
    pending_entry_ = entry_;
    pending_stall_ = stall;
    entry_ += cq::kPrefetchQEntryBytes;
    if (entry_ == cq::kPrefetchQ + cq::kPrefetchQBytes) entry_ = cq::kPrefetchQ;
  }

  void complete_read() {
    kReader.barrier();
    end += pending_bytes_;
    pending_bytes_ = 0;
    stalled = pending_stall_;
    store<uint16_t>(pending_entry_, 0);
    store(cq::kPrefetchQRdPtr, pending_entry_);
    store(cq::kPrefetchQPcieRdPtr, host_ptr_);
  }

  uint32_t issue_base_, issue_end_;
  uint32_t host_mid_;
  uint32_t entry_;     // next prefetch_q entry to take up
  uint32_t host_ptr_;  // next byte of the issue ring, low 32 bits
  uint32_t pending_bytes_;
  uint32_t pending_entry_;
  bool pending_stall_;
};

}  // namespace kerr::firmware
