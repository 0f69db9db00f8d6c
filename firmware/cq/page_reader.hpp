#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// The dispatcher's end of the page buffer between prefetcher and dispatcher.      docs/hardware/fast-dispatch.md 8.2
namespace kerr::firmware {

// Pages arrive one by one and go back in blocks of 32, one block late: outgoing writes may still read a block that has
// just been finished.
template <auto& kWriter, auto& kAtomics>
class PageReader {
 public:
  static constexpr uint32_t kBase = cq::kDispatchCb;
  static constexpr uint32_t kBlockPages = cq::kDispatchCbPages / cq::kDispatchCbBlocks;
  static constexpr uint32_t kBlockBytes = kBlockPages * cq::kPageBytes;
  // Up to so far behind the start of any page of the buffer, consuming does not give that page back.
  static constexpr uint32_t kKeptBytes = kBlockBytes;

  // `upstream_xy`: tile of the producer, which counts returned pages in its semaphore `credit_sem`. It sends its first
  // page after this: it idles until the host has seen all kernels ready.
  void init(uint32_t upstream_xy, uint32_t credit_sem) {
    upstream_xy_ = upstream_xy;
    credit_sem_ = cq::sem_address(kLayout, credit_sem);
    fence_ = kBase;
    block_ = 0;
    taken_ = load(pages_sem());
    has_previous_ = false;
    mark_ = kWriter.issued();
  }

  // Waits for data at `ptr` and returns how many bytes are there: never more than up to the end of the current block.
  // Moves `ptr` from the end of the buffer to its start.
  uint32_t wait_data(uint32_t& ptr) {
    if (ptr == fence_) [[unlikely]] ptr = await_pages();
    return fence_ - ptr;
  }

  // Whether there are data at `ptr`, as far as can be said without leaving the current block.
  bool has_data(uint32_t ptr) {
    if (ptr != fence_) return true;
    if (fence_ == block_end()) return false;
    const uint32_t arrived = load(pages_sem());
    if (arrived == taken_) return false;
    take_over(arrived);
    return true;
  }

  // Hands the next `length` bytes from `ptr` on to emit(source, bytes), piece by piece. A piece ends at a block's end
  // or where the next pages have not arrived; `ptr` is a multiple of 4096 there, so pieces keep their low four bits.
  template <class Emit>
  void consume(uint32_t& ptr, uint32_t length, Emit emit) {
    while (length != 0) {
      const uint32_t n = min(wait_data(ptr), length);
      emit(ptr, n);
      ptr += n;
      length -= n;
    }
  }

  // At the end: gives back every page up to `ptr` (a page boundary) and requires that no more have come.
  void finish(uint32_t ptr) {
    release_previous();
    kWriter.flush();
    const uint32_t used = kBlockPages - (block_end() - ptr) / cq::kPageBytes;
    if (used != 0) give_back(used);
    while (load(pages_sem()) != taken_) fence();
  }

 private:
  // More bytes behind fence_; returns where they begin. Not inlined: callers that have data left keep their registers.
  [[gnu::noinline]] uint32_t await_pages() {
    if (fence_ == block_end()) {
      if (block_ == cq::kDispatchCbBlocks - 1) fence_ = kBase;
      release_previous();
      block_ = (block_ + 1) % cq::kDispatchCbBlocks;
    }
    uint32_t arrived;
    do {
      fence();
      arrived = load(pages_sem());
    } while (arrived == taken_);
    const uint32_t begin = fence_;
    take_over(arrived);
    return begin;
  }
  // `arrived`: what the semaphore says.
  void take_over(uint32_t arrived) {
    const uint32_t usable = min(arrived - taken_, (block_end() - fence_) / cq::kPageBytes);
    taken_ += usable;
    fence_ += usable * cq::kPageBytes;
  }

  static uint32_t pages_sem() { return cq::sem_address(kLayout, cq::kDispatchCbSem); }
  uint32_t block_end() const { return kBase + (block_ + 1) * kBlockBytes; }
  void give_back(uint32_t pages) {
    kAtomics.add(upstream_xy_, credit_sem_, pages);
  }
  void release_previous() {
    if (has_previous_) {
      kWriter.wait_sent(mark_);
      give_back(kBlockPages);
    }
    has_previous_ = true;
    mark_ = kWriter.issued();
  }

  uint32_t upstream_xy_;
  uint32_t credit_sem_;
  uint32_t fence_;         // end of the bytes taken over
  uint32_t block_;
  uint32_t taken_;         // pages taken over, free running
  uint32_t mark_;          // writes issued when the previous block was finished
  bool has_previous_;
};

}  // namespace kerr::firmware
