#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/array.hpp"

// The command queue: constants, versions, command ids and command bytes.
// docs/hardware/fast-dispatch.md 0 to 7.  Places in L1 and host memory: cq_layout.hpp.
namespace kerr::arch::cq {

// Constants. fast-dispatch.md 0.2
inline constexpr uint32_t kPcieAlign = 64;      // of records, and of both ends of a read of host memory
inline constexpr uint32_t kL1Align = 16;
inline constexpr uint32_t kCommandBytes = 16;  // normal header; of RELAY_LINEAR and WRITE_LINEAR 32
inline constexpr uint32_t kPageBytes = 4096;        // dispatch CB page and completion page
inline constexpr uint32_t kMaxInlineBytes = 64 * kPageBytes;  // payload of one RELAY_INLINE (8.3)
inline constexpr uint32_t kGoTableEntries = 256;
inline constexpr uint32_t kPackedLargeMaxSubCommands = 35;
inline constexpr uint32_t kRingbufferMaxSubCommands = 52;
inline constexpr uint32_t kMaxWriteOffsets = 4;
inline constexpr uint32_t kEventBytes = 16;
inline constexpr uint32_t kFirstStream = 48;  // completion stream of dispatch_message_offset 0
inline constexpr uint32_t kMaxWorkerSems = 8;
inline constexpr uint32_t kMaxStreamCount = 65536;  // counts at or above this are refused (error 7)
inline constexpr uint8_t kNoMulticastGo = 0xFF;
inline constexpr uint32_t kMaxGoRectangles = 8;  // of the configuration block, for multicast go signals
inline constexpr uint32_t kDiscardAddress = 0xFFFFFFFF;  // WRITE_PACKED_LARGE_UNICAST: consume, do not send

// The version of the command set, that of blackhole-py: word 1 of the configuration block. fast-dispatch.md 0.1
inline constexpr uint32_t kAbi = 0;

enum class PrefetchId : uint8_t {
  Illegal = 0,
  RelayLinear = 1,
  RelayLinearH = 2,
  RelayPaged = 3,
  RelayPagedPacked = 4,
  RelayInline = 5,
  RelayInlineNoflush = 6,
  ExecBuf = 7,
  ExecBufEnd = 8,
  Stall = 9,
  Debug = 10,
  Terminate = 11,
  PagedToRingbuffer = 12,
  SetRingbufferOffset = 13,
  RelayRingbuffer = 14,
  RelayLinearPacked = 15,   // V3
  RelayLinearPackedH = 16,  // V3
};

enum class DispatchId : uint8_t {
  Illegal = 0,
  WriteLinear = 1,
  WriteLinearH = 2,
  WriteLinearHHost = 3,
  WritePaged = 4,
  WritePacked = 5,
  WritePackedLarge = 6,
  Wait = 7,
  Sink = 8,
  Debug = 9,
  Delay = 10,
  ExecBufEnd = 11,
  SetWriteOffset = 12,
  Terminate = 13,
  SendGoSignal = 14,
  NotifySubordinateGoSignal = 15,
  SetNumWorkerSems = 16,
  SetGoSignalNocData = 17,
  Timestamp = 18,                // blackhole-py
  WritePackedLargeUnicast = 19,  // project
};

// RELAY_INLINE byte 1.
enum class Dispatcher : uint8_t { DispatchD = 0, DispatchS = 1 };

// WAIT flags, blackhole-py. fast-dispatch.md 7.3
inline constexpr uint8_t kWaitBarrier = 0x01;
inline constexpr uint8_t kWaitNotifyPrefetch = 0x02;
inline constexpr uint8_t kWaitMemory = 0x04;
inline constexpr uint8_t kWaitStream = 0x08;
inline constexpr uint8_t kWaitClearStream = 0x10;
inline constexpr uint8_t kWaitAllFlags = 0x1F;

// WRITE_PACKED flags; bits 7:4 are a type for profiling.
inline constexpr uint8_t kPackedMulticast = 0x01;
inline constexpr uint8_t kPackedNoStride = 0x02;
enum class PackedType : uint8_t { Unknown = 0, Rta = 1, Launch = 2, Sems = 3, Event = 4, GoMsgIndex = 5 };
// WRITE_PACKED_LARGE: type, and flag of a sub-command.
enum class PackedLargeType : uint8_t { Unknown = 0, Config = 1, Binaries = 2 };
inline constexpr uint8_t kPackedLargeUnlink = 0x01;

// Host memory in a 32-bit noc_xy_addr field: bit 24 is bit 60 of the NoC address.
inline constexpr uint32_t kPcieNocXyAddr = 0x01000613;

#define KERR_PACKED __attribute__((packed))

// Prefetch commands. Byte 0 is the id. fast-dispatch.md 6.2
struct KERR_PACKED RelayInline {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayInline);
  uint8_t dispatcher = 0;
  uint16_t pad = 0;
  uint32_t length = 0;  // of the payload
  uint32_t stride = 0;  // from this command to the next: a multiple of 64
  uint32_t pad2 = 0;
};
static_assert(sizeof(RelayInline) == 16 && offsetof(RelayInline, length) == 4 && offsetof(RelayInline, stride) == 8);

