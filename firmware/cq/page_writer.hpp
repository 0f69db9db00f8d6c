#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// The producer's end of a page buffer in another tile.                             docs/hardware/fast-dispatch.md 8.1
namespace kerr::firmware {

// A ring of pages in L1, and the credits for them.
struct PageBuffer {
  uint32_t base;
  uint32_t pages;
  uint32_t log2_page;
  uint32_t credit_sem;  // semaphore id here: pages that came back
  uint32_t page_sem;    // semaphore id in the consumer's tile: pages that were sent
};

// Free pages = credit + the semaphore, both free running; the consumer adds to the semaphore, acquire() takes from the
// credit, and looks at the semaphore only where what it knew last is not enough. Data and the count of pages behind
// them travel on one NoC and one virtual channel, so they arrive in order.
template <auto& kWriter, auto& kAtomics, PageBuffer kPlace>
class PageWriter {
 public:
  void init(uint32_t consumer_xy) {
    xy_ = consumer_xy;
    credit_ = 0;
    returned_ = load(kCreditSem);
    offset_ = 0;
    held_ = 0;
  }

  // Begins or continues a payload with `bytes` from L1 `source`. Full pages are handed over at once, so that a payload
  // may be longer than the buffer; `last` ends it: the rest of its last page stays unused. The source must not change
  // before the writer says that it has left. At most 64 pages at once always come free (8.3).
  void append(uint32_t source, uint32_t bytes, bool last) {
    if (last && !is_open() && bytes <= kPage) {  // as nearly all commands do
      acquire(1);
      kWriter.write(Destination::unicast(xy_), kPlace.base + offset_, source, bytes);
      move(kPage);
      return release(1);
    }
    const uint32_t needed = (in_page() + bytes + kPage - 1) >> kPlace.log2_page;
    if (needed > held_) acquire(needed - held_);
    const Destination to = Destination::unicast(xy_);
    const uint32_t first = min(bytes, kBytes - offset_);
    kWriter.write(to, kPlace.base + offset_, source, first);
    if (bytes > first) kWriter.write(to, kPlace.base, source + first, bytes - first);
    move(bytes);
    if (last) move((kPage - in_page()) & (kPage - 1));
    release(held_ - (in_page() != 0 ? 1 : 0));
  }

  // Takes and hands over `n` pages without content.
  void skip(uint32_t n) {
    acquire(n);
    move(n << kPlace.log2_page);
    release(n);
  }

  // True between a first append() and its last: the next byte goes into a page that has some.
  bool is_open() const { return in_page() != 0; }
  // Low bits of where the next byte goes, for the rule that both ends of a write are equal modulo 16.
  uint32_t next_address() const { return kPlace.base + offset_; }
  uint32_t pages_to_end() const { return kPlace.pages - (offset_ >> kPlace.log2_page); }

  // Gives up `n` pages until the other side adds them to the semaphore: nothing can be sent before.
  void lend(uint32_t n) { credit_ -= n; }

  // Until the consumer has returned every page.
  void wait_all_returned() const {
    while (credit_ + load(kCreditSem) != kPlace.pages) fence();
  }

 private:
  static constexpr uint32_t kPage = 1u << kPlace.log2_page;
  static constexpr uint32_t kBytes = kPlace.pages << kPlace.log2_page;
  static constexpr uint32_t kCreditSem = cq::sem_address(kLayout, kPlace.credit_sem);
  static constexpr uint32_t kPageSem = cq::sem_address(kLayout, kPlace.page_sem);

  uint32_t in_page() const { return offset_ & (kPage - 1); }
  void move(uint32_t bytes) {
    offset_ += bytes;
    if (offset_ >= kBytes) offset_ -= kBytes;
  }
  void acquire(uint32_t n) {
    if (!reached(credit_ + returned_, n)) {
      uint32_t returned;
      do {
        fence();
        returned = load(kCreditSem);
      } while (!reached(credit_ + returned, n));
      returned_ = returned;
    }
    credit_ -= n;
    held_ += n;
  }
  void release(uint32_t n) {
    if (n == 0) return;
    kAtomics.add(xy_, kPageSem, n);
    held_ -= n;
  }

  uint32_t xy_;
  uint32_t credit_;
  uint32_t returned_;  // the semaphore when it was last looked at
  uint32_t offset_;  // of the next byte
  uint32_t held_;    // pages acquired and not yet handed over
};

}  // namespace kerr::firmware
