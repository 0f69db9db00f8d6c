#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"

// Records as prefetch_h sends them: whole pages in cmddat_q, each record behind a header.   fast-dispatch.md 21
namespace kerr::firmware {

// Same interface as IssueFetcher. Raw data go to `kRaw` at once.
template <class Report, auto& kWriter, auto& kAtomics, auto& kRaw>
class UpstreamFetcher {
 public:
  uint32_t command;
  uint32_t end;
  bool stalled;

  void init() {
    upstream_xy_ = KERR_CONFIG(prefetch_h_xy);
    command = end = cq::kCmddatQ;
    stalled = false;
    page_ = 0;
    taken_ = load(arrived_sem());
    pages_ = 0;
  }

  void fetch() {
    while (command == end) {
      Report::require(!stalled, CqError::BadExecBuf, command);
      give_back();
      next_record();
    }
  }

  void resume() {
    command = end;
    stalled = false;
  }

  // At the end: returns the pages of the last record.
  void finish() { give_back(); }

 private:
  static uint32_t arrived_sem() { return cq::sem_address(kLayout, cq::kPrefetchUpstreamCbSem); }

  void give_back() {
    if (pages_ == 0) return;
    kWriter.flush();  // what was relayed from them has left
    kAtomics.add(upstream_xy_, cq::sem_address(kLayout, cq::kPrefetchDownstreamCbSem), pages_);
    page_ += pages_;
    if (page_ >= cq::kCmddatPages) page_ -= cq::kCmddatPages;
    pages_ = 0;
  }

  void await_pages(uint32_t n) {
    while (!reached(load(arrived_sem()), taken_ + n)) fence();
  }

  void next_record() {
    const uint32_t at = cq::kCmddatQ + page_ * cq::kPageBytes;
    await_pages(1);
    const uint32_t length = load(at + offsetof(cq::SplitHeader, length));
    const uint32_t extra = load<uint8_t>(at + offsetof(cq::SplitHeader, extra_pages));
    pages_ = (length + sizeof(cq::SplitHeader) + cq::kPageBytes - 1) / cq::kPageBytes + extra;
    Report::require(page_ + pages_ <= cq::kCmddatPages, CqError::BadLength, length);
    await_pages(pages_);
    taken_ += pages_;
    command = end = at + sizeof(cq::SplitHeader);
    if (load<uint8_t>(at + offsetof(cq::SplitHeader, raw_copy)) != 0) {
      kRaw.append(command, length, load<uint8_t>(at + offsetof(cq::SplitHeader, more)) == 0);
    } else {
      end += length;
      stalled = load<uint8_t>(at + offsetof(cq::SplitHeader, stall)) != 0;
    }
  }

  uint32_t upstream_xy_;
  uint32_t page_;   // of the record in hand
  uint32_t pages_;  // of the record in hand
  uint32_t taken_;  // free running
};

}  // namespace kerr::firmware