struct KERR_PACKED RelayLinear {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayLinear);
  uint16_t pad = 0;
  uint64_t length = 0;
  uint32_t noc_xy_addr = 0;
  uint64_t addr = 0;
  uint8_t pad2[9] = {};
};
static_assert(sizeof(RelayLinear) == 32 && offsetof(RelayLinear, length) == 3);
static_assert(offsetof(RelayLinear, noc_xy_addr) == 11 && offsetof(RelayLinear, addr) == 15);

struct KERR_PACKED RelayLinearH {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayLinearH);
  uint8_t pad[3] = {};
  uint32_t noc_xy_addr = 0;
  uint64_t addr = 0;
  uint32_t length = 0;
  uint8_t pad2[12] = {};
};
static_assert(sizeof(RelayLinearH) == 32 && offsetof(RelayLinearH, addr) == 8 && offsetof(RelayLinearH, length) == 16);

struct KERR_PACKED RelayPaged {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayPaged);
  uint8_t start_page = 0;
  uint16_t is_dram_and_length_adjust = 0;  // bit 15: DRAM; [14:0] bytes dropped from the last page
  uint32_t base_addr = 0;
  uint32_t page_size = 0;
  uint32_t pages = 0;
};
static_assert(sizeof(RelayPaged) == 16);

struct KERR_PACKED RelayPagedPacked {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayPagedPacked);
  uint8_t pad = 0;
  uint16_t count = 0;
  uint32_t total_length = 0;
  uint32_t stride = 0;
  uint32_t pad2 = 0;
};
static_assert(sizeof(RelayPagedPacked) == 16);
struct KERR_PACKED RelayPagedPackedSub {
  uint16_t start_page = 0;
  uint16_t log_page_size = 0;
  uint32_t base_addr = 0;
  uint32_t length = 0;
};
static_assert(sizeof(RelayPagedPackedSub) == 12);

// RELAY_INLINE_NOFLUSH and EXEC_BUF_END have the form of RELAY_INLINE.

// Continues with the commands in an interleaved DRAM buffer, up to EXEC_BUF_END.
struct KERR_PACKED ExecBuf {
  uint8_t id = static_cast<uint8_t>(PrefetchId::ExecBuf);
  uint8_t pad[3] = {};
  uint32_t base_addr = 0;
  uint32_t log_page_size = 0;
  uint32_t pages = 0;
};
static_assert(sizeof(ExecBuf) == 16 && offsetof(ExecBuf, log_page_size) == 8);

struct KERR_PACKED PagedToRingbuffer {
  uint8_t id = static_cast<uint8_t>(PrefetchId::PagedToRingbuffer);
  uint8_t flags = 0;
  uint8_t log2_page_size = 0;
  uint8_t start_page = 0;
  uint32_t wp_offset_update = 0;  // room taken in the ring, at least `length`
  uint32_t base_addr = 0;
  uint32_t length = 0;  // a multiple of 64
};
static_assert(sizeof(PagedToRingbuffer) == 16 && offsetof(PagedToRingbuffer, base_addr) == 8);
inline constexpr uint8_t kRingbufferReset = 0x01;  // the write pointer begins at the start again

