#include <array>
#include <string>

#include <fmt/format.h>

#include "emu/noc/niu.hpp"

namespace kerr::emu {

namespace {

// clang-format off
constexpr std::array<const char*, 19> kBuffer{
    "TARG_ADDR_LO", "TARG_ADDR_MID", "TARG_ADDR_HI", "RET_ADDR_LO", "RET_ADDR_MID",
    "RET_ADDR_HI", "PACKET_TAG", "CTRL", "AT_LEN_BE", "AT_LEN_BE_1",
    "AT_DATA", "BRCST_EXCLUDE", "L1_ACC_AT_INSTRN", "SEC_CTRL", "",
    "", "CMD_CTRL", "NODE_ID", "ENDPOINT_ID"};

constexpr std::array<const char*, 32> kConfig{
    "NIU_CFG_0", "ROUTER_CFG_0", "ROUTER_CFG_1", "ROUTER_CFG_2",
    "ROUTER_CFG_3", "ROUTER_CFG_4", "X_TRANSLATE_0", "X_TRANSLATE_1",
    "X_TRANSLATE_2", "X_TRANSLATE_3", "X_TRANSLATE_4", "X_TRANSLATE_5",
    "Y_TRANSLATE_0", "Y_TRANSLATE_1", "Y_TRANSLATE_2", "Y_TRANSLATE_3",
    "Y_TRANSLATE_4", "Y_TRANSLATE_5", "NOC_ID_LOGICAL", "MEMORY_SHUTDOWN_CONTROL",
    "TRANSLATE_COL_MASK", "TRANSLATE_ROW_MASK", "DDR_TRANSLATE_0", "DDR_TRANSLATE_1",
    "DDR_TRANSLATE_2", "DDR_TRANSLATE_3", "DDR_TRANSLATE_4", "DDR_TRANSLATE_5",
    "DDR_TRANSLATE_COL_SWAP", "DEBUG_COUNTER_RESET", "NIU_TRANS_COUNT_RTZ_CFG", "NIU_TRANS_COUNT_RTZ_CLR"};

constexpr std::array<const char*, 16> kMaster{
    "MST_ATOMIC_RESP_RECEIVED",     "MST_WR_ACK_RECEIVED",       "MST_RD_RESP_RECEIVED",
    "MST_RD_DATA_WORD_RECEIVED",    "MST_CMD_ACCEPTED",          "MST_RD_REQ_SENT",
    "MST_NONPOSTED_ATOMIC_SENT",    "MST_POSTED_ATOMIC_SENT",    "MST_NONPOSTED_WR_DATA_WORD_SENT",
    "MST_POSTED_WR_DATA_WORD_SENT", "MST_NONPOSTED_WR_REQ_SENT", "MST_POSTED_WR_REQ_SENT",
    "MST_NONPOSTED_WR_REQ_STARTED", "MST_POSTED_WR_REQ_STARTED", "MST_RD_REQ_STARTED",
    "MST_NONPOSTED_ATOMIC_STARTED"};

constexpr std::array<const char*, 14> kSlave{
    "SLV_ATOMIC_RESP_SENT", "SLV_WR_ACK_SENT", "SLV_RD_RESP_SENT",
    "SLV_RD_DATA_WORD_SENT", "SLV_REQ_ACCEPTED", "SLV_RD_REQ_RECEIVED",
    "SLV_NONPOSTED_ATOMIC_RECEIVED", "SLV_POSTED_ATOMIC_RECEIVED", "SLV_NONPOSTED_WR_DATA_WORD_RECEIVED",
    "SLV_POSTED_WR_DATA_WORD_RECEIVED", "SLV_NONPOSTED_WR_REQ_RECEIVED", "SLV_POSTED_WR_REQ_RECEIVED",
    "SLV_NONPOSTED_WR_REQ_STARTED", "SLV_POSTED_WR_REQ_STARTED"};
// clang-format on

std::string counter_name(int index) {
  if (index < 0x10) return kMaster[index];
  if (index < 0x20) return fmt::format("MST_REQS_OUTSTANDING_ID({})", index - 0x10);
  if (index < 0x30) return fmt::format("MST_WRITE_REQS_OUTGOING_ID({})", index - 0x20);
  return index < 0x3E ? kSlave[index - 0x30] : "";
}

}  // namespace

std::string niu_register_name(uint32_t offset) {
  using namespace arch::niu;
  if (offset >= kCounterBase && offset < kCounterBase + 4 * kCounters) {
    return counter_name(static_cast<int>(offset - kCounterBase) / 4);
  }
  if (offset >= kConfigBase && offset < kConfigEnd) return kConfig[(offset - kConfigBase) / 4];
  if (offset == kClearOutstandingReqCnt) return "CLEAR_OUTSTANDING_REQ_CNT";
  const uint32_t buffer = offset / kCommandBufferStride;
  const uint32_t word = offset % kCommandBufferStride / 4;
  if (buffer >= kCommandBuffers || word >= kBuffer.size() || *kBuffer[word] == 0) return "";
  return fmt::format("command buffer {} {}", buffer, kBuffer[word]);
}

}  // namespace kerr::emu
