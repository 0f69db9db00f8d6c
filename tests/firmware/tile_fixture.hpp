#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "arch/bank_table.hpp"
#include "arch/boards.hpp"
#include "arch/messages.hpp"
#include "arch/stream_registers.hpp"
#include "firmware/firmware.hpp"
#include "host/device/pcie_device.hpp"
#include "host/driver/noc_io.hpp"
#include "host/driver/tile_reset.hpp"
#include "host/runtime/loader.hpp"
#include "isa/assembler.hpp"

namespace kerr::firmware {

/// A P100A in this process, or, if KERR_TEST_LIBRARY names one, the device behind a library with the libttsim C ABI:
/// the same firmware must run on both.
std::unique_ptr<host::PcieDevice> open_test_device();

template <class T>
std::span<const std::byte> as_bytes(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// A device with some tiles booted, spoken to word by word.
class TileFixture : public ::testing::Test {
 protected:
  static constexpr arch::NocCoord kTile{1, 2};
  static constexpr arch::NocCoord kMaster{3, 4};  // where completions are counted
  static constexpr uint32_t kConfig = 0x86B0;     // kernel-config image
  static constexpr uint32_t kResults = 0x20000;   // where test kernels leave what they saw

  TileFixture() : device(open_test_device()), io(*device), layout(arch::firmware_layout_for(board().harvesting)) {}

  static const arch::Board& board() { return arch::kP100a; }

  void boot(std::vector<arch::NocCoord> tiles) {
    host::load_firmware(io, tiles, host::built_in_firmware(board().harvesting), board().harvesting);
    host::start_firmware(io, tiles, layout, host::Deadline::milliseconds(100));
  }

  uint32_t read(uint32_t address, arch::NocCoord tile = kTile) { return io.read32(tile, address); }
  void write(uint32_t address, uint32_t value, arch::NocCoord tile = kTile) { io.write32(tile, address, value); }
  uint8_t signal(arch::NocCoord tile = kTile) {
    std::byte b;
    io.read(tile, layout.go_signal_byte(), {&b, 1});
    return static_cast<uint8_t>(b);
  }

  // Throws if the device has stopped with a fault.
  void require_healthy() {
    const host::DeviceStatus status = device->status();
    if (status.state != host::DeviceStatus::State::Faulted) return;
    throw host::DeviceError(status.category, "test: " + host::first_fault(status), status.report);
  }
  // Lets `cycles` pass, whatever happens.
  void run(uint64_t cycles) {
    device->wait([] { return false; }, {cycles, std::chrono::milliseconds(10)});
    require_healthy();
  }
  bool run_until(const std::function<bool()>& condition, uint64_t cycles = 200'000) {
    const auto result = device->wait(condition, {cycles, std::chrono::milliseconds(1000)});
    require_healthy();
    return result == host::WaitResult::Done || condition();
  }

  // Until what harts have sent has arrived, however late the NoC may bring it (KERR_NOC_REORDER: 8190 cycles).
  void settle() { run(10'000); }

  void send(arch::RunMessage message, uint8_t offset = 0, uint32_t index = 0) {
    write(layout.go_messages + 4 * index,
          arch::GoMessage{offset, kMaster.x, kMaster.y, static_cast<uint8_t>(message)}.word());
  }
  void launch(const arch::LaunchMessage& message, uint32_t slot = 0) {
    io.write(kTile, layout.launch_entry(slot), as_bytes(message));
  }
  bool go() {
    send(arch::RunMessage::Go);
    return run_until([&] { return signal() == 0; }) && (settle(), true);
  }
  uint32_t completions(uint8_t offset = 0) {
    return read(arch::stream_address(arch::kFirstDispatchStream + offset, arch::stream::kSpaceAvailable), kMaster);
  }
  uint32_t read_pointer() { return read(layout.launch_rd_ptr); }

  // A message that runs kernels at kConfig + 0x200 + 0x100 * hart; arguments at +0x10 * hart.
  static constexpr uint32_t text_offset(arch::Hart h) { return 0x200 + 0x100 * static_cast<uint32_t>(h); }
  arch::LaunchMessage kernel_message(uint32_t enables, arch::DispatchMode mode = arch::DispatchMode::Dev) {
    arch::LaunchMessage m;
    m.kernel_config_base[0] = kConfig;
    m.sem_offset[0] = 0x60;
    m.local_cb_offset = 0x100;
    for (uint16_t h = 0; h < arch::kHarts; ++h) {
      m.rta_offset[h] = {static_cast<uint16_t>(16 * h), static_cast<uint16_t>(16 * h + 8)};
      m.kernel_text_offset[h] = text_offset(static_cast<arch::Hart>(h));
    }
    m.mode = static_cast<uint8_t>(mode);
    m.enables = enables;
    return m;
  }
  void load_kernel(arch::Hart hart, isa::Assembler& a) {
    const isa::Code code = a.finish(kConfig + text_offset(hart));
    ASSERT_LE(code.bytes.size(), 0x100u);
    io.write(kTile, kConfig + text_offset(hart), std::as_bytes(std::span(code.bytes)));
  }

  std::unique_ptr<host::PcieDevice> device;
  host::NocIo io;
  arch::FirmwareLayout layout;
};

}  // namespace kerr::firmware
