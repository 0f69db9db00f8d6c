#include "emu/tile/ethernet_registers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"

namespace kerr::emu {

namespace {

namespace eth = arch::ethernet;

constexpr uint32_t kRegisterPageBytes = 0x1000;

// Registers of a queue, by offset. Those of hardware count, and nothing arrives or leaves.
struct QueueRegister {
  uint32_t offset;
  bool counts;
  const char* name;
};
constexpr QueueRegister kTxRegisters[] = {
    {0x00, false, "CTRL"},         {0x04, false, "CMD"},         {0x08, true, "STATUS"},
    {0x0C, false, "MAX_PKT_SIZE"}, {0x14, false, "START_ADDR"},  {0x18, false, "SIZE"},
    {0x1C, false, "DEST_ADDR"},    {0x30, true, "TRANSFER_CNT"}, {0x34, true, "PKT_START_CNT"},
    {0x3C, true, "PKT_END_CNT"},   {0x40, true, "WORD_CNT"},     {0x44, false, "REMOTE_REG_DATA"},
    {0x48, false, "SEQ_TIMEOUT"},  {0x4C, false, "SEQ_UPDATE"},  {0x6C, false, "ACCEPT_AHEAD"},
    {0x80, false, "SEL_SW"},       {0x84, false, "SEL_HW"},      {0x88, false, "SEL_OVL"},
};
constexpr QueueRegister kRxRegisters[] = {
    {0x00, false, "CTRL"},      {0x04, true, "BYTE_CNT"},      {0x08, false, "BUF_PTR"},
    {0x0C, false, "BUF_START"}, {0x10, false, "BUF_SIZE"},     {0x14, true, "WORD_CNT"},
    {0x18, false, "HDR_CTRL"},  {0x24, true, "PKT_START_CNT"}, {0x28, true, "PKT_END_CNT"},
    {0x40, true, "LOCAL_SEQ"},  {0x44, true, "REMOTE_SEQ"},    {0x48, false, "TILE_HEADER_FORMAT"},
    {0x4C, true, "DROP_CNT"},   {0x50, true, "OUTSTANDING"},
};

bool in(uint32_t address, uint32_t base, uint32_t bytes) { return address - base < bytes; }
bool in_queues(uint32_t address, uint32_t base) { return in(address, base, eth::kQueues * eth::kQueueStride); }
bool is_pic(uint32_t address) { return in(address, eth::kPicBase, eth::kPicBytes); }

const QueueRegister* queue_register(uint32_t address) {
  const auto find = [address](const auto& rows) -> const QueueRegister* {
    for (const QueueRegister& row : rows)
      if (row.offset == address % eth::kQueueStride) return &row;
    return nullptr;
  };
  if (in_queues(address, eth::kTxQueueBase)) return find(kTxRegisters);
  if (in_queues(address, eth::kRxQueueBase)) return find(kRxRegisters);
  return nullptr;
}

uint32_t queue_of(uint32_t address) { return address / eth::kQueueStride % 4; }

bool is_command(uint32_t address) {
  return in_queues(address, eth::kTxQueueBase) && address % eth::kQueueStride == eth::kTxCommand;
}

}  // namespace

EthernetRegisters::EthernetRegisters(std::array<Hart, kHarts>& harts, L1& l1, DebugInterface& debug, WaitBoard& board,
                                     Reporter& reporter)
    : harts_(harts), l1_(l1), debug_(debug), board_(board), reporter_(reporter) {
  // As the base firmware leaves it on a port without a cable.
  l1_.store(eth::kPostCode, eth::kPostCodePass);
  l1_.store(eth::kPortStatus, eth::kPortDown);
  l1_.store(eth::kTraining, eth::kTrainingPass);
  l1_.store(eth::kHeartbeat, uint32_t{1});
  l1_.store(eth::kFirmwareVersion, eth::kFirmwareVersionValue);
  for (size_t queue = 0; queue < 2; ++queue) {
    tx_[queue][0] = 1;  // TT-link mode
    rx_[queue][0] = 2;
  }
  tx_[1][0x80 / 4] = 0x111;
  tx_[1][0x84 / 4] = 1;
  for (Queue& queue : rx_) queue[0x18 / 4] = 14;  // bytes of Ethernet header to strip
  headers_[0][0x18 / 4] = 0xFFFF'FFFF;
  headers_[0][0x1C / 4] = 0xFFFF;
  headers_[1][0x18 / 4] = 1;
  headers_[1][0x1C / 4] = 0x100;
}

bool EthernetRegisters::holds(uint32_t address) {
  return in(address, arch::kDebugBase, kRegisterPageBytes) || in(address, eth::kResetPc[0], kRegisterPageBytes) ||
         in_queues(address, eth::kTxQueueBase) || in_queues(address, eth::kRxQueueBase) ||
         in(address, eth::kControlBase, eth::kTxHeaderBase - eth::kControlBase) ||
         in(address, eth::kTxHeaderBase, eth::kTxHeaders * eth::kTxHeaderStride) ||
         in(address, eth::kClassifierBase, eth::kClassifierBytes) || in(address, eth::kMacBase, eth::kMacBytes);
}

std::string EthernetRegisters::name(uint32_t address) {
  const auto named = [address](const std::string& text) { return fmt::format("{} ({:#010x})", text, address); };
  switch (address) {
    case arch::kSoftReset0: return named("SOFT_RESET_0");
    case arch::kWallClockL:
    case arch::kWallClock1:
    case arch::kWallClockH: return named("WALL_CLOCK");
    case eth::kResetPc[0]: return named("reset PC of E0");
    case eth::kResetPc[1]: return named("reset PC of E1");
    case arch::kRiscDbgCntl0: return named("RISC_DBG_CNTL_0");
    case arch::kRiscDbgCntl1: return named("RISC_DBG_CNTL_1");
    case arch::kRiscDbgStatus0: return named("RISC_DBG_STATUS_0");
    case arch::kRiscDbgStatus1: return named("RISC_DBG_STATUS_1");
    case arch::kDbgBusCtrl: return named("DBG_BUS_CTRL");
    case arch::kDbgRdData: return named("DBG_RD_DATA");
    case eth::kPcsStatus: return named("PCS_STATUS");
    case eth::kRxRouting: return named("MAC_RX_ROUTING");
    case eth::kRxAddressRouting: return named("MAC_RX_ADDR_ROUTING");
    default: break;
  }
  if (is_pic(address)) return named("the interrupt controller");
  if (const QueueRegister* row = queue_register(address)) {
    const char* direction = in_queues(address, eth::kTxQueueBase) ? "TX" : "RX";
    return named(fmt::format("{} of {} queue {}", row->name, direction, queue_of(address)));
  }
  if (in(address, eth::kTxHeaderBase, eth::kTxHeaders * eth::kTxHeaderStride))
    return named(fmt::format("TX header {}", (address - eth::kTxHeaderBase) / eth::kTxHeaderStride));
  if (in(address, eth::kClassifierBase, eth::kClassifierBytes)) return named("the RX classifier");
  if (in(address, eth::kMacBase, eth::kMacBytes)) return named("the MAC");
  return fmt::format("{:#010x}", address);
}

// Registers that keep what is written.
uint32_t* EthernetRegisters::storage(uint32_t address) {
  for (size_t i = 0; i < reset_pc_.size(); ++i)
    if (address == eth::kResetPc[i]) return &reset_pc_[i];
  if (address == eth::kRxRouting) return &rx_routing_[0];
  if (address == eth::kRxAddressRouting) return &rx_routing_[1];
  if (queue_register(address)) {
    auto& queues = in_queues(address, eth::kTxQueueBase) ? tx_ : rx_;
    return &queues[queue_of(address)][address % eth::kQueueStride / 4];
  }
  if (in(address, eth::kTxHeaderBase, eth::kTxHeaders * eth::kTxHeaderStride)) {
    const uint32_t word = (address - eth::kTxHeaderBase) % eth::kTxHeaderStride / 4;
    if (word < kHeaderWords) return &headers_[(address - eth::kTxHeaderBase) / eth::kTxHeaderStride][word];
  }
  return nullptr;
}

// Only of those that the interface and its bus have.
uint32_t* EthernetRegisters::debug_word(uint32_t address) {
  if (!debugged_) debugged_ = std::make_unique<Debugged>();
  switch (address) {
    case arch::kRiscDbgCntl0: return &debugged_->control;
    case arch::kRiscDbgCntl1: return &debugged_->data;
    case arch::kRiscDbgStatus0: return &debugged_->status;
    case arch::kRiscDbgStatus1: return &debugged_->result;
    default: return &debugged_->bus_control;
  }
}

void EthernetRegisters::control_debug(uint32_t value, Cycle now) {
  if (!debugged_) debugged_ = std::make_unique<Debugged>();
  DebugInterface::Words words{debugged_->control, debugged_->data, debugged_->status, debugged_->result};
  debug_.control(words, value, now);
  *debugged_ = {words.control, words.data, words.status, words.result, debugged_->bus_control};
}

Access EthernetRegisters::load(uint32_t address, uint32_t& value, Cycle now) {
  value = 0;
  if (clock_.load(address, value, now, board_)) return Access::Done;
  switch (address) {
    case arch::kSoftReset0: value = soft_reset_; return Access::Done;
    case eth::kPcsStatus: return Access::Done;  // no link
    case arch::kRiscDbgCntl0:
    case arch::kRiscDbgCntl1:
    case arch::kRiscDbgStatus0:
    case arch::kRiscDbgStatus1:
    case arch::kDbgBusCtrl:
      if (debugged_) value = *debug_word(address);
      return Access::Done;
    case arch::kDbgRdData:
      if (const auto pc = debug_.pc_on_bus(debugged_ ? debugged_->bus_control : 0)) {
        value = *pc;
        return Access::Done;
      }
      break;
    default: break;
  }
  if (is_pic(address)) return Access::Done;
  if (const uint32_t* word = storage(address)) {
    value = *word;
    return Access::Done;
  }
  return reporter_.fault(FaultCategory::Unsupported, address,
                         fmt::format("load of {}, which Kerr does not model in an Ethernet tile", name(address)));
}

Access EthernetRegisters::store(uint32_t address, uint32_t value, Cycle now) {
  board_.about_to_change(wait::kDebugRegisters);
  if (clock_.store(address, now)) return Access::Done;
  switch (address) {
    case arch::kSoftReset0: write_soft_reset(value, now); return Access::Done;
    case eth::kPcsStatus: return Access::Done;  // ignored
    case arch::kRiscDbgCntl0: control_debug(value, now); return Access::Done;
    case arch::kRiscDbgCntl1:
    case arch::kDbgBusCtrl: *debug_word(address) = value; return Access::Done;
    case arch::kRiscDbgStatus0:
    case arch::kRiscDbgStatus1:
      return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                             fmt::format("store of {:#x} to {}, which is read only", value, name(address)));
    default: break;
  }
  if (is_pic(address)) {
    if (value == 0) return Access::Done;
    return reporter_.fault(FaultCategory::Unsupported, address,
                           fmt::format("store of {:#x} to {}: Kerr delivers no interrupts", value, name(address)));
  }
  if (is_command(address)) {
    if (value == 0) return Access::Done;
    return reporter_.fault(FaultCategory::Unsupported, address,
                           fmt::format("store of {:#x} to {}: a packet is to be sent, but no link of this chip is up",
                                       value, name(address)),
                           "PORT_STATUS at 0x7CC04 of L1 says that the port is down.");
  }
  const QueueRegister* row = queue_register(address);
  if (row && row->counts) {
    return reporter_.fault(FaultCategory::Unsupported, address,
                           fmt::format("store of {:#x} to {}, which hardware counts", value, name(address)));
  }
  if (uint32_t* word = storage(address)) {
    *word = value;
    return Access::Done;
  }
  return reporter_.fault(FaultCategory::Unsupported, address,
                         fmt::format("store to {}, which Kerr does not model in an Ethernet tile", name(address)));
}

