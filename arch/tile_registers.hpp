#pragma once

#include <stdint.h>

#include "arch/memory_map.hpp"

// Registers of a Tensix tile outside NIU, overlay and coprocessor: one row each.
// docs/hardware/tile.md 1.10, 2.4, 3.1 to 3.5
namespace kerr::arch {

enum class RegisterAccess : uint8_t { ReadWrite, ReadOnly, WriteOnly };

// pure: a load has no effect and returns the same value until something is written to the tile. Clocks, counters and
// reads that latch, pop or clear are not pure; a hart that polls them is never parked on them.
struct TileRegister {
  const char* name;
  uint32_t address;
  RegisterAccess access;
  bool pure;
};

// X(name, address, access, pure)
// clang-format off
#define KERR_TILE_REGISTERS(X)                                   \
  X(TdmaXmovSource,          0xFFB11000, ReadWrite, true)       \
  X(TdmaXmovDest,            0xFFB11004, ReadWrite, true)       \
  X(TdmaXmovSize,            0xFFB11008, ReadWrite, true)       \
  X(TdmaXmovDirection,       0xFFB1100C, ReadWrite, true)       \
  X(TdmaCommand,             0xFFB11010, WriteOnly, false)      \
  X(TdmaStatus,              0xFFB11014, ReadOnly,  false)      \
  X(TdmaPackedSize,          0xFFB11018, ReadOnly,  false)      \
  X(TdmaAccPackedSize,       0xFFB1101C, ReadWrite, false)      \
  X(TdmaZeroFlags,           0xFFB11020, ReadOnly,  false)      \
  X(TdmaClkGateEn,           0xFFB11024, ReadWrite, true)       \
  X(TdmaClkGateHyst,         0xFFB11028, ReadWrite, true)       \
  X(TdmaXmovL1BaseAddr,      0xFFB1102C, ReadWrite, true)       \
  X(TdmaMetadataPeek,        0xFFB11030, ReadOnly,  false)      \
  X(TdmaMetadataPop,         0xFFB11034, ReadWrite, false)      \
  X(TdmaPackBases,           0xFFB11038, ReadWrite, false)      \
  X(TdmaPackScalers,         0xFFB1103C, ReadWrite, false)      \
  X(DbgBusCtrl,              0xFFB12054, ReadWrite, true)       \
  X(CfgRegRdCntl,            0xFFB12058, ReadWrite, true)       \
  X(DbgRdData,               0xFFB1205C, ReadOnly,  false)      \
  X(DbgArrayRdEn,            0xFFB12060, ReadWrite, true)       \
  X(DbgArrayRdCmd,           0xFFB12064, ReadWrite, true)       \
  X(DbgFeatureDisable,       0xFFB12068, ReadWrite, true)       \
  X(DbgArrayRdData,          0xFFB1206C, ReadOnly,  false)      \
  X(CgCtrlHyst0,             0xFFB12070, ReadWrite, true)       \
  X(CgCtrlHyst1,             0xFFB12074, ReadWrite, true)       \
  X(CfgRegRdData,            0xFFB12078, ReadOnly,  false)      \
  X(CgCtrlHyst2,             0xFFB1207C, ReadWrite, true)       \
  X(RiscDbgCntl0,            0xFFB12080, ReadWrite, true)       \
  X(RiscDbgCntl1,            0xFFB12084, ReadWrite, true)       \
  X(RiscDbgStatus0,          0xFFB12088, ReadOnly,  false)      \
  X(RiscDbgStatus1,          0xFFB1208C, ReadOnly,  false)      \
  X(TriscPcBufOverride,      0xFFB12090, ReadWrite, true)       \
  X(DbgInvalidInstrn,        0xFFB12094, ReadWrite, true)       \
  X(InstrnBufCtrl0,          0xFFB120A0, ReadWrite, true)       \
  X(InstrnBufCtrl1,          0xFFB120A4, ReadWrite, true)       \
  X(InstrnBufStatus,         0xFFB120A8, ReadOnly,  false)      \
  X(StochRndMask0,           0xFFB120AC, ReadWrite, true)       \
  X(StochRndMask1,           0xFFB120B0, ReadWrite, true)       \
  X(FpuStickyBits,           0xFFB120B4, ReadWrite, false)      \
  X(SoftReset0,              0xFFB121B0, ReadWrite, true)       \
  X(EccCtrl,                 0xFFB121D0, ReadWrite, true)       \
  X(EccStatus,               0xFFB121D4, ReadOnly,  true)       \
  X(WatchdogTimer,           0xFFB121E0, ReadWrite, false)      \
  X(WdtCntl,                 0xFFB121E4, ReadWrite, true)       \
  X(WdtStatus,               0xFFB121E8, ReadWrite, false)      \
  X(WallClockL,              0xFFB121F0, ReadWrite, false)      \
  X(WallClock1,              0xFFB121F4, ReadOnly,  false)      \
  X(WallClockH,              0xFFB121F8, ReadOnly,  false)      \
  X(Timestamp,               0xFFB121FC, ReadWrite, true)       \
  X(TimestampCtrl,           0xFFB12200, ReadWrite, true)       \
  X(TimestampStatus,         0xFFB12204, ReadWrite, false)      \
  X(TimestampBuf0Start,      0xFFB12208, ReadWrite, true)       \
  X(TimestampBuf0End,        0xFFB1220C, ReadWrite, true)       \
  X(TimestampBuf1Start,      0xFFB12210, ReadWrite, true)       \
  X(TimestampBuf1End,        0xFFB12214, ReadWrite, true)       \
  X(PerfCntMuxCtrl,          0xFFB12218, ReadWrite, true)       \
  X(DbgL1ReadbackOffset,     0xFFB1221C, ReadWrite, true)       \
  X(LfsrHitMask,             0xFFB12220, ReadWrite, true)       \
  X(DisableReset,            0xFFB12224, ReadWrite, true)       \
  X(Trisc0ResetPc,           0xFFB12228, ReadWrite, true)       \
  X(Trisc1ResetPc,           0xFFB1222C, ReadWrite, true)       \
  X(Trisc2ResetPc,           0xFFB12230, ReadWrite, true)       \
  X(TriscResetPcOverride,    0xFFB12234, ReadWrite, true)       \
  X(NcriscResetPc,           0xFFB12238, ReadWrite, true)       \
  X(NcriscResetPcOverride,   0xFFB1223C, ReadWrite, true)       \
  X(DestCgCtrl,              0xFFB12240, ReadWrite, true)       \
  X(CgCtrlEn,                0xFFB12244, ReadWrite, true)       \
  X(CgKick,                  0xFFB12248, ReadWrite, true)       \
  X(PicBriscSwIntEn,         0xFFB13000, ReadWrite, true)       \
  X(PicBriscHwIntEn,         0xFFB13004, ReadWrite, true)       \
  X(PicBriscIntNo,           0xFFB13008, ReadOnly,  false)      \
  X(PicNcriscSwIntEn,        0xFFB1300C, ReadWrite, true)       \
  X(PicNcriscHwIntEn,        0xFFB13010, ReadWrite, true)       \
  X(PicNcriscIntNo,          0xFFB13014, ReadOnly,  false)
// clang-format on

#define X(name, address, access, pure) inline constexpr uint32_t k##name = address;
KERR_TILE_REGISTERS(X)
#undef X

inline constexpr TileRegister kTileRegisters[] = {
#define X(name, address, access, pure) {#name, address, RegisterAccess::access, pure},
    KERR_TILE_REGISTERS(X)
#undef X
};

// The row of an address, or null for addresses that are not in the table.
constexpr const TileRegister* find_tile_register(uint32_t address) {
  for (const TileRegister& r : kTileRegisters)
    if (r.address == address) return &r;
  return nullptr;
}

// Families that have one register per index.
inline constexpr uint32_t kPicSwInt = 0xFFB1'3018;    // 32 words; a load returns the value and clears it
inline constexpr uint32_t kPicHwInt = 0xFFB1'3098;    // 4 words; a load clears
inline constexpr uint32_t kPicSwIntPc = 0xFFB1'30A8;  // 32 words
inline constexpr uint32_t kPicHwIntPc = 0xFFB1'3128;  // 4 words
inline constexpr uint32_t kPerfCountersBase = 0xFFB1'2000;

// SOFT_RESET_0. tile.md 3.1
inline constexpr uint32_t kSoftResetAllHarts = 0x47800;  // also the power-on value
inline constexpr uint32_t kSoftResetBriscRuns = 0x47000;
inline constexpr uint32_t kSoftResetNone = 0;
inline constexpr uint32_t kSoftResetUnpackers = 0x83;
inline constexpr uint32_t kSoftResetPackers = 0x3C;
inline constexpr uint32_t kSoftResetMover = 1u << 6;
inline constexpr uint32_t kSoftResetTdma = 1u << 8;
inline constexpr uint32_t kSoftResetThcon = 1u << 9;
inline constexpr uint32_t kSoftResetMath = 1u << 10;
inline constexpr uint32_t kSoftResetSrcAOwnership = 1u << 15;
inline constexpr uint32_t kSoftResetSrcB = 1u << 16;
inline constexpr uint32_t kSoftResetPackerDst = 1u << 17;
inline constexpr uint32_t kSoftResetSrcAColumns = 1u << 19;  // .. bit 22, four columns each

// Backend configuration words that act on harts (byte addresses in the configuration window).
inline constexpr uint32_t kIcInvalidateAll = kConfigBase + 4 * 185;  // write-triggered mask, order kIcInvalidateBit
inline constexpr uint32_t kPrngSeed = kConfigBase + 4 * 186;
inline constexpr uint32_t kEccScrubber = kConfigBase + 4 * 3;

// CSR cfg0. tile.md 1.4
inline constexpr uint32_t kCfg0Reset = 0x0002'0000;

}  // namespace kerr::arch
