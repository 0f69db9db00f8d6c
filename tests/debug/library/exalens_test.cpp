// tt-exalens's own sequence of accesses, on the C ABI library: a hart is released, comes to an ebreak, is stepped,
// stopped at a breakpoint and a watchpoint, and goes on.   docs/guide/debugging.md
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "arch/stream_registers.hpp"
#include "host/device/library_device.hpp"
#include "host/driver/noc_io.hpp"
#include "isa/assembler.hpp"
#include "tests/emu/tile/debug_unit.hpp"

namespace kerr::debug {
namespace {

using namespace isa::reg;

class ExalensOnTheLibrary : public ::testing::Test {
 protected:
  static constexpr arch::NocCoord kCore{1, 2}, kEthernet{20, 25};
  static constexpr uint32_t kSoftReset = 0xFFB1'21B0, kBriscInReset = 0x800, kAllInReset = 0x47800;

  std::unique_ptr<host::LibraryDevice> device = host::LibraryDevice::open(KERR_LIBRARY);
  host::NocIo io{*device};
  debug_unit::Unit brisc{[this](uint32_t address) { return io.read32(kCore, address); },
                         [this](uint32_t address, uint32_t value) { io.write32(kCore, address, value); }, 0};

  void pass(uint64_t cycles = 2000) {
    const uint64_t end = device->cycles() + cycles;
    device->wait([&] { return device->cycles() >= end; }, {cycles + 1000, std::chrono::minutes(1)});
  }
  void set_reset(bool asserted) {
    const uint32_t now = io.read32(kCore, kSoftReset);
    io.write32(kCore, kSoftReset, asserted ? now | kBriscInReset : now & ~kBriscInReset);
  }
  void write_program(const isa::Code& code) {
    for (uint32_t at = 0; at < code.bytes.size(); at += 4) io.write32(kCore, at, code.word_at(at));
  }
};

TEST_F(ExalensOnTheLibrary, HaltsStepsWatchesAndContinues) {
  isa::Assembler a;
  a.ebreak();
  for (int n = 0; n < 5; ++n) a.nop();
  a.lui(a0, 0x10);
  a.lui(a1, 0x87654);
  a.sw(a1, a0);
  a.j(a.here());
  const uint32_t loop = 36;
  io.write32(kCore, kSoftReset, kAllInReset);
  io.write32(kCore, 0x1'0000, 0x1234'5678);
  write_program(a.finish(0));
  set_reset(false);
  pass();

  EXPECT_EQ(io.read32(kCore, 0x1'0000), 0x1234'5678u);
  EXPECT_EQ(brisc.read(0), 0b1001u) << "halted, by an ebreak";
  EXPECT_TRUE(brisc.was_valid());
  EXPECT_EQ(brisc.pc(), 4u);
  for (int n = 0; n < 2; ++n) brisc.command(0x2);
  pass();
  EXPECT_EQ(brisc.read(0), 0b1u);
  EXPECT_EQ(brisc.pc(), 8u);

  brisc.write(10, 12);
  brisc.write(11, 0x1'0000);
  brisc.write(5, 0x8 | 0xA << 4);
  EXPECT_EQ(brisc.read(5), 0xA8u);
  EXPECT_EQ(brisc.read(10), 12u);
  brisc.command(0x4);
  pass();
  EXPECT_EQ(brisc.read(0), 0x103u) << "halted, by breakpoint 0";
  EXPECT_LT(brisc.pc(), 28u);
  brisc.command(0x4);
  pass();
  EXPECT_EQ(brisc.read(0), 0x205u) << "halted, by watchpoint 1";
  EXPECT_EQ(io.read32(kCore, 0x1'0000), 0x8765'4000u);
  brisc.write(5, 0);
  brisc.command(0x4);
  pass();
  EXPECT_FALSE(brisc.is_halted());

  brisc.command(0x1);
  EXPECT_TRUE(brisc.is_halted());
  EXPECT_EQ(brisc.pc(), loop);
  EXPECT_EQ(brisc.read_register(11), 0x8765'4000u);
  brisc.write_register(11, 0x1234);
  EXPECT_EQ(brisc.read_register(11), 0x1234u);
  brisc.write_memory(0xFFB0'0004, 77);
  EXPECT_EQ(brisc.read_memory(0xFFB0'0004), 77u);
  EXPECT_EQ(brisc.read_memory(0x1'0000), 0x8765'4000u);

  // From an ebreak it goes on by a flush to where it is, then a continue.
  brisc.write(3, 32);
  brisc.command(0x100);
  EXPECT_EQ(brisc.pc(), 32u);
  brisc.command(0x4);
  pass();
  EXPECT_EQ(io.read32(kCore, 0x1'0000), 0x1234u);
  set_reset(true);
}

// An Ethernet core: both held, a program for erisc1, which is debugged and goes on.
TEST_F(ExalensOnTheLibrary, HaltsAHartOfAnEthernetTile) {
  constexpr uint32_t kResetPcOfE1 = 0xFFB1'4008, kE1Runs = 0x800, kBothHeld = 0x1800, kBase = 0x1'0000;
  isa::Assembler a;
  a.li(a0, 0);
  const isa::Label loop = a.here();
  a.addi(a0, a0, 1);
  a.sw(a0, zero, 0x400);
  a.j(loop);
  const isa::Code code = a.finish(kBase);
  io.write32(kEthernet, kSoftReset, kBothHeld);
  for (uint32_t at = kBase; at < kBase + code.bytes.size(); at += 4) io.write32(kEthernet, at, code.word_at(at));
  io.write32(kEthernet, kResetPcOfE1, kBase);
  io.write32(kEthernet, kSoftReset, kE1Runs);
  pass();
  debug_unit::Unit erisc1{[this](uint32_t address) { return io.read32(kEthernet, address); },
                          [this](uint32_t address, uint32_t value) { io.write32(kEthernet, address, value); }, 1};
  EXPECT_FALSE(erisc1.is_halted());
  erisc1.command(0x1);
  EXPECT_TRUE(erisc1.is_halted());
  EXPECT_LE(erisc1.ethernet_pc() - kBase, 16u);
  erisc1.write_register(10, 0x10'0000);
  EXPECT_EQ(erisc1.read_register(10), 0x10'0000u);
  erisc1.command(0x4);
  pass();
  EXPECT_FALSE(erisc1.is_halted());
  EXPECT_GT(io.read32(kEthernet, 0x400), 0x10'0000u);
  io.write32(kEthernet, kSoftReset, kBothHeld);
}

// What NocOverlayRegistersState is made of, of each stream of both kinds of tiles.
TEST_F(ExalensOnTheLibrary, ReadsWholeStreams) {
  io.write32(kCore, arch::stream_address(8, 10), 5);
  for (const auto& [tile, streams] : {std::pair(kCore, 64), std::pair(kEthernet, 32)}) {
    for (int stream = 0; stream < streams; ++stream) {
      std::array<std::byte, 4 * arch::kStreamRegisters> bytes;
      io.read(tile, arch::stream_address(stream, 0), bytes);
      const auto reg = [&](int index) {
        uint32_t value;
        std::memcpy(&value, bytes.data() + 4 * index, 4);
        return value;
      };
      EXPECT_EQ(reg(257), 1u) << "idle: it waits for software";
      EXPECT_EQ(reg(259), 0u);
      EXPECT_EQ(reg(500), 0u) << "nothing invalid has been done";
      EXPECT_EQ(reg(297), tile == kCore && stream == 8 ? 5u : 0u);
    }
  }
}

}  // namespace
}  // namespace kerr::debug
