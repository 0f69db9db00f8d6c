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
constexpr int kBufSize = 18;
constexpr int kMsgInfoPointer = 22;
constexpr int kMsgInfoWritePointer = 23;
constexpr int kBufSpaceAvailable = 260;
constexpr int kReadPointerShadow = 262;
constexpr int kMessagesLeft = 263;
constexpr int kCanPushNewMessage = 275;
constexpr int kLastSpaceAvailable = 328;
constexpr int kDebugStatus2 = 503;
constexpr uint32_t kReadsCompleteNotFull = 1 << 0, kAllSpacesAvailable = 1 << 3;  // of kDebugStatus2

// Which streams have a register.
enum class Has : uint8_t { None, Every, Multicast, Dram, DramOrReceiver };

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
    case Has::DramOrReceiver: return has(Has::Dram, stream) || stream == 4 || stream == 5;
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

// Beside the rows: commands, and status of a stream.
const char* name_of(int reg) {
  if (reg < static_cast<int>(kRows.size()) && kRows[reg].name) return kRows[reg].name;
  if (reg > kSpaceAvailable && reg <= kLastSpaceAvailable) return "REMOTE_DEST_BUF_SPACE_AVAILABLE";
  if (reg >= 224 && reg <= 226) return "LOCAL_SRC_MASK";
  if (reg >= 279 && reg <= 286) return "GLOBAL_OFFSET_TABLE_RD";
  if (reg >= 291 && reg <= 294) return "RECEIVER_ENDPOINT_SET_MSG_HEADER";
  if (reg >= 329 && reg <= 376) return "RECEIVER_MSG_INFO";
  if (reg >= 501 && reg <= 510) return "DEBUG_STATUS";
  switch (reg) {
    case 0: return "SOURCE_ENDPOINT_NEW_MSG_INFO";
    case 1: return "NUM_MSGS_RECEIVED_INC";
    case 12: return "REMOTE_DEST_MSG_INFO_BUF_SIZE";
    case 15: return "REMOTE_DEST_MSG_INFO_WRAP_WR_PTR";
    case 21: return "MSG_INFO_BUF_SIZE";
    case 26: return "GATHER";
    case 27: return "MSG_SRC_IN_ORDER_FWD_NUM_MSGS";
    case 32: return "RELOAD_PHASE_BLOB";
    case 33: return "MSG_HEADER_FORMAT";
    case 206: return "MSG_BLOB_BUF_START";
    case 207: return "GLOBAL_OFFSET_TABLE";
    case kFirmwareScratch: return "FIRMWARE_SCRATCH";
    case 254: return "MSG_HEADER_FETCH";
    case kScratch32: return "SCRATCH32";
    case kWaitStatus: return "WAIT_STATUS";
    case 258: return "NUM_MSGS_RECEIVED_IN_BUF_AND_MEM";
    case kNumMsgsReceived: return "NUM_MSGS_RECEIVED";
    case kBufSpaceAvailable: return "BUF_SPACE_AVAILABLE";
    case 261: return "MSG_INFO_BUF_SPACE_AVAILABLE";
    case kReadPointerShadow: return "NEXT_RECEIVED_MSG_ADDR";
    case kMessagesLeft: return "NEXT_RECEIVED_MSG_SIZE";
    case 264: return "MULTI_MSG_CLEAR";
    case 265: return "MSG_INFO_CLEAR";
    case 266: return "MSG_DATA_CLEAR";
    case kPhaseAdvance: return "PHASE_ADVANCE";
    case 268: return "DEST_PHASE_READY_UPDATE";
    case 269: return "SRC_READY_UPDATE";
    case kSpaceAvailableUpdate: return "REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE";
    case kReset: return "RESET";
    case 272: return "MSG_GROUP_ZERO_MASK_AND";
    case 273: return "MSG_INFO_FULL";
    case 274: return "MSG_INFO_FULLY_LOADED";
    case kCanPushNewMessage: return "MSG_INFO_CAN_PUSH_NEW_MSG";
    case 276: return "MSG_GROUP_COMPRESS";
    case 277: return "PHASE_ALL_MSGS_PUSHED";
    case 278: return "READY_FOR_MSG_PUSH";
    case 288:
    case 289: return "BLOB_AUTO_CFG_DONE";
    case 290: return "BLOB_NEXT_AUTO_CFG_DONE";
    case kSpaceAvailable: return "REMOTE_DEST_BUF_SPACE_AVAILABLE";
    case 499: return "DEBUG_STATUS_SEL";
    case 500: return "DEBUG_ASSERTIONS";
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

Access StreamRegisters::load(uint32_t offset, uint32_t& value, bool over_noc) const {
  const int stream = stream_of(offset);
  const int reg = register_of(offset);
  value = 0;
  if (reg < kStored && kRows[reg].name) {
    const Row& row = kRows[reg];
    if (!bank_ || !has(row.has, stream)) return Access::Done;
    const Stream& s = bank_->streams[stream];
    value = s.registers[reg];
    if (const int base = base_of(reg); base >= 0) value -= s.registers[base];
    value &= mask(row.bits);
    return Access::Done;
  }
  if (reg == kScratch32 && has(Has::DramOrReceiver, stream)) {
    if (bank_) value = bank_->streams[stream].scratch32;
    return Access::Done;
  }
  if (load_status(stream, reg, value) || (over_noc && reg < arch::kStreamRegisters)) return Access::Done;
  switch (reg) {
    case kScratch32: return refuse(offset, "load", "which streams have this register is not documented");
    case kSpaceAvailableUpdate:
    case kPhaseAdvance:
    case kReset: return refuse(offset, "load", "the register is write only");
    default: return refuse(offset, "load", "the register has no documented meaning that Kerr models");
  }
}

// Nothing is received or sent, no blob is loaded, and no operation was invalid.
bool StreamRegisters::load_status(int stream, int reg, uint32_t& value) const {
  static const Stream kUntouched{};
  const Stream& s = bank_ ? bank_->streams[stream] : kUntouched;
  if (reg > kSpaceAvailable && reg <= kLastSpaceAvailable) {
    if (bank_ && stream < kMulticastStreams) value = bank_->more_space[stream][reg - kSpaceAvailable - 1];
    return true;
  }
  switch (reg) {
    case kSpaceAvailable: value = s.space; return true;
    case kWaitStatus: value = 1; return true;  // waits for software
    case kReadPointerShadow: value = s.read_pointer_shadow; return true;
    case kBufSpaceAvailable: {
      const uint32_t size = s.registers[kBufSize], read = s.registers[kReadPointer], write = s.registers[kWritePointer];
      value = read == write || size == 0 ? size : (read + (size - write % size)) % size;
      return true;
    }
    case kCanPushNewMessage: value = s.registers[kMsgInfoPointer] == s.registers[kMsgInfoWritePointer]; return true;
    case kDebugStatus2: {
      bool all = s.space != 0;
      for (int i = 0; stream < kMulticastStreams && i < kDestinations - 1; ++i)
        all = all && bank_ && bank_->more_space[stream][i] != 0;
      value = kReadsCompleteNotFull | (all ? kAllSpacesAvailable : 0);
      return true;
    }
    case 26:  // gather: no stream has it
    case 27:
    case 224:
    case 225:
    case 226:
    case kNumMsgsReceived:
    case kMessagesLeft:
    case 258:
    case 261:
    case 272:
    case 273:
    case 274:
    case 276:
    case 277:
    case 278:
    case 288:
    case 289:
    case 290:
    case 500: return true;
    default: return false;
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
      if (!has(Has::DramOrReceiver, stream))
        return refuse(offset, "store", "which streams have this register is not documented");
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
