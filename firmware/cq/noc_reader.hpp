#pragma once

#include <stdint.h>

#include "firmware/common/niu.hpp"
#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// Reads into this tile's L1 through the read buffer of a NoC that this kernel alone reads on.   noc.md 2.2, 5.3
namespace kerr::firmware {

// Alignment that a read from a tile asks of both ends: DRAM and host memory 64, L1 16.
inline uint32_t read_alignment(uint32_t noc_xy_addr) {
  const uint32_t x = noc_xy_addr & 63;
  const uint32_t y = (noc_xy_addr >> 6) & 63;
  const bool is_tensix =
      x >= 1 && x <= 16 && y >= arch::kTensixFirstRow && y < arch::kTensixFirstRow + arch::kTensixRows;
  return is_tensix && address_mid(noc_xy_addr) == 0 ? cq::kL1Align : cq::kPcieAlign;
}

template <int kNoc>
class NocReader {
 public:
  void init() { requested_ = counter(kNoc, niu::kMstRdRespReceived); }

  // Starts reading `bytes` from `address` (upper half `mid`) of the tile `xy` to L1 `to`, in packets of at most 16 KiB.
  // Both ends are equal modulo 64 where the source is DRAM or host memory, modulo 16 where it is L1.
  void read(uint32_t xy, uint32_t mid, uint32_t address, uint32_t to, uint32_t bytes) {
    const CommandBuffer buffer(kNoc, kReadBuffer);
    while (bytes != 0) {
      const uint32_t n = min(bytes, niu::kMaxPacketBytes);
      buffer.wait_accepted();
      buffer.set(niu::kTargAddrLo, address);
      buffer.set(niu::kTargAddrMid, mid);
      buffer.set(niu::kTargAddrHi, xy & 0xFFF);
      buffer.set(niu::kRetAddrLo, to);
      buffer.set(niu::kAtLenBe, n);
      buffer.set(niu::kCtrl, niu::kCtrlWordRead);
      buffer.issue();
      ++requested_;
      address += n;
      to += n;
      bytes -= n;
    }
  }

  // Until everything requested has arrived.
  void barrier() const {
    while (counter(kNoc, niu::kMstRdRespReceived) != requested_) fence();
  }

 private:
  uint32_t requested_;
};

}  // namespace kerr::firmware