struct KERR_PACKED SetRingbufferOffset {
  uint8_t id = static_cast<uint8_t>(PrefetchId::SetRingbufferOffset);
  uint32_t offset = 0;
  uint8_t pad[3] = {};
  uint8_t update_wp = 0;  // 1: the write pointer, 0: where RELAY_RINGBUFFER counts from
  uint8_t pad2[7] = {};
};
static_assert(sizeof(SetRingbufferOffset) == 16 && offsetof(SetRingbufferOffset, offset) == 1);
static_assert(offsetof(SetRingbufferOffset, update_wp) == 8);

struct KERR_PACKED RelayRingbuffer {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayRingbuffer);
  uint8_t pad = 0;
  uint16_t count = 0;
  uint32_t stride = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(RelayRingbuffer) == 16 && offsetof(RelayRingbuffer, stride) == 4);
struct KERR_PACKED RelayRingbufferSub {
  uint32_t start = 0;
  uint32_t length = 0;
};
static_assert(sizeof(RelayRingbufferSub) == 8);

// RELAY_LINEAR_PACKED_H has the same form.
struct KERR_PACKED RelayLinearPacked {
  uint8_t id = static_cast<uint8_t>(PrefetchId::RelayLinearPacked);
  uint8_t pad = 0;
  uint16_t count = 0;
  uint32_t noc_xy_addr = 0;
  uint32_t total_length = 0;
  uint32_t stride = 0;
};
static_assert(sizeof(RelayLinearPacked) == 16 && offsetof(RelayLinearPacked, stride) == 12);
struct KERR_PACKED RelayLinearPackedSub {
  uint64_t addr = 0;
  uint32_t length = 0;
};
static_assert(sizeof(RelayLinearPackedSub) == 12);

// A command for either kernel, which skips it.
template <auto kId>
struct KERR_PACKED DebugCommand {
  uint8_t id = static_cast<uint8_t>(kId);
  uint8_t pad = 0;
  uint16_t key = 0;
  uint32_t size = 0;
  uint32_t stride = 0;
  uint32_t pad2 = 0;
};
using PrefetchDebug = DebugCommand<PrefetchId::Debug>;
using Debug = DebugCommand<DispatchId::Debug>;
static_assert(sizeof(Debug) == 16 && offsetof(Debug, stride) == 8);

// STALL and TERMINATE: the id only.
struct KERR_PACKED BareCommand {
  uint8_t id = 0;
  uint8_t pad[15] = {};
};
static_assert(sizeof(BareCommand) == 16);

// Dispatch commands. fast-dispatch.md 7.2
struct KERR_PACKED WriteLinear {
  uint8_t id = static_cast<uint8_t>(DispatchId::WriteLinear);
  uint8_t num_mcast_dests = 0;  // 0: unicast
  uint8_t write_offset_index = 0;
  uint8_t pad = 0;
  uint32_t noc_xy_addr = 0;
  uint64_t addr = 0;
  uint64_t length = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(WriteLinear) == 32 && offsetof(WriteLinear, addr) == 8 && offsetof(WriteLinear, length) == 16);

struct KERR_PACKED WriteLinearHHost {
  uint8_t id = static_cast<uint8_t>(DispatchId::WriteLinearHHost);
  uint8_t is_event = 0;
  uint16_t pad1 = 0;
  uint32_t pad2 = 0;
  uint64_t length = 0;  // includes this header
};
static_assert(sizeof(WriteLinearHHost) == 16 && offsetof(WriteLinearHHost, length) == 8);

struct KERR_PACKED WritePaged {
  uint8_t id = static_cast<uint8_t>(DispatchId::WritePaged);
  uint8_t is_dram = 0;
  uint16_t start_page = 0;
  uint32_t base_addr = 0;
  uint32_t page_size = 0;
  uint32_t pages = 0;
};
static_assert(sizeof(WritePaged) == 16);

