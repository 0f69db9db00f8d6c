// The object forms of newer tt-metal kernels: experimental::CircularBuffer and experimental::Noc.
#pragma once

#include "device/circular_buffer.hpp"
#include "device/noc/barriers.hpp"
#include "device/noc/pages.hpp"
#include "device/noc/semaphores.hpp"

namespace experimental {

class CircularBuffer {
 public:
  explicit constexpr CircularBuffer(uint32_t id) : id_(id) {}

  constexpr uint32_t get_cb_id() const { return id_; }
  FORCE_INLINE void reserve_back(int32_t pages) const { cb_reserve_back(number(), pages); }
  FORCE_INLINE void push_back(int32_t pages) const { cb_push_back(number(), pages); }
  FORCE_INLINE void wait_front(int32_t pages) const { cb_wait_front(number(), pages); }
  FORCE_INLINE void pop_front(int32_t pages) const { cb_pop_front(number(), pages); }
  FORCE_INLINE bool pages_reservable_at_back(int32_t pages) const {
    return cb_pages_reservable_at_back(number(), pages);
  }
  FORCE_INLINE bool pages_available_at_front(int32_t pages) const {
    return cb_pages_available_at_front(number(), pages);
  }
  FORCE_INLINE uint32_t get_tile_size() const { return static_cast<uint32_t>(::get_tile_size(number())); }
  FORCE_INLINE uint32_t get_tile_hw() const { return ::get_tile_hw(number()); }
  FORCE_INLINE DataFormat get_dataformat() const { return ::get_dataformat(number()); }
  FORCE_INLINE uint32_t get_write_ptr() const { return ::get_write_ptr(id_); }
  FORCE_INLINE uint32_t get_read_ptr() const { return ::get_read_ptr(id_); }

 private:
  constexpr int32_t number() const { return static_cast<int32_t>(id_); }

  uint32_t id_;
};

/// `args` of a transfer: which page, and from which byte of it.
struct PageArgs {
  uint32_t page_id = 0;
  uint32_t offset_bytes = 0;
};
struct LocalArgs {
  uint32_t offset_bytes = 0;
};

// Reads go from pages of an address generator into a circular buffer (its write pointer), writes the other way (its
// read pointer).
class Noc {
 public:
  enum class BarrierMode { TXN_ID, FULL };
  enum class ResponseMode { NON_POSTED, POSTED };

  explicit constexpr Noc(uint8_t noc = noc_index) : noc_(noc) {}

  constexpr uint8_t get_noc_id() const { return noc_; }
  template <class Pages>
  FORCE_INLINE void async_read(const Pages& from, const CircularBuffer& to, uint32_t bytes, const PageArgs& source = {},
                               const LocalArgs& target = {}) const {
    noc_async_read(from.get_noc_addr(source.page_id, source.offset_bytes, noc_),
                   to.get_write_ptr() + target.offset_bytes, bytes, noc_);
  }
  template <class Pages>
  FORCE_INLINE void async_write(const CircularBuffer& from, const Pages& to, uint32_t bytes,
                                const LocalArgs& source = {}, const PageArgs& target = {}) const {
    noc_async_write(from.get_read_ptr() + source.offset_bytes,
                    to.get_noc_addr(target.page_id, target.offset_bytes, noc_), bytes, noc_);
  }
  FORCE_INLINE void async_read_barrier() const { noc_async_read_barrier(noc_); }
  FORCE_INLINE void async_write_barrier() const { noc_async_write_barrier(noc_); }
  FORCE_INLINE void async_writes_flushed() const { noc_async_writes_flushed(noc_); }
  FORCE_INLINE void async_atomic_barrier() const { noc_async_atomic_barrier(noc_); }
  FORCE_INLINE void async_full_barrier() const { noc_async_full_barrier(noc_); }

 private:
  uint8_t noc_;
};

}  // namespace experimental