void EthernetRegisters::write_soft_reset(uint32_t value, Cycle now) {
  const uint32_t before = soft_reset_;
  const uint32_t after = value & eth::kSoftResetMask;
  if (before == after) return;
  board_.about_to_change(~WaitMask{0});
  soft_reset_ = after;
  for (int i = 0; i < eth::kHarts; ++i) {
    const uint32_t bit = 1u << eth::kSoftResetBit[static_cast<size_t>(i)];
    if (~before & after & bit) hart(i).hold_reset();
  }
  for (int i = 0; i < eth::kHarts; ++i) {
    const uint32_t bit = 1u << eth::kSoftResetBit[static_cast<size_t>(i)];
    const uint32_t pc = reset_pc_[static_cast<size_t>(i)];
    if (!(before & ~after & bit) || pc == 0) continue;
    hart(i).reset_debug_unit();
    hart(i).release_reset(pc, board_.start_of(agent_of(hart(i).index()), now), false);
  }
}

WaitMask EthernetRegisters::watch_of(uint32_t address) const {
  const bool clock = address >= arch::kWallClockL && address <= arch::kWallClockH;
  return clock || address == arch::kDbgRdData ? WaitMask{0} : wait::kDebugRegisters;
}

void EthernetRegisters::host_has_read(uint64_t address, uint64_t bytes) {
  if (address > eth::kHeartbeat || address + bytes < eth::kHeartbeat + 4) return;
  if (hart(0).state().status != HartStatus::InReset) return;
  l1_.store(eth::kHeartbeat, l1_.load<uint32_t>(eth::kHeartbeat) + 1);
}

}  // namespace kerr::emu