// Sub-commands follow the header, data begins at the next multiple of 16.
struct KERR_PACKED WritePacked {
  uint8_t id = static_cast<uint8_t>(DispatchId::WritePacked);
  uint8_t flags = 0;
  uint16_t count = 0;
  uint16_t write_offset_index = 0;
  uint16_t size = 0;  // bytes to each destination, at most 4096
  uint32_t addr = 0;
  uint32_t pad = 0;
};
static_assert(sizeof(WritePacked) == 16 && offsetof(WritePacked, size) == 6 && offsetof(WritePacked, addr) == 8);
struct KERR_PACKED WritePackedUnicastSub {
  uint32_t noc_xy_addr = 0;
};
struct KERR_PACKED WritePackedMulticastSub {
  uint32_t noc_xy_addr = 0;
  uint32_t num_mcast_dests = 0;
};
static_assert(sizeof(WritePackedUnicastSub) == 4 && sizeof(WritePackedMulticastSub) == 8);

struct KERR_PACKED WritePackedLarge {
  uint8_t id = static_cast<uint8_t>(DispatchId::WritePackedLarge);
  uint8_t type = 0;
  uint16_t count = 0;
  uint16_t alignment = 0;  // of each sub-command's data
  uint16_t write_offset_index = 0;
  uint64_t pad = 0;
};
static_assert(sizeof(WritePackedLarge) == 16 && offsetof(WritePackedLarge, alignment) == 4);
struct KERR_PACKED WritePackedLargeSub {
  uint32_t noc_xy_addr = 0;  // multicast packing
  uint32_t addr = 0;
  uint16_t length_minus1 = 0;
  uint8_t num_mcast_dests = 0;
  uint8_t flags = 0;
};
static_assert(sizeof(WritePackedLargeSub) == 12 && offsetof(WritePackedLargeSub, length_minus1) == 8);
struct KERR_PACKED WritePackedLargeUnicastSub {
  uint32_t noc_xy_addr = 0;
  uint32_t addr = 0;
  uint32_t length = 0;
};
static_assert(sizeof(WritePackedLargeUnicastSub) == 12);

struct KERR_PACKED Wait {
  uint8_t id = static_cast<uint8_t>(DispatchId::Wait);
  uint8_t flags = 0;
  uint16_t stream = 0;
  uint32_t addr = 0;
  uint32_t count = 0;
  uint32_t pad = 0;
};
static_assert(sizeof(Wait) == 16 && offsetof(Wait, stream) == 2 && offsetof(Wait, count) == 8);

// Data that are thrown away. tt-metal's has an id only; the length is this project's.     fast-dispatch.md 7.4
struct KERR_PACKED Sink {
  uint8_t id = static_cast<uint8_t>(DispatchId::Sink);
  uint8_t pad[3] = {};
  uint32_t length = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(Sink) == 16 && offsetof(Sink, length) == 4);

struct KERR_PACKED Delay {
  uint8_t id = static_cast<uint8_t>(DispatchId::Delay);
  uint8_t pad[3] = {};
  uint32_t delay = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(Delay) == 16 && offsetof(Delay, delay) == 4);

struct KERR_PACKED SetWriteOffset {
  uint8_t id = static_cast<uint8_t>(DispatchId::SetWriteOffset);
  uint8_t offset_count = 0;
  uint16_t program_host_id = 0;
  uint32_t pad[3] = {};
};
static_assert(sizeof(SetWriteOffset) == 16);

struct KERR_PACKED SendGoSignal {
  uint8_t id = static_cast<uint8_t>(DispatchId::SendGoSignal);
  uint32_t go_signal = 0;  // GoMessage::word()
  uint8_t multicast_go_offset = kNoMulticastGo;
  uint8_t num_unicast_txns = 0;
  uint8_t noc_data_start_index = 0;
  uint32_t wait_count = 0;
  uint32_t wait_stream = 0;
};
static_assert(sizeof(SendGoSignal) == 16 && offsetof(SendGoSignal, go_signal) == 1);
static_assert(offsetof(SendGoSignal, num_unicast_txns) == 6 && offsetof(SendGoSignal, wait_stream) == 12);

