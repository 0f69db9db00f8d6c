#pragma once

#include <stdint.h>

#include "arch/cq.hpp"
#include "firmware/common/niu.hpp"
#include "firmware/cq/config.hpp"

// Sending from a queue kernel: one command buffer of one NoC each for writes, reads and atomics, with the software
// counters that tell when data have left and when they have arrived.   docs/hardware/fast-dispatch.md 14, noc.md 5.3
namespace kerr::firmware {

// Upper address half that a noc_xy_addr field asks for.
constexpr uint32_t address_mid(uint32_t noc_xy_addr) { return (noc_xy_addr >> 24) & 1 ? cq::kRegionBaseHi : 0; }

// Where a write goes: coordinates and upper address half, and how it travels.
struct Destination {
  uint32_t hi = 0;   // RET_ADDR_HI: a tile, or the corners of a rectangle
  uint32_t mid = 0;  // upper half of the address
  uint32_t receivers = 1;
  bool multicast = false;

  // From the noc_xy_addr field of a command; bit 24 means host memory. `high`: upper half of a 64-bit address.
  static Destination unicast(uint32_t noc_xy_addr, uint32_t high = 0) {
    return {noc_xy_addr & 0xFFF, high | address_mid(noc_xy_addr), 1, false};
  }
  static Destination rectangle(uint32_t noc_xy_addr, uint32_t receivers) {
    return {noc_xy_addr & 0xFFFFFF, 0, receivers, true};
  }
};

inline constexpr uint32_t kDispatchMulticastVc = 5;

// Non-posted writes through buffer 0 of a NoC that this kernel alone writes on.
template <int kNoc>
class NocWriter {
 public:
  void init() {
    issued_ = counter(kNoc, niu::kMstNonpostedWrReqSent);
    acked_ = counter(kNoc, niu::kMstWrAckReceived);
  }

  // Sends `bytes` from L1 `source` to `to` at `address` (equal modulo 16), in packets of at most 16 KiB.
  void write(const Destination& to, uint32_t address, uint32_t source, uint32_t bytes) {
    while (bytes != 0) {
      const uint32_t n = min(bytes, niu::kMaxPacketBytes);
      bytes -= n;
      uint32_t ctrl = niu::kCtrlWordWrite;
      if (to.multicast) ctrl = kMulticast | (bytes != 0 ? niu::kCtrlVcLinked : 0);
      kBuffer.wait_accepted();
      direct(to);
      set_packet(address, source, n, ctrl);
      fire(to.receivers);
      source += n;
      address += n;
    }
  }

  // A multicast in steps: prepare_multicast() sets all, fire() sends it.
  void prepare_multicast(const Destination& to, uint32_t address, uint32_t source, uint32_t bytes) const {
    kBuffer.wait_accepted();
    direct(to);
    set_packet(address, source, bytes, kMulticast);
  }
  void fire(uint32_t receivers) {
    kBuffer.issue();
    issued_ += 1;
    acked_ += receivers;
  }
  // A part of a train to one rectangle, whose coordinates last until something else is written through the buffer; the
  // path stays reserved while more is `linked` to it. What `begins` one sets them, and waits for all writes when
  // nothing else is left to do: the path may be reserved then (7.4).
  [[gnu::always_inline]] void write_train(bool begins, uint32_t corners, uint32_t receivers, uint32_t address,
                                          uint32_t source, uint32_t bytes, bool linked) {
    do {
      const uint32_t n = min(bytes, niu::kMaxPacketBytes);
      bytes -= n;
      kBuffer.wait_accepted();
      set_packet(address, source, n, kMulticast | (linked || bytes != 0 ? niu::kCtrlVcLinked : 0));
      if (begins) {
        direct({corners, 0, receivers, true});
        barrier();
        begins = false;
      }
      fire(receivers);
      source += n;
      address += n;
    } while (bytes != 0);
  }

  // The same number of bytes, at most one packet, to the same address in one tile after another: what they have in
  // common is set once. No other write through the buffer in between, unless restart() follows it.
  class Series {
   public:
    Series(NocWriter& writer, uint32_t address, uint32_t bytes) : writer_(writer), address_(address), bytes_(bytes) {
      restart();
    }
    void restart() const {
      kBuffer.wait_accepted();
      kBuffer.set(niu::kRetAddrLo, address_);
      kBuffer.set(niu::kRetAddrMid, 0);
      kBuffer.set(niu::kAtLenBe, bytes_);
      kBuffer.set(niu::kCtrl, niu::kCtrlWordWrite);
    }
    // To the tiles that `count` words from `tiles` on name, from `source` on, `stride` apart. Ends before a word that
    // means host memory; returns how many were sent. The next word is loaded while one is sent.
    uint32_t send(uint32_t tiles, uint32_t count, uint32_t source, uint32_t stride) const {
      const uint32_t end = tiles + 4 * count;
      uint32_t at = tiles;
      for (uint32_t xy = load(at); at != end && address_mid(xy) == 0; source += stride) {
        const uint32_t busy = load(kBuffer.base + niu::kCmdCtrl);
        const uint32_t next = load(at += 4);
        if (busy != 0) kBuffer.wait_accepted();
        kBuffer.set(niu::kTargAddrLo, source);
        kBuffer.set(niu::kRetAddrHi, xy & 0xFFF);
        kBuffer.issue();
        xy = next;
      }
      const uint32_t sent = (at - tiles) / 4;
      writer_.issued_ += sent;
      writer_.acked_ += sent;
      return sent;
    }

