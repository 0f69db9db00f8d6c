// Why an agent of a tile is stalled, in the words of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"
#include "emu/agent.hpp"
#include "emu/observe/unit_work.hpp"
#include "emu/wait.hpp"

namespace kerr::report {

enum class Reason : uint8_t {
  NoInstruction,  // a thread whose FIFO is empty
  Semaphore,      // of the coprocessor
  Mutex,
  SrcA,  // its bank belongs to the other side
  SrcB,
  Dst,  // the latency of what wrote it
  LReg,
  Gate,         // a STALLWAIT, SEMWAIT or STREAMWAIT, until what it names is over
  Unit,         // another instruction is in the unit
  FifoRoom,     // a hart pushes into a full FIFO
  Coprocessor,  // a hart waits until the coprocessor is done
  Noc,          // a hart polls the NIU: transfers that are under way
  Dram,         // the same, and the last that came was from DRAM
  Stream,       // registers of streams: circular buffers
  L1,           // a word of L1: semaphores, circular buffers, messages
  Time,         // a delay
  Other,
};
inline constexpr size_t kReasons = static_cast<size_t>(Reason::Other) + 1;

constexpr std::string_view name(Reason reason) {
  constexpr std::string_view names[kReasons] = {
      "no instruction", "semaphore",   "mutex", "SrcA", "SrcB",   "Dst", "LReg",  "wait gate", "unit",
      "room in FIFO",   "coprocessor", "NoC",   "DRAM", "stream", "L1",  "delay", "other"};
  return names[static_cast<size_t>(reason)];
}

/// What the counter of a circular buffer says that a hart polls: whether there are pages for it to take (tiles
/// received), or room for it to fill (tiles acked).   docs/hardware/tile.md 5.5
struct Credit {
  static constexpr uint8_t kNoBuffer = 0xFF;
  uint8_t buffer = kNoBuffer;
  bool room = false;
  friend auto operator<=>(const Credit&, const Credit&) = default;
};

/// The counter of a circular buffer that is at this register address, as our firmware lays them out
/// (docs/hardware/tile.md 5.5). Other addresses: no buffer.
constexpr Credit credit_of(uint32_t address) {
  constexpr const arch::FirmwareLayout& kLayout = arch::kFwB;
  const uint32_t offset = address - arch::stream_address(static_cast<int>(kLayout.first_cb_stream), 0);
  const uint32_t buffer = offset / arch::kStreamStride;
  const uint32_t reg = offset % arch::kStreamStride / 4;
  if (buffer >= kLayout.circular_buffers) return {};
  if (reg != arch::stream::kRemoteDestBufStart && reg != arch::stream::kRemoteDestBufSize) return {};
  return {static_cast<uint8_t>(buffer), reg == arch::stream::kRemoteDestBufStart};
}

/// "SrcA", "pages of buffer 0", "room in buffer 16".
inline std::string name(Reason reason, Credit credit) {
  if (reason != Reason::Stream || credit.buffer == Credit::kNoBuffer) return std::string(name(reason));
  return (credit.room ? "room in buffer " : "pages of buffer ") + std::to_string(credit.buffer);
}

/// The one thing in `mask` that tells a reader most; `agent` waits for all of them.
constexpr Reason reason_of(emu::WaitMask mask, emu::Agent agent) {
  namespace wait = emu::wait;
  constexpr auto eight = [](auto bit) { return bit(0u) * 0xFF; };
  const bool hart = agent >= emu::Agent::Brisc;
  if (mask & eight(wait::semaphore)) return Reason::Semaphore;
  if (mask & eight(wait::mutex)) return Reason::Mutex;
  if (mask & wait::kSrcA) return Reason::SrcA;
  if (mask & wait::kSrcB) return Reason::SrcB;
  for (int thread = 0; thread < emu::kThreads; ++thread) {
    if (mask & wait::fifo(thread)) return hart ? Reason::FifoRoom : Reason::NoInstruction;
  }
  for (int thread = 0; thread < emu::kThreads; ++thread) {
    if (mask & (wait::thread_idle(thread) | wait::mop_idle(thread) | wait::in_flight(thread)))
      return hart ? Reason::Coprocessor : Reason::Gate;
  }
  if (mask & (wait::kPcBuf | wait::kUnitIdle | wait::kDst)) return Reason::Coprocessor;
  if (mask & wait::kNiu) return Reason::Noc;
  if (mask & eight(wait::stream)) return Reason::Stream;
  if (mask & wait::kL1) return Reason::L1;
  return mask & wait::kTime ? Reason::Time : Reason::Other;
}

constexpr Reason reason_of(emu::Lacked lacked) {
  using emu::Lacked;
  switch (lacked) {
    case Lacked::Gate: return Reason::Gate;
    case Lacked::Unit: return Reason::Unit;
    case Lacked::SrcA: return Reason::SrcA;
    case Lacked::SrcB: return Reason::SrcB;
    case Lacked::Dst: return Reason::Dst;
    case Lacked::LReg: return Reason::LReg;
    case Lacked::Nothing: break;
  }
  return Reason::Other;
}

}  // namespace kerr::report
