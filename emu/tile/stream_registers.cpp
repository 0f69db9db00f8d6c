#include "emu/tile/stream_registers.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"

namespace kerr::emu {

using namespace arch::stream;

namespace {

constexpr int kReadPointer = 19;
constexpr int kBufStart = 17;
constexpr int kWritePointer = 20;
constexpr int kMiscConfig = 2;
constexpr int kRemoteSrcPhase = 5;
constexpr int kReadPointerShadow = 262;
constexpr int kMessagesLeft = 263;
constexpr int kLastSpaceAvailable = 328;

// Which streams have a register.
enum class Has : uint8_t { None, Every, Multicast, Dram };

struct Row {
  const char* name = nullptr;
  int bits = 0;
  Has has = Has::None;
};

// docs/hardware/tile.md 5.2. What is missing here has no documented width.
constexpr std::array<Row, 42> rows() {
  std::array<Row, 42> r{};
  r[2] = {"MISC", 32, Has::Every};
  r[3] = {"MISC_CFG", 24, Has::Every};
  r[4] = {"REMOTE_SRC", 24, Has::Every};
  r[5] = {"REMOTE_SRC_PHASE", 20, Has::Every};
  r[6] = {"ACK_THRESHOLD", 4, Has::Every};
  r[7] = {"REMOTE_DEST", 18, Has::Every};
  r[8] = {"REMOTE_DEST_BUF_START", 17, Has::Every};
  r[9] = {"REMOTE_DEST_BUF_START_HI", 15, Has::Dram};
  r[10] = {"REMOTE_DEST_BUF_SIZE", 17, Has::Every};
  r[11] = {"REMOTE_DEST_WR_PTR", 17, Has::Every};
  r[13] = {"REMOTE_DEST_MSG_INFO_WR_PTR", 17, Has::Every};
  r[14] = {"HI", 15, Has::Dram};
  r[16] = {"TRAFFIC", 7, Has::Every};
  r[17] = {"BUF_START", 17, Has::Every};
  r[18] = {"BUF_SIZE", 17, Has::Every};
  r[19] = {"RD_PTR", 17, Has::Every};
  r[20] = {"WR_PTR", 17, Has::Every};
  r[22] = {"MSG_INFO_PTR", 17, Has::Every};
  r[23] = {"MSG_INFO_WR_PTR", 17, Has::Every};
  r[24] = {"MCAST_DEST", 19, Has::Multicast};
  r[25] = {"MCAST_DEST_NUM", 6, Has::Multicast};
  r[28] = {"CURR_PHASE_BASE", 20, Has::Every};
  r[29] = {"CURR_PHASE", 20, Has::Every};
  r[30] = {"PHASE_AUTO_CFG_PTR_BASE", 17, Has::Every};
  r[31] = {"PHASE_AUTO_CFG_PTR", 17, Has::Every};
  r[34] = {"PHASE_AUTO_CFG_HEADER", 32, Has::Every};
  r[35] = {"PERF_CONFIG", 32, Has::Every};
  for (int i = 36; i < 42; ++i) r[i] = {"SCRATCH", 24, Has::Dram};
  return r;
}
constexpr std::array<Row, 42> kRows = rows();

constexpr uint32_t mask(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

bool has(Has which, int stream) {
  switch (which) {
    case Has::Every: return true;
    case Has::Multicast: return stream < 4;
    case Has::Dram: return stream < 4 || (stream >= 8 && stream < 12);
    case Has::None: break;
  }
  return false;
}

// The register whose value is added on write and subtracted on read, or -1.
constexpr int base_of(int reg) {
  switch (reg) {
    case kRemoteSrcPhase:
    case kCurrPhase: return kCurrPhaseBase;
    case kPhaseAutoCfgPtr: return kPhaseAutoCfgPtrBase;
    default: return -1;
  }
}

constexpr int stream_of(uint32_t offset) { return static_cast<int>(offset / arch::kStreamStride); }
constexpr int register_of(uint32_t offset) { return static_cast<int>(offset % arch::kStreamStride / 4); }

const char* name_of(int reg) {
  if (reg < static_cast<int>(kRows.size())) return kRows[reg].name ? kRows[reg].name : "";
  switch (reg) {
    case kFirmwareScratch: return "FIRMWARE_SCRATCH";
    case kScratch32: return "SCRATCH32";
    case kWaitStatus: return "WAIT_STATUS";
    case kNumMsgsReceived: return "NUM_MSGS_RECEIVED";
    case kPhaseAdvance: return "PHASE_ADVANCE";
    case kSpaceAvailableUpdate: return "REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE";
    case kReset: return "RESET";
    case kSpaceAvailable: return "REMOTE_DEST_BUF_SPACE_AVAILABLE";
    default: return "";
  }
}

}  // namespace

// Names the circular buffer that stock firmware and ours keep in a stream (docs/hardware/tile.md 5.4): a hint for the
// reader of a report. The registers themselves are all alike.
std::string StreamRegisters::name(uint32_t offset) {
  constexpr int kFirstBufferStream = 8, kBuffers = 32;
  const int reg = register_of(offset);
  const int buffer = stream_of(offset) - kFirstBufferStream;
  const char* name = name_of(reg);
  std::string text = fmt::format("stream {} register {}", stream_of(offset), reg);
  if (*name) text += fmt::format(" ({})", name);
  if (buffer < 0 || buffer >= kBuffers) return text;
  if (reg == arch::stream::kRemoteDestBufSize) text += fmt::format(" = pages pushed to circular buffer {}", buffer);
  if (reg == arch::stream::kRemoteDestBufStart) text += fmt::format(" = pages popped from circular buffer {}", buffer);
  return text;
}

Access StreamRegisters::refuse(uint32_t offset, const char* action, const char* why) const {
  return reporter_.fault(
      FaultCategory::Unsupported, arch::kOverlayBase + offset,
      fmt::format("{} of {} at {:#010x}: {}", action, name(offset), arch::kOverlayBase + offset, why));
}

Access StreamRegisters::load(uint32_t offset, uint32_t& value) const {
  static const Stream kUntouched{};
  const int stream = stream_of(offset);
  const int reg = register_of(offset);
  const Stream& s = bank_ ? bank_->streams[stream] : kUntouched;
  value = 0;
  if (reg < kStored) {
    const Row& row = kRows[reg];
    if (reg == 26 || reg == 27) return Access::Done;  // gather: no stream has it
    if (!row.name) return refuse(offset, "load", "the register has no documented meaning that Kerr models");
    if (!has(row.has, stream)) return Access::Done;
    value = s.registers[reg];
    if (const int base = base_of(reg); base >= 0) value -= s.registers[base];
    value &= mask(row.bits);
    return Access::Done;
  }
  if (reg > kSpaceAvailable && reg <= kLastSpaceAvailable) {
    if (bank_ && stream < kMulticastStreams) value = bank_->more_space[stream][reg - kSpaceAvailable - 1];
    return Access::Done;
  }
  switch (reg) {
    case kSpaceAvailable: value = s.space; return Access::Done;
    case kWaitStatus: value = 1; return Access::Done;  // idle: waits for software
    case kNumMsgsReceived:
    case kMessagesLeft: return Access::Done;
    case kReadPointerShadow: value = s.read_pointer_shadow; return Access::Done;
    case kScratch32:
      if (has(Has::Dram, stream)) {
        value = s.scratch32;
        return Access::Done;
      }
      return refuse(offset, "load", "which streams have this register is not documented");
    case 224:
    case 225:
    case 226: return Access::Done;  // gather
    case kSpaceAvailableUpdate:
    case kPhaseAdvance:
    case kReset: return refuse(offset, "load", "the register is write only");
    default: return refuse(offset, "load", "the register has no documented meaning that Kerr models");
  }
}

Access StreamRegisters::store(uint32_t offset, uint32_t value) {
  const int stream = stream_of(offset);
  const int reg = register_of(offset);
  if (reg == kFirmwareScratch || reg == 224 || reg == 225 || reg == 226) return Access::Done;  // nothing is behind them
  if (!bank_) bank_ = std::make_unique<Bank>();
  board_.about_to_change(wait::stream(static_cast<unsigned>(stream)));
  if (reg < kStored) return store_configuration(offset, stream, reg, value);
  switch (reg) {
    case kSpaceAvailableUpdate: return add_space(offset, stream, value);
    case kScratch32:
      if (!has(Has::Dram, stream)) return refuse(offset, "store", "which streams have this register is not documented");
      bank_->streams[stream].scratch32 = value;
      return Access::Done;
    case 264:
    case 265:
    case 266:
    case kPhaseAdvance:
    case 268:
    case 269:
    case kReset:
      return refuse(offset, "store", "it would start or stop the stream, and Kerr does not model running streams");
    default: return refuse(offset, "store", "the register is read only or has no documented meaning that Kerr models");
  }
}

Access StreamRegisters::store_configuration(uint32_t offset, int stream, int reg, uint32_t value) {
  Stream& s = bank_->streams[stream];
  const Row& row = kRows[reg];
  if (reg == 26 || reg == 27) return Access::Done;
  if (!row.name) return refuse(offset, "store", "the register has no documented meaning that Kerr models");
  if (reg == kMiscConfig && (value & 1)) return refuse(offset, "store", "PHASE_AUTO_CONFIG may start the stream");
  if (!has(row.has, stream)) return Access::Done;
  if (const int base = base_of(reg); base >= 0) value += s.registers[base];
  value &= mask(row.bits);
  s.registers[reg] = value;
  switch (reg) {
    case kRemoteDestBufStart: s.registers[kRemoteDestWrPtr] = 0; break;
    case kRemoteDestBufSize:
      s.space = value;
      if (stream < kMulticastStreams) bank_->more_space[stream].fill(value);
      break;
    case kBufStart: s.registers[kReadPointer] = s.registers[kWritePointer] = 0; break;
    case kReadPointer: s.read_pointer_shadow = (s.registers[kBufStart] + value) & arch::kStreamCounterMask; break;
    case kPhaseAutoCfgHeader:
      s.registers[kPhaseAutoCfgHeader] = value & ~0xFFFu;
      s.registers[kCurrPhase] = (s.registers[kCurrPhase] + (value & 0xFFF)) & mask(20);
      break;
    default: break;
  }
  return Access::Done;
}

Access StreamRegisters::add_space(uint32_t offset, int stream, uint32_t value) {
  const uint32_t destination = value & 63;
  const uint32_t increment = value >> arch::kStreamIncrementShift & arch::kStreamCounterMask;
  if (destination != 0 && (stream >= kMulticastStreams || destination >= kDestinations)) {
    return refuse(offset, "store", "the destination index [5:0] must be 0, but for streams 0 to 3");
  }
  uint32_t& space = destination == 0 ? bank_->streams[stream].space : bank_->more_space[stream][destination - 1];
  space = (space + increment) & arch::kStreamCounterMask;
  return Access::Done;
}

void StreamRegisters::serialize(Archive& a) {
  bool made = bank_ != nullptr;
  a(made);
  if (a.loading() && made) bank_ = std::make_unique<Bank>();
  Bank none;
  a(bank_ ? *bank_ : none);
}

}  // namespace kerr::emu
