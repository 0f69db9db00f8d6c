// Pages and tiles by address generator: a page each.
#pragma once

#include "device/noc/interleaved.hpp"
#include "device/noc/read.hpp"
#include "device/noc/write.hpp"

/// Reads page `id`, from `offset` bytes behind its begin to its end.
template <class AddrGen>
FORCE_INLINE void noc_async_read_page(uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
  noc_async_read(addrgen.get_noc_addr(id, offset, noc), dst_local_l1_addr, addrgen.bytes(), noc);
}
template <class AddrGen>
FORCE_INLINE void noc_async_read_tile(uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
  noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc);
}
/// Writes page `id`, or `size` bytes from `offset` on.
template <class AddrGen, bool kTracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint32_t size = 0, uint32_t offset = 0, uint8_t noc = noc_index) {
  noc_async_write<NOC_MAX_BURST_SIZE + 1, kTracing, posted>(src_local_l1_addr, addrgen.get_noc_addr(id, offset, noc),
                                                            size != 0 ? size : addrgen.bytes(), noc);
}
template <class AddrGen>
FORCE_INLINE void noc_async_write_tile(uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint8_t noc = noc_index) {
  noc_async_write_page(id, addrgen, src_local_l1_addr, 0, 0, noc);
}
