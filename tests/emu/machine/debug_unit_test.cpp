// What a debugger over the NoC has done to a hart is state: snapshots have it.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "emu/machine/machine.hpp"
#include "emu/machine/snapshot.hpp"
#include "isa/assembler.hpp"
#include "tests/emu/tile/debug_unit.hpp"

namespace kerr::emu {
namespace {

struct DebuggedMachine {
  Machine machine{Options{}};
  debug_unit::Unit brisc{[this](uint32_t address) { return read(address); },
                         [this](uint32_t address, uint32_t value) { write(address, value); }, 0};

  uint32_t read(uint32_t address) {
    uint8_t bytes[4];
    EXPECT_FALSE(machine.read_coordinate(0, 1, 2, address, bytes));
    uint32_t value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  void write(uint32_t address, uint32_t value) {
    uint8_t bytes[4];
    std::memcpy(bytes, &value, 4);
    EXPECT_FALSE(machine.write_coordinate(0, 1, 2, address, bytes));
  }
  // Counts t0 up at 0x100.
  void start() {
    isa::Assembler a;
    const isa::Label loop = a.here();
    a.addi(isa::reg::t0, isa::reg::t0, 1);
    a.j(loop);
    const isa::Code code = a.finish(0);
    for (uint32_t at = 0; at < code.bytes.size(); at += 4) write(at, code.word_at(at));
    write(0xFFB1'21B0, 0x47000);
    machine.advance(2048);
  }
};

TEST(DebugUnitSnapshot, HoldsAHaltedHartItsBreakpointsAndResult) {
  const std::string path = (std::filesystem::temp_directory_path() / "kerr_debug_unit.snap").string();
  DebuggedMachine first, second;
  first.start();
  first.brisc.command(1);
  const uint32_t count = first.brisc.read_register(5);
  first.brisc.write(10, 4);
  first.brisc.write(5, 8);
  save_snapshot(first.machine, path, 1);
  load_snapshot(second.machine, path, 1);
  std::filesystem::remove(path);
  EXPECT_EQ(second.machine.state_hash(), first.machine.state_hash());
  for (DebuggedMachine* m : {&first, &second}) {
    EXPECT_EQ(m->brisc.read(0), 1u);
    EXPECT_EQ(m->brisc.read(4), count);
    EXPECT_EQ(m->brisc.read(10), 4u);
    m->brisc.command(4);
    m->machine.advance(2048);
    EXPECT_EQ(m->brisc.read(0), 0x103u);
    EXPECT_LE(m->brisc.read_register(5), count + 1);
  }
  EXPECT_EQ(second.machine.state_hash(), first.machine.state_hash());
}

}  // namespace
}  // namespace kerr::emu
