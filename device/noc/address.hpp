// Addresses of the NoC: 64 bits that hold a tile, or a rectangle of tiles, and an address in it.
#pragma once

#include "device/entry.hpp"
#include "device/noc/command.hpp"

namespace kerr::device {

// What base firmware keeps for each NoC, as an array. No variable: a reference to a fixed address would need a
// constructor.
template <uint32_t kAddress>
struct ByteOfNoc {
  FORCE_INLINE uint8_t operator[](uint32_t noc) const { return load<uint8_t>(kAddress + noc); }
};

}  // namespace kerr::device

/// Coordinates of this tile, by NoC (both are equal: they are translated).
inline constexpr kerr::device::ByteOfNoc<kerr::device::kAbi.my_x> my_x;
inline constexpr kerr::device::ByteOfNoc<kerr::device::kAbi.my_y> my_y;

#define NOC_XY_ENCODING(x, y) ((static_cast<uint32_t>(y) << 6) | static_cast<uint32_t>(x))
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
#define NOC_X_PHYS_COORD(x) (x)
#define NOC_Y_PHYS_COORD(y) (y)
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)
// What addresses must be multiples of, at both ends alike.                            docs/hardware/noc.md 3.3
#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#define NOC_DRAM_READ_ALIGNMENT_BYTES 64
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
#define NOC_PCIE_READ_ALIGNMENT_BYTES 64
#define NOC_PCIE_WRITE_ALIGNMENT_BYTES 16
#define NOC_ADDR_COORD_SHIFT 36
#define NOC_UNICAST_ADDR_X(addr) (static_cast<uint32_t>((addr) >> 36) & 0x3F)
#define NOC_UNICAST_ADDR_Y(addr) (static_cast<uint32_t>((addr) >> 42) & 0x3F)
#define NOC_LOCAL_ADDR_OFFSET(addr) (static_cast<uint32_t>(addr))
#define NOC_XY_ADDR(x, y, addr) ((static_cast<uint64_t>(NOC_XY_ENCODING(x, y)) << 36) | static_cast<uint64_t>(addr))

/// `addr` in tile (x, y), translated coordinates.
FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t = noc_index) {
  return NOC_XY_ADDR(noc_x, noc_y, addr);
}
/// The same with coordinates packed as y << 6 | x.
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t addr) {
  return static_cast<uint64_t>(noc_xy) << 36 | addr;
}
/// `addr` in this tile.
FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t = noc_index) {
  return get_noc_addr_helper(kerr_entry.xy, addr);
}

/// `addr` in every tile of a rectangle. On NoC 0 it starts at its smallest coordinates; on NoC 1, which counts the
/// other way, at its largest: a rectangle from small to large is there the complement of what is meant.
/// docs/hardware/noc.md 3.5
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end,
                                             uint32_t addr, uint8_t = noc_index) {
  return static_cast<uint64_t>(kerr::arch::niu::multicast_hi(x_start, y_start, x_end, y_end)) << 36 | addr;
}
#define NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end) \
  kerr::arch::niu::multicast_hi((x_start), (y_start), (x_end), (y_end))
#define NOC_MULTICAST_ADDR(x_start, y_start, x_end, y_end, addr) \
  get_noc_multicast_addr((x_start), (y_start), (x_end), (y_end), (addr))

/// Whether the address is memory, not a register, of its tile.
FORCE_INLINE bool is_l1_address(uint64_t addr) { return static_cast<uint32_t>(addr) < 0xFF00'0000; }
