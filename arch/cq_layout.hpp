#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/cq.hpp"
#include "arch/firmware_layout.hpp"

// Where the command queue's parts lie: L1 of the prefetch and the dispatch tile, host memory.
// docs/hardware/fast-dispatch.md 2.3, 3, 11.1, 17.4
namespace kerr::arch::cq {

// L1 of both tiles. Everything is past the kernel-config image of the queue kernels, which ends at or below
// kTraceBase.
inline constexpr uint32_t kTraceBase = 0x19000;  // 0x500 bytes kept free for traces
inline constexpr uint32_t kConfigBlock = 0x19500;
inline constexpr uint32_t kQueueBase = 0x196C0;
inline constexpr uint32_t kMaxQueues = 2;
inline constexpr uint32_t kCq0LastEvent = 0x196F0;
inline constexpr uint32_t kCq1LastEvent = 0x19700;
inline constexpr uint32_t kDispatchSSyncSems = 0x19710;  // 8 counters, stride 16
inline constexpr uint32_t kSemStride = 16;

// Prefetch tile. fast-dispatch.md 3.1
inline constexpr uint32_t kPrefetchQRdPtr = 0x196C0;      // address of the entry just consumed
inline constexpr uint32_t kPrefetchQPcieRdPtr = 0x196C4;  // low 32 bits of the next byte to read
inline constexpr uint32_t kPrefetchQ = 0x19840;
inline constexpr uint32_t kPrefetchQEntries = 1534;
inline constexpr uint32_t kPrefetchQEntryBytes = 2;
inline constexpr uint32_t kPrefetchQBytes = kPrefetchQEntries * kPrefetchQEntryBytes;
inline constexpr uint16_t kPrefetchQStallFlag = 0x8000;
inline constexpr uint32_t kCmddatQ = 0x1A440;
inline constexpr uint32_t kCmddatQBytes = 256 * 1024;
inline constexpr uint32_t kScratchDb = 0x5A440;
inline constexpr uint32_t kScratchDbBytes = 128 * 1024;  // two halves
static_assert(kPrefetchQ + kPrefetchQBytes == 0x1A43C && kCmddatQ + kCmddatQBytes == kScratchDb);
static_assert(kCmddatQ % kPcieAlign == 0 && kScratchDb % kPcieAlign == 0);
// The ring of the RINGBUFFER commands begins where scratch_db does: relays from memory overwrite it (3.1). It ends
// where buffers that kernels use may begin.
inline constexpr uint32_t kRingbuffer = kScratchDb;
inline constexpr uint32_t kPrefetchQRdPtrInitial = kPrefetchQ + kPrefetchQBytes;

// Dispatch tile. fast-dispatch.md 3.2
inline constexpr uint32_t kDevCompletionQWrPtr = 0x196D0;  // 16-byte units, toggle in bit 31
inline constexpr uint32_t kDevCompletionQRdPtr = 0x196E0;  // written by the host
inline constexpr uint32_t kDispatchCb = 0x1A000;
inline constexpr uint32_t kDispatchCbPages = 128;
inline constexpr uint32_t kDispatchCbLog2Page = 12;
inline constexpr uint32_t kDispatchCbBlocks = 4;
inline constexpr uint32_t kDispatchCbBytes = kDispatchCbPages << kDispatchCbLog2Page;
inline constexpr uint32_t kDispatchSCb = 0x9A000;
inline constexpr uint32_t kDispatchSCbPages = 128;
inline constexpr uint32_t kDispatchSCbLog2Page = 8;
inline constexpr uint32_t kDispatchSCbBytes = kDispatchSCbPages << kDispatchSCbLog2Page;
static_assert(kDispatchCb + kDispatchCbBytes == kDispatchSCb && kDispatchCb % kPageBytes == 0);
inline constexpr uint32_t kQueueEnd = kDispatchSCb + kDispatchSCbBytes;  // of what the queue uses of either tile
inline constexpr uint32_t kRingbufferBytes = kQueueEnd - kRingbuffer;
static_assert(kRingbufferBytes % kPcieAlign == 0);

// Kernel-config image of the queue kernels: runtime arguments, four semaphores, text. fast-dispatch.md 3.3
inline constexpr uint32_t kImageSemOffset = 16;
inline constexpr uint32_t kImageSems = 4;
inline constexpr uint32_t kImageTextOffset = 80;
inline constexpr uint32_t kImageDispatchSTextOffset = kImageTextOffset + 0x4000;
inline constexpr uint32_t kImageTextBytes = 0x4000;           // room for BRISC's kernel
inline constexpr uint32_t kImageDispatchSTextBytes = 0x2000;  // room for NCRISC's kernel
static_assert(kFwB.kernel_config + kImageDispatchSTextOffset + kImageDispatchSTextBytes <= kTraceBase);
constexpr uint32_t sem_address(const FirmwareLayout& fw, uint32_t id) {
  return fw.kernel_config + kImageSemOffset + kSemStride * id;
}

enum PrefetchSem : uint32_t {
  kPrefetchDownstreamCbSem = 0,  // initially all dispatch pages
  kPrefetchDispatchSCbSem = 1,   // initially all dispatch_s pages
  kPrefetchDownstreamSyncSem = 2,
  kPrefetchUpstreamCbSem = 3,
};
enum DispatchSem : uint32_t {
  kDispatchCbSem = 0,            // pages that arrived for dispatch_d
  kDispatchSCbSem = 1,           // pages that arrived for dispatch_s
  kDispatchDownstreamCbSem = 2,  // split queues: free pages of dispatch_h
};
inline constexpr Array<uint32_t, kImageSems> kPrefetchSemInitial = {kDispatchCbPages, kDispatchSCbPages, 0, 0};
inline constexpr Array<uint32_t, kImageSems> kDispatchSemInitial = {0, 0, 0, 0};

// Split queues: prefetcher and dispatcher are two kernels each, the _h half next to the host, the _d half on the chip
// that is worked on. fast-dispatch.md 21
inline constexpr uint32_t kCmddatPages = kCmddatQBytes / kPageBytes;
inline constexpr Array<uint32_t, kImageSems> kPrefetchHSemInitial = {kCmddatPages, 0, 0, 0};
inline constexpr Array<uint32_t, kImageSems> kDispatchDSemInitial = {0, 0, kDispatchCbPages, 0};
inline constexpr Array<uint32_t, kImageSems> kDispatchHSemInitial = {0, 0, 0, 0};

// Precedes every entry that prefetch_h sends to prefetch_d, which receives whole pages in its cmddat_q.
struct SplitHeader {
  uint32_t length = 0;      // of the bytes behind this header
  uint8_t raw_copy = 0;     // 1: data for the payload that is open, not commands
  uint8_t extra_pages = 0;  // behind this record's pages, up to the end of the ring, without content
  uint8_t more = 0;         // raw_copy: the payload continues in the next record
  uint8_t stall = 0;        // the entry had the stall flag
  uint32_t pad[14] = {};
};
static_assert(sizeof(SplitHeader) == 64 && sizeof(SplitHeader) == kPcieAlign);

// What a queue kernel reports. Written by the kernel only.
struct Diagnostics {
  uint32_t build_id[4] = {};
  uint32_t ready = 0;  // kReady once the kernel has checked its configuration
  uint32_t error = 0;  // CqError
  uint32_t error_argument = 0;
  uint32_t last_command_id = 0;
  uint32_t last_command_address = 0;
  uint32_t commands_executed = 0;
  uint32_t heartbeat = 0;  // one more per command taken up; stops with an error
};
static_assert(sizeof(Diagnostics) == 44);

// Workers that one multicast packet of a go signal reaches.
struct GoRectangle {
  uint32_t corners = 0;    // multicast packing for the dispatcher's NoC
  uint32_t receivers = 0;  // Tensix tiles among them
};

inline constexpr uint32_t kConfigMagic = 0x43514346;
inline constexpr uint32_t kReady = 0x52445901;
inline constexpr uint32_t kRegionBaseHi = 0x10000000;

// Written by the host before the queue kernels start; firmware only writes the diagnostics. fast-dispatch.md 3.4
// Words 39 and up are this project's: places of command buffers, diagnostics of dispatch_s, banks, go rectangles.
// Constants are there so that firmware of another build refuses them.
struct ConfigBlock {
  uint32_t magic = kConfigMagic;
  uint32_t abi = kAbi;
  uint32_t region_base_lo = 0;
  uint32_t region_base_hi = 0;  // 0x10000000: host memory
  uint32_t issue_base = 0;      // low 32 bits, as all addresses below
  uint32_t issue_bytes = 0;
  uint32_t completion_base = 0;
  uint32_t completion_bytes = 0;
  uint32_t timestamp_base = 0;
  uint32_t timestamp_slots = 0;
  uint32_t core_timing_base = 0;
  uint32_t core_timing_slots = 0;
  uint32_t prefetch_xy = 0;  // NocCoord::packed()
  uint32_t dispatch_xy = 0;
  uint32_t prefetch_q_base = kPrefetchQ;
  uint32_t prefetch_q_entries = kPrefetchQEntries;
  uint32_t prefetch_q_entry_bytes = kPrefetchQEntryBytes;
  uint32_t dispatch_cb_base = kDispatchCb;
  uint32_t dispatch_cb_pages = kDispatchCbPages;
  uint32_t dispatch_cb_log2_page = kDispatchCbLog2Page;
  uint32_t dispatch_cb_blocks = kDispatchCbBlocks;
  uint32_t worker_count = 0;
  uint32_t first_stream = kFirstStream;
  uint32_t reserved_23 = 0;
  uint32_t expected_build_id[4] = {};
  Diagnostics diagnostics;  // of the BRISC kernel: words 28..38
  uint32_t dispatch_s_cb_base = kDispatchSCb;
  uint32_t dispatch_s_cb_pages = kDispatchSCbPages;
  uint32_t dispatch_s_cb_log2_page = kDispatchSCbLog2Page;
  uint32_t cmddat_q_base = kCmddatQ;
  uint32_t cmddat_q_bytes = kCmddatQBytes;
  uint32_t dispatch_s_enabled = 0;
  uint32_t reserved_45[3] = {};
  Diagnostics dispatch_s_diagnostics;  // words 48..58
  uint32_t prefetch_h_xy = 0;          // split queues only (fast-dispatch.md 21); 0 otherwise
  uint32_t dispatch_h_xy = 0;
  uint32_t reserved_61[3] = {};
  uint32_t dram_banks = 0;
  uint32_t dram_xy[8] = {};  // of the logical banks, as NoC 0 reaches them
  uint32_t l1_columns = 0;   // L1 bank i is in column i % l1_columns, row 2 + i / l1_columns
  uint8_t l1_column_x[16] = {};
  uint32_t go_rectangle_count = 0;
  GoRectangle go_rectangles[kMaxGoRectangles] = {};
  uint32_t reserved_95 = 0;
};
static_assert(sizeof(ConfigBlock) == 4 * 96 && kConfigBlock + sizeof(ConfigBlock) <= kQueueBase);
static_assert(offsetof(ConfigBlock, prefetch_q_base) == 4 * 14 && offsetof(ConfigBlock, worker_count) == 4 * 21);
static_assert(offsetof(ConfigBlock, expected_build_id) == 4 * 24 && offsetof(ConfigBlock, diagnostics) == 4 * 28);
static_assert(offsetof(ConfigBlock, dispatch_s_cb_base) == 4 * 39);
static_assert(offsetof(ConfigBlock, dispatch_s_diagnostics) == 4 * 48);
static_assert(offsetof(ConfigBlock, dram_banks) == 4 * 64 && offsetof(ConfigBlock, l1_columns) == 4 * 73);
static_assert(offsetof(ConfigBlock, go_rectangle_count) == 4 * 78);

// Host memory, layout R. fast-dispatch.md 2.1, 2.3
inline constexpr uint32_t kHostIssueQWr = 0x40;
inline constexpr uint32_t kHostCompletionQWr = 0x80;
inline constexpr uint32_t kHostCompletionQRd = 0xC0;
inline constexpr uint32_t kHostHeaderBytes = 0x100;
inline constexpr uint32_t kTimestampSlotBytes = 16;

struct HostRegion {
  uint32_t issue_bytes = 64u << 20;       // a multiple of 64
  uint32_t completion_bytes = 32u << 20;  // a multiple of 4096, at least two pages
  uint32_t timestamp_slots = 4096;
  uint32_t core_timing_slots = 4096;

  constexpr uint32_t issue_offset() const { return kHostHeaderBytes; }
  constexpr uint32_t completion_offset() const { return issue_offset() + issue_bytes; }
  constexpr uint32_t timestamp_offset() const { return completion_offset() + completion_bytes; }
  constexpr uint32_t core_timing_offset() const { return timestamp_offset() + kTimestampSlotBytes * timestamp_slots; }
  constexpr uint32_t total_bytes() const {
    return (core_timing_offset() + kTimestampSlotBytes * core_timing_slots + 4095) & ~4095u;
  }
};
inline constexpr HostRegion kDefaultHostRegion{};
static_assert(kDefaultHostRegion.completion_offset() == 0x04000100);
static_assert(kDefaultHostRegion.timestamp_offset() == 0x06000100 && kDefaultHostRegion.total_bytes() == 0x06021000);

// Completion pointers: 16-byte units, toggle in bit 31.
inline constexpr uint32_t kCompletionPointerMask = 0x7FFFFFFF;
inline constexpr uint32_t kCompletionToggle = 0x80000000;
inline constexpr uint32_t kCompletionPageUnits = kPageBytes / 16;

}  // namespace kerr::arch::cq
