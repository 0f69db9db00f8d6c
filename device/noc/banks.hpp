// Where the pages of interleaved memory lie: page p in bank p % banks, the pages of a bank one behind the other.
// docs/hardware/noc.md 1.6 to 1.8
#pragma once

#include <stddef.h>

#include "arch/messages.hpp"
#include "device/noc/address.hpp"

namespace kerr::device {

// The banks of this board. Base firmware is told them, and keeps the tables in local RAM. Read with plain loads, so
// that a kernel that needs no banks does not read them.
struct Banks {
  uint32_t count;
  uint32_t reciprocal;    // 2^32 / count, rounded up
  const uint16_t* tiles;  // [noc][bank]: y << 6 | x

  FORCE_INLINE Banks(uint32_t banks, uint32_t table)
      : count(banks), reciprocal(~0u / banks + 1), tiles(reinterpret_cast<const uint16_t*>(table)) {}

  // Exact below 2^32 / count pages, which is more than any memory of that many banks holds.
  FORCE_INLINE uint32_t row_of(uint32_t page) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(page) * reciprocal >> 32);
  }
  FORCE_INLINE uint32_t tile(uint32_t bank, uint32_t noc) const { return tiles[noc * count + bank]; }
};

FORCE_INLINE uint32_t dram_bank_count() {
  return *reinterpret_cast<const uint8_t*>(kLayout.core_info + offsetof(arch::CoreInfo, dram_banks));
}
FORCE_INLINE uint32_t l1_bank_count() {
  const auto* info = reinterpret_cast<const uint8_t*>(kLayout.core_info);
  return info[offsetof(arch::CoreInfo, worker_grid_size_x)] * info[offsetof(arch::CoreInfo, worker_grid_size_y)];
}

static const Banks kDramBanks(dram_bank_count(), kAbi.dram_xy);
static const Banks kL1Banks(l1_bank_count(), kAbi.dram_xy + 4 * dram_bank_count());

template <bool kDram>
FORCE_INLINE const Banks& banks() {
  if constexpr (kDram) {
    return kDramBanks;
  } else {
    return kL1Banks;
  }
}

// Pages of a bank begin at multiples of it.
template <bool kDram>
inline constexpr uint32_t kPageAlignment = kDram ? 64 : 16;
template <bool kDram>
constexpr uint32_t aligned_page(uint32_t bytes) {
  return (bytes + kPageAlignment<kDram> - 1) & ~(kPageAlignment<kDram> - 1);
}

template <bool kDram>
FORCE_INLINE uint64_t page_address(uint32_t page, uint32_t base, uint32_t stride, uint32_t offset, uint32_t noc) {
  const Banks& b = banks<kDram>();
  const uint32_t row = b.row_of(page), bank = page - row * b.count;
  return get_noc_addr_helper(b.tile(bank, noc), base + row * stride + offset);
}

}  // namespace kerr::device

// How many banks this board has; not constants, as they are with tt-metal, which compiles for one board.
#define NUM_DRAM_BANKS (kerr::device::kDramBanks.count)
#define NUM_L1_BANKS (kerr::device::kL1Banks.count)
#define DRAM_ALIGNMENT 64
#define L1_ALIGNMENT 16

namespace kerr::device {

template <bool kDram>
struct TilesOfBanks {
  FORCE_INLINE const uint16_t* operator[](uint32_t noc) const {
    return banks<kDram>().tiles + noc * banks<kDram>().count;
  }
};
struct OffsetsOfBanks {
  constexpr uint32_t operator[](uint32_t) const { return 0; }
};

}  // namespace kerr::device

/// tt-metal's tables: [noc][bank] is y << 6 | x; offsets of banks are 0 on Blackhole.
inline constexpr kerr::device::TilesOfBanks<true> dram_bank_to_noc_xy;
inline constexpr kerr::device::TilesOfBanks<false> l1_bank_to_noc_xy;
inline constexpr kerr::device::OffsetsOfBanks bank_to_dram_offset, bank_to_l1_offset;

/// Address `bank_address` of bank `bank_id`.
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address, uint8_t noc = noc_index) {
  return get_noc_addr_helper(kerr::device::banks<DRAM>().tile(bank_id, noc), bank_address);
}
/// Pages of `page_size` bytes in DRAM, or in L1.
FORCE_INLINE uint64_t get_dram_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address,
                                        uint32_t offset = 0, uint8_t noc = noc_index) {
  return kerr::device::page_address<true>(id, bank_base_address, kerr::device::aligned_page<true>(page_size), offset,
                                          noc);
}
FORCE_INLINE uint64_t get_l1_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address, uint32_t offset = 0,
                                      uint8_t noc = noc_index) {
  return kerr::device::page_address<false>(id, bank_base_address, kerr::device::aligned_page<false>(page_size), offset,
                                           noc);
}
