// Multicasts and remote semaphores of dataflow kernels.   docs/hardware/kernels.md 4.3, noc.md 3.5
#pragma once

#include <cstdint>
#include <span>

#include "arch/grid.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

/// A rectangle of Tensix tiles as the upper address word of a multicast. NoC 1 counts from the other corner, so its
/// corners are given the other way round.
constexpr uint32_t multicast_rectangle(int noc, arch::NocCoord least, arch::NocCoord most) {
  const arch::NocCoord start = noc == 0 ? least : most, end = noc == 0 ? most : least;
  return start.packed() << 12 | end.packed();
}

/// A semaphore of the program (Program::add_semaphore) on another tile, the one that the runtime argument at byte
/// offset `argument` holds. CheckedProgram uses it to count which core raises which semaphore.
struct RemoteSemaphore {
  uint32_t id;
  int argument;
};
constexpr int32_t semaphore_offset(uint32_t id) { return static_cast<int32_t>(16 * id); }

/// Tiles that a multicast goes to: `count` of them, in the rectangle that the runtime argument at byte offset
/// `argument` holds.
struct Receivers {
  int argument;
  uint32_t count;
};

/// Copies L1 to the same address of other tiles, through command buffer 0. Owns the registers named here for the whole
/// kernel, and clobbers t0..t4. Receivers are one rectangle or two different ones; data and a flag sent one after the
/// other arrive in this order.
struct Multicast {
  int noc = 0;
  isa::Reg command_buffer;  // the address of the one numbered `held`
  isa::Reg sent, acked;     // values of the two counters when all that was issued has left, has arrived
  isa::Reg arguments;       // where the runtime arguments begin
  int held = 0;

  void open(Caller a) const;
  /// `bytes` (a multiple of 4) of the own pages of circular buffer `buffer` at the address in `source` (none of the
  /// clobbered) to those of the receivers.
  void send(Caller a, isa::Reg source, uint32_t bytes, std::span<const Receivers> receivers, uint32_t buffer) const;
  /// The word of the own semaphore `id` of the program, whose address is in `source`, which the receivers wait to
  /// become theirs.
  void send_semaphore(Caller a, isa::Reg source, std::span<const Receivers> receivers, uint32_t id) const;
  /// Waits until the sources of all that was sent may be overwritten.
  void flush(Caller a) const;
  /// Waits until every receiver has acknowledged everything.
  void barrier(Caller a) const;

 private:
  void send_bytes(Stream& a, isa::Reg source, uint32_t bytes, std::span<const Receivers> receivers) const;
  void send_packet(Stream& a, uint32_t bytes) const;
  int32_t at(uint32_t offset) const;
};

/// Increments words of other tiles, through command buffer 3. Owns the registers, clobbers t0 to t2.
struct RemoteIncrement {
  int noc = 0;
  isa::Reg command_buffer, acked;
  isa::Reg responses;  // address of the counter that `acked` is compared with

  void open(Caller a) const;
  /// Adds 1 to the semaphore, whose L1 address is in `address`, of the tile whose coordinate is in `tile`.
  void issue(Caller a, isa::Reg address, isa::Reg tile, const RemoteSemaphore& semaphore) const;
  void barrier(Caller a) const;
};

/// Waits until the word at `base` + `offset` equals the value in `value`: loads and fences only, so that the hart can
/// park. Clobbers t0.
void wait_for_word(Caller a, isa::Reg base, int32_t offset, isa::Reg value);
/// The same of semaphore `id` of the program, whose words begin at `semaphores`: until others have raised it `times`
/// times.
void await_semaphore(Caller a, isa::Reg semaphores, uint32_t id, isa::Reg value, uint32_t times);

}  // namespace kerr::kernels
