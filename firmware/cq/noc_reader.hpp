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
    while (bytes != 0) {
      const uint32_t n = min(bytes, niu::kMaxPacketBytes);
      prepare(xy, mid, address, to, n);
      fire();
      address += n;
      to += n;
      bytes -= n;
    }
  }
  // The same in two steps, for at most one packet; no other read in between.
  [[gnu::always_inline]] void prepare(uint32_t xy, uint32_t mid, uint32_t address, uint32_t to, uint32_t bytes) const {
    kBuffer.wait_accepted();
    kBuffer.set(niu::kTargAddrLo, address);
    kBuffer.set(niu::kTargAddrMid, mid);
    kBuffer.set(niu::kTargAddrHi, xy & 0xFFF);
    kBuffer.set(niu::kRetAddrLo, to);
    kBuffer.set(niu::kAtLenBe, bytes);
    kBuffer.set(niu::kCtrl, niu::kCtrlWordRead);
  }
  void fire() {
    kBuffer.issue();
    ++requested_;
  }

  // Until everything requested has arrived.
  void barrier() const {
    while (counter(kNoc, niu::kMstRdRespReceived) != requested_) fence();
  }

 private:
  static constexpr CommandBuffer kBuffer{kNoc, kReadBuffer};

  uint32_t requested_;
};

}  // namespace kerr::firmware
