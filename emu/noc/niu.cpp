#include "emu/noc/niu.hpp"

#include <fmt/format.h>

#include <bit>

#include "emu/noc/id_registers.hpp"

namespace kerr::emu {

using namespace arch::niu;

namespace {

constexpr uint32_t kCommandFifoEnable = 1u << 16;   // NIU_CFG_0
constexpr uint32_t kReadKeepsSource = 1u << 28;     // NIU_TRANS_COUNT_RTZ_CFG
constexpr uint32_t kDdrTranslateEnable = 3u << 10;  // DDR_TRANSLATE_5

}  // namespace

Niu::Niu(TileId tile, int noc, const NocGeometry& geometry, L1& l1, NiuTile& host, WaitBoard& board,
         const Options& options)
    : tile_(tile), noc_(noc), geometry_(geometry), l1_(l1), host_(host), board_(board), costs_(options.costs()) {
  const arch::NocCoord raw = NocGeometry::raw_of(tile.node);
  for (uint32_t offset = kConfigBase; offset < kConfigEnd; offset += 4)
    config_[(offset - kConfigBase) / 4] = id_register_at(geometry, raw, noc, offset).value_or(0);
}

Access Niu::unknown(uint32_t offset, const char* action) const {
  const uint32_t address = arch::niu_base(noc_) + offset;
  std::string nearest;
  for (uint32_t back = 4; nearest.empty() && back <= offset; back += 4) {
    if (const std::string name = niu_register_name(offset - back); !name.empty()) {
      nearest = fmt::format(" (the nearest known register below is {})", name);
    }
  }
  return host_.fault(FaultCategory::Unsupported, address,
                     fmt::format("{} of {:#010x}, offset {:#x} of NIU {}, which Kerr does not model{}", action, address,
                                 offset, noc_, nearest));
}

// --- loads ----------------------------------------------------------------------------------------------------------

Access Niu::load(uint32_t offset, uint32_t& value) {
  const uint32_t index = offset / kCommandBufferStride;
  const uint32_t inside = offset % kCommandBufferStride;
  if (index < kCommandBuffers && inside <= kEndpointId) return load_buffer(buffers_[index], inside, value);
  if (index == 0) return load_block(offset, value);
  return unknown(offset, "load");
}

Access Niu::load_buffer(const Buffer& buffer, uint32_t offset, uint32_t& value) const {
  if (offset < 4 * kBufferWords) {
    value = buffer.words[offset / 4];
  } else if (offset == kCmdCtrl) {
    value = busy(buffer) ? kCmdCtrlIssue : 0;
  } else if (const auto id = id_register_at(geometry_, NocGeometry::raw_of(tile_.node), noc_, offset)) {
    value = *id;
  } else {
    return unknown(static_cast<uint32_t>(&buffer - buffers_.data()) * kCommandBufferStride + offset, "load");
  }
  return Access::Done;
}

Access Niu::load_block(uint32_t offset, uint32_t& value) {
  value = 0;
  if (offset >= kConfigBase && offset < kConfigEnd) {
    value = config(offset);
  } else if (offset >= kCounterBase && offset < kCounterBase + 4 * kCounters) {
    const int index = static_cast<int>(offset - kCounterBase) / 4;
    if (index >= 0x3E) return unknown(offset, "load");
    value = counter(index);
    if (index >= kMstReqsOutstandingId && index < kSlvAtomicRespSent) value &= 0xFF;
  } else if (offset == kTransCountRtzSource) {
    value = rtz_source_;
  } else if (offset == kTransCountRtzNum) {
    const uint32_t asking = rtz_source_ & config(kTransCountRtzCfg) & 0xFFFF;
    value = asking ? static_cast<uint32_t>(std::countr_zero(asking)) : 0;
    if (asking && !(config(kTransCountRtzCfg) & kReadKeepsSource)) {
      board_.about_to_change(wait::kNiu);
      rtz_source_ &= ~(asking & (~asking + 1));
    }
  } else if (offset == kNumMemParityErr || offset == kNumHeader1bErr || offset == kNumHeader2bErr ||
             offset == kEccCtrl) {
    value = 0;
  } else if (offset >= kRouterDebugBase && offset < kFlitCounterBase) {
    value = 0;  // router and NIU debug, security fence
  } else {
    return unknown(offset, "load");
  }
  return Access::Done;
}

WaitMask Niu::watch_of(uint32_t offset) const {
  const uint32_t index = offset / kCommandBufferStride;
  const uint32_t inside = offset % kCommandBufferStride;
  if (index < kCommandBuffers && inside == kCmdCtrl) return busy(buffers_[index]) ? WaitMask{0} : wait::kNiu;
  if (offset == kTransCountRtzNum) return 0;  // a load clears
  // The receiving side counts without waking agents: none waits for it, and every packet would wake all that poll.
  if (offset >= arch::niu::counter_offset(kSlvAtomicRespSent) && offset < kCounterBase + 4 * kCounters) return 0;
  return wait::kNiu;
}

// --- stores ---------------------------------------------------------------------------------------------------------

Access Niu::store(uint32_t offset, uint32_t value) {
  const uint32_t index = offset / kCommandBufferStride;
  const uint32_t inside = offset % kCommandBufferStride;
  board_.about_to_change(wait::kNiu);
  if (index < kCommandBuffers && inside <= kEndpointId) return store_buffer(static_cast<int>(index), inside, value);
  if (index == 0) return store_block(offset, value);
  return unknown(offset, "store");
}

Access Niu::store_buffer(int index, uint32_t offset, uint32_t value) {
  Buffer& buffer = buffers_[index];
  const uint32_t in_block = static_cast<uint32_t>(index) * kCommandBufferStride + offset;
  if (offset < 4 * kBufferWords || offset == kCmdCtrl) {
    if (busy(buffer)) {
      return host_.fault(FaultCategory::UndefinedBehavior, arch::niu_base(noc_) + in_block,
                         fmt::format("store to {} of NIU {} while its CMD_CTRL reads 1 (until cycle {})",
                                     niu_register_name(in_block), noc_, buffer.busy_until),
                         "Poll CMD_CTRL of the buffer until it reads 0 before touching it again.");
    }
    if (offset == kCmdCtrl) {
      issuing_ = static_cast<uint8_t>(index);
      return value & kCmdCtrlIssue ? issue(buffer) : Access::Done;
    }
    buffer.words[offset / 4] = offset == kPacketTag ? value & 0xFFFF : value;
    return Access::Done;
  }
  if (offset == kNodeId || offset == kEndpointId) return Access::Done;  // read only, ignored
  return unknown(in_block, "store");
}

Access Niu::store_block(uint32_t offset, uint32_t value) {
  if (offset >= kConfigBase && offset < kConfigEnd) return store_config(offset, value);
  if (offset == kClearOutstandingReqCnt) {
    for (int id = 0; id < 16; ++id) {
      if (value >> id & 1) counters_[kMstReqsOutstandingId + id] = 0;
    }
    return Access::Done;
  }
  const bool counter = offset >= kCounterBase && offset < kCounterBase + 4 * kCounters;
  const bool ignored = offset == kEccCtrl || (offset >= kRouterDebugBase && offset < kFlitCounterBase);
  return counter || ignored ? Access::Done : unknown(offset, "store");
}

Access Niu::store_config(uint32_t offset, uint32_t value) {
  const auto refuse_bits = [&](uint32_t bits, const char* what) {
    return host_.fault(FaultCategory::Unsupported, arch::niu_base(noc_) + offset,
                       fmt::format("store of {:#x} to {} of NIU {}: bits {:#x}, {}, are not modelled", value,
                                   niu_register_name(offset), noc_, value & bits, what));
  };
  if (offset == kNiuCfg0 && (value & kCommandFifoEnable)) return refuse_bits(kCommandFifoEnable, "the command FIFO");
  if (offset == kMemoryShutdownControl && value != 0) return refuse_bits(value, "memory shutdown");
  if (offset == kDdrTranslateTable0 + 20 && (value & kDdrTranslateEnable)) {
    return refuse_bits(kDdrTranslateEnable, "the DDR translation table");
  }
  if (offset == kTransCountRtzClr) {
    rtz_source_ &= ~value;
  } else if (offset != kDebugCounterReset) {  // self-clearing, and there is nothing to clear
    config_[(offset - kConfigBase) / 4] = value;
  }
  if (offset == kTransCountRtzCfg) ask_for_interrupt();
  return Access::Done;
}

// The interrupt controller keeps what it was told until somebody reads it there.
void Niu::ask_for_interrupt() {
  if (rtz_source_ & config(kTransCountRtzCfg) & 0xFFFF) host_.interrupt(noc_);
}

// --- inspection -----------------------------------------------------------------------------------------------------

std::string Niu::describe() const {
  std::string out;
  for (int id = 0; id < 16; ++id) {
    const uint32_t outstanding = counters_[kMstReqsOutstandingId + id] & 0xFF;
    if (outstanding == 0) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} requests outstanding with transaction id {}", outstanding, id);
  }
  return out;
}

}  // namespace kerr::emu