struct KERR_PACKED NotifySubordinateGoSignal {
  uint8_t id = static_cast<uint8_t>(DispatchId::NotifySubordinateGoSignal);
  uint8_t wait = 0;
  uint16_t index_bitmask = 0;
  uint32_t pad[3] = {};
};
static_assert(sizeof(NotifySubordinateGoSignal) == 16);

struct KERR_PACKED SetNumWorkerSems {
  uint8_t id = static_cast<uint8_t>(DispatchId::SetNumWorkerSems);
  uint8_t pad[3] = {};
  uint32_t num_worker_sems = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(SetNumWorkerSems) == 16);

// num_words words follow, each the NoC coordinate of a worker. Ours: or the corners of a rectangle of workers, as the
// sender's NoC wants them (fast-dispatch.md 0.2), and how many they are; those come first of what a go signal names.
inline constexpr uint32_t kGoReceiversShift = 24;
constexpr uint32_t go_rectangle(uint32_t corners, uint32_t receivers) {
  return receivers << kGoReceiversShift | corners;
}
constexpr bool is_go_rectangle(uint32_t word) { return word >> 12 != 0; }
struct KERR_PACKED SetGoSignalNocData {
  uint8_t id = static_cast<uint8_t>(DispatchId::SetGoSignalNocData);
  uint8_t pad[3] = {};
  uint32_t num_words = 0;
  uint64_t pad2 = 0;
};
static_assert(sizeof(SetGoSignalNocData) == 16 && offsetof(SetGoSignalNocData, num_words) == 4);

struct KERR_PACKED Timestamp {
  uint8_t id = static_cast<uint8_t>(DispatchId::Timestamp);
  uint8_t pad[3] = {};
  uint32_t noc_xy_addr = 0;
  uint32_t addr = 0;
  uint32_t pad2 = 0;
};
static_assert(sizeof(Timestamp) == 16 && offsetof(Timestamp, noc_xy_addr) == 4 && offsetof(Timestamp, addr) == 8);

#undef KERR_PACKED

// Error codes of the diagnostics block: X(error, number, text). fast-dispatch.md 20.2
#define KERR_CQ_ERRORS(X)                                                                        \
  X(None, 0, "no error")                                                                         \
  X(UnknownId, 1, "unknown command id")                                                          \
  X(BadStride, 2, "stride zero, not a multiple of 64, or beyond the fetched bytes")              \
  X(BadLength, 3, "length inconsistent with the stride, or too large")                           \
  X(TooManySubCommands, 4, "sub-commands exceed the table or the first page")                    \
  X(Misaligned, 5, "source and destination differ modulo 16")                                    \
  X(BadMulticastGroup, 6, "multicast group without final UNLINK or with changing destination")   \
  X(BadStreamOrCount, 7, "stream outside 48..55 or count too large")                             \
  X(BadExecBuf, 8, "EXEC_BUF without stall, nested, or its end outside")                         \
  X(RingbufferRange, 9, "outside the ring buffer")                                               \
  X(ConfigMismatch, 10, "configuration magic, ABI or build id differ")                           \
  X(HostWriteOutside, 11, "write to host memory outside the region")                             \
  X(StallOvertaken, 12, "STALL count overtaken")                                                 \
  X(OpenPayload, 13, "the payload that RELAY_INLINE_NOFLUSH began is not continued")

enum class CqError : uint32_t {
#define X(error, number, text) error = number,
  KERR_CQ_ERRORS(X)
#undef X
};

constexpr const char* name_of(CqError e) {
  switch (e) {
#define X(error, number, text) \
  case CqError::error: return text;
    KERR_CQ_ERRORS(X)
#undef X
  }
  return "unknown error code";
}

}  // namespace kerr::arch::cq