   private:
    NocWriter& writer_;
    uint32_t address_, bytes_;
  };

  // The same bytes from one place to tile after tile: only the tile is set anew. At most one packet each.
  class Copies {
   public:
    Copies(NocWriter& writer, uint32_t address, uint32_t source, uint32_t bytes) : writer_(writer) {
      kBuffer.wait_accepted();
      writer.set_packet(address, source, bytes, niu::kCtrlWordWrite);
      kBuffer.set(niu::kRetAddrMid, 0);
    }
    // `xy`: of a tile.
    void send(uint32_t xy) {
      kBuffer.wait_accepted();
      kBuffer.set(niu::kRetAddrHi, xy);
      kBuffer.issue();
      ++sent_;
    }
    // The writer knows of them from here on.
    ~Copies() {
      writer_.issued_ += sent_;
      writer_.acked_ += sent_;
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

   private:
    NocWriter& writer_;
    uint32_t sent_ = 0;
  };

  uint32_t issued() const { return issued_; }
  // Until all writes up to a mark taken from issued() have left this tile: their source may be overwritten.
  void wait_sent(uint32_t mark) const {
    while (!reached(counter(kNoc, niu::kMstNonpostedWrReqSent), mark)) fence();
  }
  void flush() const { wait_sent(issued_); }
  // Whether every write has been acknowledged by every receiver.
  bool all_acked() const { return counter(kNoc, niu::kMstWrAckReceived) == acked_; }
  void barrier() const {
    while (!all_acked()) fence();
  }

 private:
  static constexpr CommandBuffer kBuffer{kNoc, kWriteBuffer};
  static constexpr uint32_t kMulticast = niu::kCtrlWrite | niu::kCtrlRespMarked | niu::kCtrlBroadcast |
                                         niu::kCtrlPathReserve | niu::ctrl_static_vc(kDispatchMulticastVc);

  void direct(const Destination& to) const {
    kBuffer.set(niu::kRetAddrMid, to.mid);
    kBuffer.set(niu::kRetAddrHi, to.hi);
  }
  void set_packet(uint32_t address, uint32_t source, uint32_t bytes, uint32_t ctrl) const {
    kBuffer.set(niu::kTargAddrLo, source);
    kBuffer.set(niu::kRetAddrLo, address);
    kBuffer.set(niu::kAtLenBe, bytes);
    kBuffer.set(niu::kCtrl, ctrl);
  }

  uint32_t issued_;
  uint32_t acked_;
};

// Atomic increments of words in another tile, under a transaction id of the kernel's own: NoC 1 of the dispatch tile
// is shared by two kernels, so the counter of all atomics would not tell them apart.
template <int kNoc, int kBuffer, uint32_t kTransactionId>
class NocAtomics {
 public:
  // The response goes to the tile's own atomic return word.
  void init(uint32_t own_xy) const {
    const CommandBuffer buffer(kNoc, kBuffer);
    buffer.wait_accepted();
    buffer.set(niu::kRetAddrLo, kLayout.atomic_return);
    buffer.set(niu::kRetAddrMid, 0);
    buffer.set(niu::kRetAddrHi, own_xy);
    buffer.set(niu::kPacketTag, kTransactionId << niu::kTagTransactionIdShift);
    buffer.set(niu::kTargAddrMid, 0);
    buffer.set(niu::kCtrl, niu::kCtrlWordAtomic);
  }
  void add(uint32_t tile_xy, uint32_t address, uint32_t amount) const {
    const CommandBuffer buffer(kNoc, kBuffer);
    buffer.wait_accepted();
    buffer.set(niu::kTargAddrLo, address);
    buffer.set(niu::kTargAddrHi, tile_xy);
    buffer.set(niu::kAtLenBe, niu::atomic_increment(address));
    buffer.set(niu::kAtData, amount);
    buffer.issue();
  }
  // Until all have been answered; then leaves the buffer as other software expects it (arch/kernel_abi.hpp).
  void finish(uint32_t own_xy) const {
    while (load(arch::niu_counter_address(kNoc, niu::kMstReqsOutstandingId + static_cast<int>(kTransactionId))) != 0)
      fence();
    const CommandBuffer buffer(kNoc, kBuffer);
    buffer.set(niu::kPacketTag, 0);
    buffer.set(niu::kTargAddrHi, own_xy);
  }
};

}  // namespace kerr::firmware
