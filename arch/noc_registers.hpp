#pragma once

#include <stdint.h>

#include "arch/memory_map.hpp"

// NIU registers. Offsets are from the base of the NIU's block.                   docs/hardware/noc.md 2
namespace kerr::arch {

constexpr uint32_t niu_base(int noc) { return kNiuBase + kNiuStride * static_cast<uint32_t>(noc); }

namespace niu {

// Command buffers. noc.md 2.2
inline constexpr int kCommandBuffers = 4;
inline constexpr uint32_t kCommandBufferStride = 0x800;
inline constexpr uint32_t kTargAddrLo = 0x00;
inline constexpr uint32_t kTargAddrMid = 0x04;
inline constexpr uint32_t kTargAddrHi = 0x08;
inline constexpr uint32_t kRetAddrLo = 0x0C;
inline constexpr uint32_t kRetAddrMid = 0x10;
inline constexpr uint32_t kRetAddrHi = 0x14;
inline constexpr uint32_t kPacketTag = 0x18;
inline constexpr uint32_t kCtrl = 0x1C;
inline constexpr uint32_t kAtLenBe = 0x20;
inline constexpr uint32_t kAtLenBe1 = 0x24;
inline constexpr uint32_t kAtData = 0x28;
inline constexpr uint32_t kBrcstExclude = 0x2C;
inline constexpr uint32_t kL1AccAtInstrn = 0x30;
inline constexpr uint32_t kSecCtrl = 0x34;
inline constexpr uint32_t kCmdCtrl = 0x40;
inline constexpr uint32_t kCmdCtrlIssue = 1;  // write to issue; reads 1 until accepted

inline constexpr uint32_t kNodeId = 0x44;      // same value in every command buffer
inline constexpr uint32_t kEndpointId = 0x48;
inline constexpr uint32_t kNumMemParityErr = 0x50;
inline constexpr uint32_t kNumHeader1bErr = 0x54;
inline constexpr uint32_t kNumHeader2bErr = 0x58;
inline constexpr uint32_t kEccCtrl = 0x5C;
inline constexpr uint32_t kClearOutstandingReqCnt = 0x60;
inline constexpr uint32_t kCmdBufAvail = 0x64;
inline constexpr uint32_t kCmdBufOvfl = 0x68;

// PACKET_TAG. noc.md 2.3
inline constexpr int kTagTransactionIdShift = 10;
inline constexpr uint32_t kTagTransactionIdMask = 0xF;
inline constexpr uint32_t kTagHeaderStore = 1u << 9;

// CTRL. noc.md 2.4
inline constexpr uint32_t kCtrlTypeMask = 3;
inline constexpr uint32_t kCtrlRead = 0;
inline constexpr uint32_t kCtrlAtomic = 1;
inline constexpr uint32_t kCtrlWrite = 2;
inline constexpr uint32_t kCtrlByteEnable = 1u << 2;
inline constexpr uint32_t kCtrlInline = 1u << 3;
inline constexpr uint32_t kCtrlRespMarked = 1u << 4;  // non-posted
inline constexpr uint32_t kCtrlBroadcast = 1u << 5;
inline constexpr uint32_t kCtrlVcLinked = 1u << 6;
inline constexpr uint32_t kCtrlVcStatic = 1u << 7;
inline constexpr uint32_t kCtrlPathReserve = 1u << 8;
inline constexpr uint32_t kCtrlMemRdDropAck = 1u << 9;
inline constexpr int kCtrlStaticVcShift = 13;
inline constexpr uint32_t kCtrlStaticVcMask = 7;
inline constexpr uint32_t kCtrlBroadcastXy = 1u << 16;  // 0: X is the major axis
inline constexpr uint32_t kCtrlBroadcastSrcInclude = 1u << 17;
inline constexpr int kCtrlArbPriorityShift = 27;
inline constexpr uint32_t kCtrlL1AccAtEn = 1u << 31;
constexpr uint32_t ctrl_static_vc(uint32_t vc) { return kCtrlVcStatic | (vc << kCtrlStaticVcShift); }

// The control words that firmware writes.
inline constexpr uint32_t kUnicastVc = 1;
inline constexpr uint32_t kMulticastVc = 4;
inline constexpr uint32_t kCtrlWordRead = kCtrlRead | kCtrlRespMarked | ctrl_static_vc(kUnicastVc);
inline constexpr uint32_t kCtrlWordWrite = kCtrlWrite | kCtrlRespMarked | ctrl_static_vc(kUnicastVc);
inline constexpr uint32_t kCtrlWordWritePosted = kCtrlWrite | ctrl_static_vc(kUnicastVc);
inline constexpr uint32_t kCtrlWordMulticast =
    kCtrlWrite | kCtrlRespMarked | kCtrlBroadcast | kCtrlPathReserve | ctrl_static_vc(kMulticastVc);
inline constexpr uint32_t kCtrlWordInline = kCtrlWordWrite | kCtrlInline;
inline constexpr uint32_t kCtrlWordInlinePosted = kCtrlWordWritePosted | kCtrlInline;
inline constexpr uint32_t kCtrlWordAtomic = kCtrlAtomic | kCtrlRespMarked | ctrl_static_vc(kUnicastVc);
static_assert(kCtrlWordRead == 0x2090 && kCtrlWordWrite == 0x2092 && kCtrlWordWritePosted == 0x2082);
static_assert(kCtrlWordMulticast == 0x81B2 && kCtrlWordInline == 0x209A && kCtrlWordInlinePosted == 0x208A);
static_assert(kCtrlWordAtomic == 0x2091);

// AT_LEN_BE of an atomic. noc.md 4
enum class Atomic : uint8_t {
  Nop = 0x0,
  IncrementGet = 0x1,
  IncrementGetPtr = 0x2,
  SwapMask = 0x3,
  CompareAndSwap = 0x4,
  GetTileMap = 0x5,
  SwapIndex = 0x6,
  Swap4Byte = 0x7,
  RiscvAmo = 0x8,
  Accumulate = 0x9,
};
inline constexpr int kAtomicOpShift = 12;
// 32-bit increment of the word at `address` by AT_DATA.
constexpr uint32_t atomic_increment(uint32_t address) { return 0x1000u | (31u << 2) | ((address >> 2) & 3); }
static_assert(atomic_increment(0) == 0x107C);

// Configuration. noc.md 2.5
inline constexpr uint32_t kConfigBase = 0x100;
inline constexpr uint32_t kNiuCfg0 = 0x100;
inline constexpr uint32_t kRouterCfg0 = 0x104;
inline constexpr uint32_t kRouterCfg1 = 0x108;  // broadcast opt-out by column
inline constexpr uint32_t kRouterCfg2 = 0x10C;
inline constexpr uint32_t kRouterCfg3 = 0x110;  // broadcast opt-out by row
inline constexpr uint32_t kRouterCfg4 = 0x114;
inline constexpr uint32_t kXTranslateTable0 = 0x118;  // six words, six 5-bit entries each
inline constexpr uint32_t kYTranslateTable0 = 0x130;
inline constexpr uint32_t kIdLogical = 0x148;
inline constexpr uint32_t kMemoryShutdownControl = 0x14C;
inline constexpr uint32_t kTranslateColMask = 0x150;
inline constexpr uint32_t kTranslateRowMask = 0x154;
inline constexpr uint32_t kDdrTranslateTable0 = 0x158;
inline constexpr uint32_t kDdrTranslateColSwap = 0x170;
inline constexpr uint32_t kDebugCounterReset = 0x174;
inline constexpr uint32_t kTransCountRtzCfg = 0x178;
inline constexpr uint32_t kTransCountRtzClr = 0x17C;
inline constexpr uint32_t kConfigEnd = 0x180;

inline constexpr uint32_t kNiuCfg0ClockGate = 1u << 0;
inline constexpr uint32_t kNiuCfg0TileClockOff = 1u << 12;
inline constexpr uint32_t kNiuCfg0HeaderDoubleStoreOff = 1u << 13;
inline constexpr uint32_t kNiuCfg0TranslateEnable = 1u << 14;
inline constexpr uint32_t kNiuCfg0AxiSubordinate = 1u << 15;  // DRAM tiles: 1 = GDDR view
inline constexpr uint32_t kNiuCfg0AfterArc = kNiuCfg0HeaderDoubleStoreOff | kNiuCfg0TranslateEnable;
inline constexpr uint32_t kRouterCfg0AfterArc = 0xF00;
inline constexpr int kTranslateEntriesPerWord = 6;
inline constexpr int kTranslateEntryBits = 5;

// Counters: index to offset. noc.md 2.6
enum Counter : uint8_t {
  kMstAtomicRespReceived = 0x00,
  kMstWrAckReceived = 0x01,
  kMstRdRespReceived = 0x02,
  kMstRdDataWordReceived = 0x03,
  kMstCmdAccepted = 0x04,
  kMstRdReqSent = 0x05,
  kMstNonpostedAtomicSent = 0x06,
  kMstPostedAtomicSent = 0x07,
  kMstNonpostedWrDataWordSent = 0x08,
  kMstPostedWrDataWordSent = 0x09,
  kMstNonpostedWrReqSent = 0x0A,
  kMstPostedWrReqSent = 0x0B,
  kMstNonpostedWrReqStarted = 0x0C,
  kMstPostedWrReqStarted = 0x0D,
  kMstRdReqStarted = 0x0E,
  kMstNonpostedAtomicStarted = 0x0F,
  kMstReqsOutstandingId = 0x10,        // 16 counters of 8 bits
  kMstWriteReqsOutgoingId = 0x20,      // 16 counters of 8 bits
  kSlvAtomicRespSent = 0x30,
  kSlvWrAckSent = 0x31,
  kSlvRdRespSent = 0x32,
  kSlvRdDataWordSent = 0x33,
  kSlvReqAccepted = 0x34,
  kSlvRdReqReceived = 0x35,
  kSlvNonpostedAtomicReceived = 0x36,
  kSlvPostedAtomicReceived = 0x37,
  kSlvNonpostedWrDataWordReceived = 0x38,
  kSlvPostedWrDataWordReceived = 0x39,
  kSlvNonpostedWrReqReceived = 0x3A,
  kSlvPostedWrReqReceived = 0x3B,
  kSlvNonpostedWrReqStarted = 0x3C,
  kSlvPostedWrReqStarted = 0x3D,
};
inline constexpr int kCounters = 0x40;
inline constexpr uint32_t kCounterBase = 0x200;
constexpr uint32_t counter_offset(int index) { return kCounterBase + 4u * static_cast<uint32_t>(index); }

inline constexpr uint32_t kRouterDebugBase = 0x300;
inline constexpr uint32_t kTransCountRtzNum = 0x378;
inline constexpr uint32_t kTransCountRtzSource = 0x37C;
inline constexpr uint32_t kSecurityFenceBase = 0x400;
inline constexpr uint32_t kFlitCounterBase = 0x500;
inline constexpr uint32_t kBlockBytes = 0x2000;

inline constexpr uint32_t kMaxPacketBytes = 16384;
inline constexpr uint32_t kFlitBytes = 64;

// Broadcast corner fields of *_ADDR_HI.
constexpr uint32_t multicast_hi(uint32_t x_start, uint32_t y_start, uint32_t x_end, uint32_t y_end) {
  return x_end | (y_end << 6) | (x_start << 12) | (y_start << 18);
}

}  // namespace niu

constexpr uint32_t niu_address(int noc, int buffer, uint32_t offset) {
  return niu_base(noc) + niu::kCommandBufferStride * static_cast<uint32_t>(buffer) + offset;
}
constexpr uint32_t niu_counter_address(int noc, int index) { return niu_base(noc) + niu::counter_offset(index); }

// NOC_NODE_ID of a tile from its coordinate in the own numbering of that NoC.
constexpr uint32_t node_id(int noc, uint32_t own_x, uint32_t own_y) {
  return own_x | (own_y << 6) | (17u << 12) | (12u << 19) | (noc == 0 ? 1u << 28 : 0u);
}
static_assert(node_id(0, 1, 2) == 0x1061'1081 && node_id(1, 15, 9) == 0x0061'124F);

// Types of NOC_ENDPOINT_ID [23:8].
enum class EndpointType : uint16_t {
  Tensix = 0x0100,
  Ethernet = 0x0200,
  Pcie = 0x0300,
  Arc = 0x0500,
  Dram = 0x0800,
  L2Cpu = 0x0901,
  Security = 0x0A00,
};
constexpr uint32_t endpoint_id(int noc, EndpointType type, uint32_t index) {
  return index | (static_cast<uint32_t>(type) << 8) | (static_cast<uint32_t>(noc) << 24);
}

}  // namespace kerr::arch
