// The message queue of the ARC firmware and the messages it answers.   docs/hardware/host-pcie.md 5.2 to 5.5
#include <array>

#include "emu/server/arc.hpp"
#include "emu/server/arc_layout.hpp"

namespace kerr::emu {

namespace {

// Byte offsets in a queue.
constexpr uint64_t kRequestWrite = 0x00;
constexpr uint64_t kResponseRead = 0x04;
constexpr uint64_t kRequestRead = 0x10;
constexpr uint64_t kResponseWrite = 0x14;
constexpr uint64_t kLastSerial = 0x18;
constexpr uint64_t kSlots = 0x20;
constexpr uint64_t kSlotBytes = 32;

enum Code : uint8_t {
  kReportScratchOnly = 0x16,
  kReadEeprom = 0x19,
  kPowerSetting = 0x21,
  kForceAiclk = 0x33,
  kGetAiclk = 0x34,
  kAiclkGoBusy = 0x52,
  kAiclkGoLongIdle = 0x54,
  kTest = 0x90,
  kAsicState0 = 0xA0,
  kAsicState3 = 0xA3,
  kToggleGddrReset = 0xB6,
  kSetLastSerial = 0xBE,
  kPingDm = 0xC0,
  kSetWatchdog = 0xC1,
  kFlashUnlock = 0xC2,
  kFlashLock = 0xC3,
};

constexpr uint32_t kUnknownMessage = 0xFF;
constexpr uint32_t kScratchOnlyAnswer = 0xFE;
constexpr uint32_t kClockModeUncontrolled = 0;

}  // namespace

// The control block is read anew each time: it lies in memory that anybody can write, so nothing in it is trusted.
void Arc::serve_queues() {
  const uint64_t control = scratch_ram_[11];
  if (!csm_holds(control, 8)) return;
  const uint64_t base = csm_word(control);
  const uint32_t entries = csm_word(control + 4) & 0xFF;
  const uint32_t queues = (csm_word(control + 4) >> 8) & 0xFF;
  if (entries == 0) return;
  const uint64_t queue_bytes = kSlots + 2 * entries * kSlotBytes;
  for (uint32_t q = 0; q < queues; ++q) {
    const uint64_t queue = base + q * queue_bytes;
    if (csm_holds(queue, queue_bytes)) serve_queue(queue, entries);
  }
}

void Arc::serve_queue(uint64_t queue, uint32_t entries) {
  const uint32_t modulus = 2 * entries;
  uint32_t request_read = csm_word(queue + kRequestRead);
  uint32_t response_write = csm_word(queue + kResponseWrite);
  const uint32_t request_write = csm_word(queue + kRequestWrite);
  const uint32_t response_read = csm_word(queue + kResponseRead);
  if (request_read >= modulus || request_write >= modulus || response_write >= modulus || response_read >= modulus)
    return;

  const auto slot = [&](uint32_t index) { return queue + kSlots + index * kSlotBytes; };
  while (request_read != request_write && (response_write + modulus - response_read) % modulus < entries) {
    Words request;
    for (uint32_t i = 0; i < request.size(); ++i) request[i] = csm_word(slot(request_read % entries) + 4 * i);
    request_read = (request_read + 1) % modulus;
    set_csm_word(queue + kRequestRead, request_read);

    const Words response = handle(request);
    for (uint32_t i = 0; i < response.size(); ++i) {
      set_csm_word(slot(entries + response_write % entries) + 4 * i, response[i]);
    }
    response_write = (response_write + 1) % modulus;
    set_csm_word(queue + kResponseWrite, response_write);
    if ((request[0] & 0xFF) != kSetLastSerial) ++last_serial_;
    set_csm_word(queue + kLastSerial, last_serial_);
  }
}

// Handlers return their status in the low byte of word 0. A message that needs hardware this model has not (voltages,
// fans, I2C, resets) is answered as one that the firmware does not know.
Arc::Words Arc::handle(const Words& request) {
  Words response{};
  switch (request[0] & 0xFF) {
    case kReportScratchOnly: response[0] = kScratchOnlyAnswer; break;
    case kReadEeprom: response[0] = read_eeprom(request); break;
    case kPowerSetting: power_setting(request[0]); break;
    case kForceAiclk: set_aiclk(request[1] != 0 ? request[1] : arch::kAiclkIdleMhz); break;
    case kGetAiclk:
      response[1] = aiclk_mhz_;
      response[2] = kClockModeUncontrolled;
      break;
    case kAiclkGoBusy: set_aiclk(arch::kAiclkBusyMhz); break;
    case kAiclkGoLongIdle: set_aiclk(arch::kAiclkIdleMhz); break;
    case kTest:
      response[1] = request[1] + 1;
      response[2] = last_serial_ + 1;
      break;
    case kAsicState0:
    case kAsicState3:
    case kSetWatchdog:
    case kFlashUnlock:
    case kFlashLock: break;
    case kToggleGddrReset: {
      const bool exists = request[1] < arch::kDramBanks;
      const bool good = exists && ((board_.harvesting.dram_banks >> request[1]) & 1);
      response[0] = good ? 0 : 1;
      response[1] = good ? 0 : exists ? 2 : 1;
      break;
    }
    case kSetLastSerial: last_serial_ = request[1]; break;
    case kPingDm: response[1] = 1; break;
    default: response[0] = kUnknownMessage;
  }
  return response;
}

void Arc::set_aiclk(uint32_t mhz) {
  aiclk_mhz_ = mhz;
  set_csm_word(arc::telemetry_address(arch::Telemetry::AiclkMhz), mhz);
}

// Word 0: validity in [15:8] (low four bits: how many flags count), flags in [31:16]; flag 0 asks for the highest
// clock.
void Arc::power_setting(uint32_t word) {
  const uint32_t valid_flags = (word >> 8) & 0xF;
  if (valid_flags >= 1) set_aiclk((word >> 16) & 1 ? arch::kAiclkBusyMhz : arch::kAiclkIdleMhz);
}

// There is no flash: every byte reads erased.
uint32_t Arc::read_eeprom(const Words& request) {
  constexpr uint64_t kBufferBytes = uint64_t{1} << arc::kSpiBufferLog2;
  if (((request[0] >> 8) & 0xFF) != 0) return 1;
  const uint64_t bytes = request[2];
  const uint64_t buffer = request[3];
  const bool inside = buffer >= arc::kSpiBuffer && buffer - arc::kSpiBuffer <= kBufferBytes &&
                      bytes <= kBufferBytes - (buffer - arc::kSpiBuffer);
  if (!inside) return 2;
  for (uint64_t i = 0; i < bytes; ++i) {
    const uint8_t erased = 0xFF;
    csm_.write(buffer - kCsmBase + i, {&erased, 1});
  }
  return 0;
}

}  // namespace kerr::emu
