#include "emu/tensix/frontend/tt_sync.hpp"

#include "arch/tensix_config.hpp"
#include "emu/tensix/config/window.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu::tensix {
namespace {

using isa::tensix::Opcode;

enum Bit : TtSync::Set {
  kReadConfig = 1u << 0,
  kWriteConfig = 1u << 1,
  kUnpacker0 = 1u << 2,  // which configuration
  kUnpacker1 = 1u << 3,
  kOthers = 1u << 4,
  kReadGpr = 1u << 5,
  kWriteGpr = 1u << 6,
  kReadTdma = 1u << 7,
  kWriteTdma = 1u << 8,
};
constexpr unsigned kUnpackClass = 11;

unsigned class_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::ADDDMAREG:
    case Opcode::SUBDMAREG:
    case Opcode::MULDMAREG:
    case Opcode::BITWOPDMAREG:
    case Opcode::SHIFTDMAREG:
    case Opcode::CMPDMAREG:
    case Opcode::SETDMAREG: return 0;
    case Opcode::ATINCGET:
    case Opcode::ATINCGETPTR:
    case Opcode::ATSWAP:
    case Opcode::ATCAS: return 1;
    case Opcode::REG2FLOP: return 2;
    case Opcode::LOADIND:
    case Opcode::STOREIND: return 3;
    case Opcode::STREAMWRCFG:
    case Opcode::CFGSHIFTMASK: return 4;
    case Opcode::STOREREG: return 5;
    case Opcode::LOADREG: return 6;
    case Opcode::FLUSHDMA: return 7;
    case Opcode::WRCFG: return 8;
    case Opcode::RDCFG: return 9;
    case Opcode::XMOV: return 10;
    case Opcode::UNPACR:
    case Opcode::UNPACR_NOP: return kUnpackClass;
    case Opcode::PACR: return 12;
    case Opcode::MOP: return 13;
    case Opcode::REPLAY: return 14;
    default: return 15;
  }
}

// Whose configuration a word of the window is. The first THCON section holds words of unpacker 0 and of the packer.
TtSync::Set owner_of(uint32_t word) {
  if (word >= config_window::kThreadsFirst) return kOthers;
  const uint32_t w = word % config_window::kBankWords;
  const auto between = [w](uint32_t first, uint32_t last) { return w >= first && w <= last; };
  if (between(112, 159) || between(46, 47) || between(58, 63)) return kUnpacker1;
  if (between(44, 45) || between(48, 53) || between(56, 57)) return kUnpacker0;
  if (between(64, 111)) return kUnpacker0 | kOthers;
  return kOthers;
}

}  // namespace

bool TtSync::tracks(uint16_t enables, TrackedAccess::Kind kind) {
  namespace f = arch::thread_config;
  switch (kind) {
    case TrackedAccess::Kind::Config: return f::TENSIX_TRISC_SYNC_TrackGlobalCfg.get(enables) != 0;
    case TrackedAccess::Kind::Gpr: return f::TENSIX_TRISC_SYNC_TrackGPR.get(enables) != 0;
    case TrackedAccess::Kind::Tdma: return f::TENSIX_TRISC_SYNC_TrackTDMARegs.get(enables) != 0;
  }
  return false;
}

// A load waits for what writes, a store for what reads or writes.
bool TtSync::clash(Set pending, const TrackedAccess& access) {
  switch (access.kind) {
    case TrackedAccess::Kind::Gpr: return (pending & (access.store ? kReadGpr | kWriteGpr : kWriteGpr)) != 0;
    case TrackedAccess::Kind::Tdma: return (pending & (access.store ? kReadTdma | kWriteTdma : kWriteTdma)) != 0;
    case TrackedAccess::Kind::Config:
      return (pending & owner_of(access.word)) != 0 &&
             (pending & (access.store ? kReadConfig | kWriteConfig : kWriteConfig)) != 0;
  }
  return false;
}

bool TtSync::conflicts(uint32_t instruction, const TrackedAccess& access, uint16_t enables) const {
  const unsigned c = class_of(isa::tensix::opcode_of(instruction));
  Set pending = classes_[c];
  // An unpack instruction then counts for its own unpacker; what exactly is derived is not published, so for what all
  // units share as well.
  if (c == kUnpackClass && arch::thread_config::TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr.get(enables)) {
    constexpr uint32_t kSecondUnpacker = 1u << 23;
    pending &= static_cast<Set>(~(instruction & kSecondUnpacker ? kUnpacker0 : kUnpacker1));
  }
  return clash(pending, access);
}

}  // namespace kerr::emu::tensix
