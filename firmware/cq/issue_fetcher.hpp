#pragma once

#include <stdint.h>

#include "firmware/common/niu.hpp"
#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_reader.hpp"

// Records from the issue ring in host memory, in the order of the prefetch queue.    docs/hardware/fast-dispatch.md 4.3
namespace kerr::firmware {

// One entry's bytes at a time lie between command and end, whole and contiguous; the read of the next one may be
// under way behind them. An entry is freed when its bytes have arrived: a free entry means they are consumed (4.4).
// Host memory is far away, and one record is read at a time: what the next read needs is worked out, and given to the
// NIU, while one is under way, so that it starts as soon as that one has arrived.
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
    pending_ = {};
  }

  // Returns with the bytes of one entry, and the next read started if possible.
  void fetch() {
    while (command == end) {
      // What the host stalls for must be in the stalled entry.
      Report::require(!stalled, CqError::BadExecBuf, command);
      if (pending_.bytes == 0) {
        while (load<uint16_t>(entry_) == 0) fence();
        start_read();
      }
      complete_read();
    }
    if (pending_.bytes == 0 && !stalled) start_read();
  }

  // At the end: nobody waits for what has been read.
  void finish() {}

  // After EXEC_BUF, which has used the whole buffer: the stalled entry is done.
  void resume() {
    command = end = cq::kCmddatQ;
    stalled = false;
  }

 private:
  struct Read {
    uint32_t bytes;  // 0: none
    uint32_t entry;
    uint32_t host_end;  // of the record, low 32 bits
    bool stall;
  };

  // The read of the next entry into cmddat_q, its bytes to begin at `to`; none if the entry is not set, if it may not
  // be fetched yet, or for want of room. `idle`: nothing before it is left to be executed.
  [[gnu::always_inline]] Read next_read(uint32_t& to, bool idle) {
    const uint32_t value = load<uint16_t>(entry_);
    if (value == 0) return {};
    const bool stall = value & cq::kPrefetchQStallFlag;
    if (stall && !idle) return {};  // not before everything else is done
    const uint32_t size = (value & (cq::kPrefetchQStallFlag - 1u)) << 4;
    Report::require(
        size != 0 && size % cq::kPcieAlign == 0 && size <= cq::kCmddatQBytes && size <= issue_end_ - issue_base_,
        CqError::BadLength, value);
    if (to + size > cq::kCmddatQ + cq::kCmddatQBytes) {
      if (!idle) return {};  // unread commands left: not yet
      to = cq::kCmddatQ;
    }
    const uint32_t from = host_ptr_ + size > issue_end_ ? issue_base_ : host_ptr_;
    return {size, entry_, from + size, stall};
  }
  // `read` is under way.
  void started(const Read& read) {
    host_ptr_ = read.host_end;
    entry_ += cq::kPrefetchQEntryBytes;
    if (entry_ == cq::kPrefetchQ + cq::kPrefetchQBytes) entry_ = cq::kPrefetchQ;
    pending_ = read;
  }

  void start_read() {
    uint32_t to = end;
    const Read read = next_read(to, command == end);
    if (read.bytes == 0) return;
    if (to != end) command = end = to;
    kReader.read(cq::kPcieNocXyAddr, host_mid_, read.host_end - read.bytes, to, read.bytes);
    started(read);
  }

  void complete_read() {
    const Read read = pending_;
    uint32_t to = end + read.bytes;
    Read next = {};
    if (!read.stall) next = next_read(to, false);
    const bool prepared = next.bytes - 1 < niu::kMaxPacketBytes;  // else none, or of several packets: fetch() starts it
    if (prepared) kReader.prepare(cq::kPcieNocXyAddr, host_mid_, next.host_end - next.bytes, to, next.bytes);
    kReader.barrier();
    pending_.bytes = 0;
    if (prepared) {
      kReader.fire();
      started(next);
    }
    end += read.bytes;
    stalled = read.stall;
    store<uint16_t>(read.entry, 0);
    store(cq::kPrefetchQRdPtr, read.entry);
    store(cq::kPrefetchQPcieRdPtr, read.host_end);
  }

  uint32_t issue_base_, issue_end_;
  uint32_t host_mid_;
  uint32_t entry_;     // next prefetch_q entry to take up
  uint32_t host_ptr_;  // next byte of the issue ring, low 32 bits
  Read pending_;       // under way
};

}  // namespace kerr::firmware
