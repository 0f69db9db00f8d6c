// Address generators of interleaved buffers (host::Chip::allocate()).
#pragma once

#include "device/formats.hpp"
#include "device/noc/banks.hpp"

/// Pages of any size.
template <bool DRAM>
struct InterleavedAddrGen {
  static constexpr bool is_dram = DRAM;
  uint32_t bank_base_address;  // of the buffer: the same in each bank
  uint32_t page_size;          // bytes
  uint32_t aligned_page_size = kerr::device::aligned_page<DRAM>(page_size);

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return kerr::device::page_address<DRAM>(id, bank_base_address, aligned_page_size, offset, noc);
  }
  FORCE_INLINE uint32_t bytes() const { return page_size; }
};

/// Pages of 1 << log_base_2_of_page_size bytes.
template <bool DRAM>
struct InterleavedPow2AddrGen {
  static constexpr bool is_dram = DRAM;
  uint32_t bank_base_address;
  uint32_t log_base_2_of_page_size;
  uint32_t aligned_log_base_2_of_page_size =
      __builtin_ctz(kerr::device::aligned_page<DRAM>(1u << log_base_2_of_page_size));

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return kerr::device::page_address<DRAM>(id, bank_base_address, 1u << aligned_log_base_2_of_page_size, offset, noc);
  }
  FORCE_INLINE uint32_t bytes() const { return 1u << log_base_2_of_page_size; }
};

/// Tiles. The page holds page_size bytes; the format is taken and not needed.
template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
  static constexpr bool is_dram = DRAM;
  uint32_t bank_base_address;
  uint32_t page_size;
  DataFormat data_format;

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return kerr::device::page_address<DRAM>(id, bank_base_address, kerr::device::aligned_page<DRAM>(page_size), offset,
                                            noc);
  }
  FORCE_INLINE uint32_t bytes() const { return page_size; }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast : InterleavedPow2AddrGen<DRAM> {};

template <bool DRAM, uint32_t page_size>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr) {
  return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
}
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t page_size, uint32_t log2_page_size) {
  if constexpr (is_size_pow2) {
    return InterleavedPow2AddrGen<DRAM>{.bank_base_address = base_addr, .log_base_2_of_page_size = log2_page_size};
  } else {
    return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
  }
}
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t size) {
  return get_interleaved_addr_gen<DRAM, is_size_pow2>(base_addr, size, size);
}

/// Where a page is, by any address generator that has get_noc_addr().
template <class AddrGen>
FORCE_INLINE auto get_noc_addr(uint32_t id, const AddrGen& addrgen, uint32_t offset = 0, uint8_t noc = noc_index)
    -> decltype(addrgen.get_noc_addr(id, offset, noc)) {
  return addrgen.get_noc_addr(id, offset, noc);
}
