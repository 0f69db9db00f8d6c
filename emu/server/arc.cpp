#include "emu/server/arc.hpp"

#include <cstring>

#include "emu/noc/id_registers.hpp"
#include "emu/server/arc_layout.hpp"

namespace kerr::emu {

namespace {

// APB registers, host-pcie.md 5.1.
constexpr uint64_t kScratch = 0x8003'0060;
constexpr uint64_t kReferenceClockLow = 0x8003'00E0;
constexpr uint64_t kReferenceClockHigh = 0x8003'00E4;
constexpr uint64_t kMiscControl = 0x8003'0100;
constexpr uint64_t kMiscStatus = 0x8003'0104;
constexpr uint64_t kScratchRam = 0x8003'0400;
constexpr uint64_t kNiu0 = 0x8005'0000;
constexpr uint64_t kNiuStride = 0x8000;
constexpr uint64_t kMsiFifo = 0x800B'0000;
constexpr uint64_t kMsiFifoStatus = 0x800B'0008;

constexpr uint32_t kInterruptBits = 0xF'0000;  // irq0_trig of ARC_MISC_CNTL, self-clearing
constexpr uint32_t kMsiFifoReady = 1;
constexpr uint32_t kPostCodeInitDone = 0xC0DE'0020;
constexpr uint32_t kBootStatusHealthy = 5;  // queue ready, initialisation done
constexpr uint32_t kTelemetryVersion = 0x0000'0100;

constexpr Cycle kCyclesPerHeartbeat = 1000 * arch::kAiclkBusyMhz;  // a millisecond

}  // namespace

Arc::Arc(const NocGeometry& geometry, const arch::Board& board) : Server(geometry), board_(board), csm_(kCsmBytes) {
  publish();
}

void Arc::publish() {
  scratch_[0] = kPostCodeInitDone;
  scratch_ram_[2] = kBootStatusHealthy;
  scratch_ram_[10] = static_cast<uint32_t>(arc::kSpiBuffer - kCsmBase) | (arc::kSpiBufferLog2 << 24);
  scratch_ram_[11] = static_cast<uint32_t>(arc::kQueueControl);
  scratch_ram_[12] = static_cast<uint32_t>(arc::kTelemetryValues);
  scratch_ram_[13] = static_cast<uint32_t>(arc::kTelemetryTable);

  set_csm_word(arc::kQueueControl, static_cast<uint32_t>(arc::kQueues));
  set_csm_word(arc::kQueueControl + 4, arc::kEntriesPerQueue | (arc::kQueueCount << 8));

  // As in current firmware the offset of a tag is the tag; entry 0 stays an empty slot (host-pcie.md 5.6).
  set_csm_word(arc::kTelemetryTable, kTelemetryVersion);
  set_csm_word(arc::kTelemetryTable + 4, arch::kTelemetryEntries);
  for (uint32_t tag = 1; tag < arch::kTelemetryEntries; ++tag) {
    set_csm_word(arc::kTelemetryTable + 8 + 4 * tag, tag | (tag << 16));
    const uint32_t value = arch::telemetry_value(board_, static_cast<int>(tag));
    if (value != 0) set_csm_word(arc::telemetry_address(static_cast<arch::Telemetry>(tag)), value);
  }
}

bool Arc::read(const ServerAccess& access, std::span<uint8_t> out) {
  if (read_id_register(access, out)) return true;
  if (access.address >= kApbBase && access.address < kApbBase + kApbBytes) {
    uint32_t value = 0;
    if (out.size() != 4 || access.address % 4 != 0)
      return refuse(access, FaultCategory::Misaligned, "read", out.size(),
                    "the APB registers are read with 4 aligned bytes");
    if (!read_apb(access, value)) return false;
    std::memcpy(out.data(), &value, 4);
    return true;
  }
  if (!in_csm(access, "read", out.size())) return false;
  set_csm_word(arc::telemetry_address(arch::Telemetry::TimerHeartbeat),
               1 + static_cast<uint32_t>(access.cycle / kCyclesPerHeartbeat));
  csm_.read(access.address - kCsmBase, out);
  return true;
}

bool Arc::write(const ServerAccess& access, std::span<const uint8_t> bytes) {
  if (access.address >= kApbBase && access.address < kApbBase + kApbBytes) {
    if (bytes.size() != 4 || access.address % 4 != 0)
      return refuse(access, FaultCategory::Misaligned, "write", bytes.size(),
                    "the APB registers are written with 4 aligned bytes");
    uint32_t value;
    std::memcpy(&value, bytes.data(), 4);
    return write_apb(access, value);
  }
  if (!in_csm(access, "write", bytes.size())) return false;
  csm_.write(access.address - kCsmBase, bytes);
  return true;
}

bool Arc::in_csm(const ServerAccess& access, const char* verb, size_t bytes) {
  if (csm_holds(access.address, bytes)) return true;
  return refuse(access, FaultCategory::OutOfBounds, verb, bytes,
                "the ARC tile has memory at 0x10000000 (512 KiB) and registers at 0x80000000 (1 MiB)");
}

uint32_t* Arc::scratch_at(uint64_t address) {
  if (address - kScratch < 4 * scratch_.size()) return &scratch_[(address - kScratch) / 4];
  if (address - kScratchRam < 4 * scratch_ram_.size()) return &scratch_ram_[(address - kScratchRam) / 4];
  return nullptr;
}

bool Arc::read_apb(const ServerAccess& access, uint32_t& value) {
  const uint64_t address = access.address;
  if (const uint32_t* const scratch = scratch_at(address)) return value = *scratch, true;
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    const uint64_t base = kNiu0 + kNiuStride * static_cast<uint64_t>(noc);
    if (address < base || address >= base + kNiuStride) continue;
    const auto niu =
        id_register_at(geometry_, NocGeometry::raw_of(access.target.node), noc, static_cast<uint32_t>(address - base));
    if (!niu) break;
    value = *niu;
    return true;
  }
  const uint64_t reference_ticks = access.cycle * arch::kRefclkMhz / arch::kAiclkBusyMhz;
  switch (address) {
    case kReferenceClockLow: value = static_cast<uint32_t>(reference_ticks); return true;
    case kReferenceClockHigh: value = static_cast<uint32_t>(reference_ticks >> 32); return true;
    case kMiscControl: value = misc_control_; return true;
    case kMiscStatus: value = 0; return true;
    case kMsiFifoStatus: value = kMsiFifoReady; return true;
    default: return refuse(access, FaultCategory::Unsupported, "read", 4, "this ARC register is not modelled");
  }
}

bool Arc::write_apb(const ServerAccess& access, uint32_t value) {
  const uint64_t address = access.address;
  if (uint32_t* const scratch = scratch_at(address)) return *scratch = value, true;
  switch (address) {
    case kMiscControl:
      misc_control_ = value & ~kInterruptBits;
      if (value & kInterruptBits) serve_queues();
      return true;
    case kMsiFifo:
      if (value == 0) serve_queues();  // the firmware ignores other values
      return true;
    default: return refuse(access, FaultCategory::Unsupported, "write", 4, "this ARC register is not modelled");
  }
}

void Arc::serialize(Archive& a) {
  Server::serialize(a);
  a(csm_, scratch_, scratch_ram_, misc_control_, aiclk_mhz_, last_serial_);
}

}  // namespace kerr::emu
