// A host in a few lines: one window of BAR0, some memory, and kernels that use the NoC.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "arch/banks.hpp"
#include "arch/bytes.hpp"
#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"
#include "arch/tile_registers.hpp"
#include "emu/machine/machine.hpp"
#include "isa/assembler.hpp"

namespace kerr::emu {

/// Bus addresses 0x40000000 to 0x400FFFFF.
class TestMemory : public HostMemory {
 public:
  static constexpr uint64_t kBase = 0x4000'0000;
  bool read(uint64_t bus, std::span<uint8_t> out) override {
    if (!offers(bus, out.size())) return false;
    std::memcpy(out.data(), bytes.data() + (bus - kBase), out.size());
    return true;
  }
  bool write(uint64_t bus, std::span<const uint8_t> in) override {
    if (!offers(bus, in.size())) return false;
    std::memcpy(bytes.data() + (bus - kBase), in.data(), in.size());
    return true;
  }
  bool offers(uint64_t bus, size_t n) const {
    return bus >= kBase && bus - kBase <= bytes.size() && n <= bytes.size() - (bus - kBase);
  }
  std::vector<uint8_t> bytes = std::vector<uint8_t>(1 << 20);
};

/// Drives a chip of a machine through window 0.
class TestHost {
 public:
  static constexpr uint32_t kSoftReset = arch::kSoftReset0;
  static constexpr uint32_t kAllInReset = arch::kSoftResetAllHarts;
  static constexpr uint32_t kBriscOnly = arch::kSoftResetBriscRuns;

  explicit TestHost(Machine& m, int c = 0) : machine(m), chip(c) {}

  void point(arch::NocCoord tile, uint64_t address, int noc = 0) {
    arch::pcie::TlbEntry entry;
    entry.local_offset = address / arch::pcie::kSmallWindowBytes;
    entry.x_end = tile.x;
    entry.y_end = tile.y;
    entry.noc = static_cast<uint8_t>(noc);
    configure(0, entry);
  }
  void configure(int window, const arch::pcie::TlbEntry& entry) {
    const arch::pcie::TlbWords words = arch::pcie::encode(arch::pcie::tlb_format(window), entry);
    uint32_t at = arch::pcie::tlb_config_address(window);
    for (const uint32_t word : {words.low, words.mid, words.high}) {
      put(Bar::k0, at, word);
      at += 4;
    }
  }
  void put(Bar bar, uint64_t offset, uint32_t value) {
    const auto fault = machine.write(chip, bar, offset, arch::as_uint8(value));
    EXPECT_FALSE(fault) << fault->text();
  }
  uint32_t get(Bar bar, uint64_t offset) {
    uint32_t value = 0;
    const auto fault = machine.read(chip, bar, offset, arch::as_uint8(value));
    EXPECT_FALSE(fault) << fault->text();
    return value;
  }
  void write32(arch::NocCoord tile, uint64_t address, uint32_t value) {
    point(tile, address);
    put(Bar::k0, address % arch::pcie::kSmallWindowBytes, value);
  }
  uint32_t read32(arch::NocCoord tile, uint64_t address, int noc = 0) {
    point(tile, address, noc);
    return get(Bar::k0, address % arch::pcie::kSmallWindowBytes);
  }
  void write(arch::NocCoord tile, uint64_t address, const std::vector<uint8_t>& bytes) {
    point(tile, address);
    const auto fault = machine.write(chip, Bar::k0, address % arch::pcie::kSmallWindowBytes, bytes);
    EXPECT_FALSE(fault) << fault->text();
  }
  /// Code for BRISC at L1 address 0, where it starts.
  void start(arch::NocCoord tile, const isa::Assembler& program) {
    write(tile, 0, program.finish(0).bytes);
    write32(tile, kSoftReset, kBriscOnly);
  }

  Machine& machine;
  const int chip;
};

/// Pieces of kernels. They use t0 and t1.
struct Kernel : isa::Assembler {
  using Reg = isa::Reg;

  void store_word(uint32_t address, uint32_t value) {
    li(isa::reg::t1, value);
    store_reg(address, isa::reg::t1);
  }
  void store_reg(uint32_t address, Reg value) {
    li(isa::reg::t0, address);
    sw(value, isa::reg::t0, 0);
  }
  void load_word(Reg rd, uint32_t address) {
    li(isa::reg::t0, address);
    lw(rd, isa::reg::t0, 0);
  }
  void stop() {
    const isa::Label self = here();
    j(self);
  }
  void wait_for_word(uint32_t address, uint32_t value) {
    li(isa::reg::t0, address);
    li(isa::reg::t1, value);
    const isa::Label again = here();
    fence();
    lw(isa::reg::t2, isa::reg::t0, 0);
    bne(isa::reg::t2, isa::reg::t1, again);
  }

  /// The own translated coordinate into both HI registers of a command buffer, as noc_init does.
  void noc_init(int noc, int buffer) {
    load_word(isa::reg::t1, arch::niu_address(noc, 0, arch::niu::kIdLogical));
    store_reg(arch::niu_address(noc, buffer, arch::niu::kTargAddrHi), isa::reg::t1);
    store_reg(arch::niu_address(noc, buffer, arch::niu::kRetAddrHi), isa::reg::t1);
  }
  void noc_set(int noc, int buffer, uint32_t offset, uint32_t value) {
    store_word(arch::niu_address(noc, buffer, offset), value);
  }
  void noc_issue(int noc, int buffer, uint32_t ctrl, uint32_t bytes) {
    noc_set(noc, buffer, arch::niu::kCtrl, ctrl);
    noc_set(noc, buffer, arch::niu::kAtLenBe, bytes);
    noc_set(noc, buffer, arch::niu::kCmdCtrl, 1);
  }
  void noc_write(int noc, uint32_t from, arch::NocCoord to, uint64_t address, uint32_t bytes) {
    noc_set(noc, 0, arch::niu::kTargAddrLo, from);
    noc_set(noc, 0, arch::niu::kRetAddrLo, static_cast<uint32_t>(address));
    noc_set(noc, 0, arch::niu::kRetAddrMid, static_cast<uint32_t>(address >> 32));
    noc_set(noc, 0, arch::niu::kRetAddrHi, to.packed());
    noc_issue(noc, 0, arch::niu::kCtrlWordWrite, bytes);
  }
  void noc_read(int noc, arch::NocCoord from, uint64_t address, uint32_t to, uint32_t bytes) {
    noc_set(noc, 1, arch::niu::kTargAddrLo, static_cast<uint32_t>(address));
    noc_set(noc, 1, arch::niu::kTargAddrMid, static_cast<uint32_t>(address >> 32));
    noc_set(noc, 1, arch::niu::kTargAddrHi, from.packed());
    noc_set(noc, 1, arch::niu::kRetAddrLo, to);
    noc_issue(noc, 1, arch::niu::kCtrlWordRead, bytes);
  }
  void noc_increment(int noc, arch::NocCoord tile, uint32_t address, uint32_t by) {
    noc_set(noc, 3, arch::niu::kTargAddrLo, address);
    noc_set(noc, 3, arch::niu::kTargAddrHi, tile.packed());
    noc_set(noc, 3, arch::niu::kRetAddrLo, 4);
    noc_set(noc, 3, arch::niu::kAtData, by);
    noc_issue(noc, 3, arch::niu::kCtrlWordAtomic, arch::niu::atomic_increment(address));
  }
  void noc_wait(int noc, arch::niu::Counter counter, uint32_t value) {
    wait_for_word(arch::niu_counter_address(noc, counter), value);
  }
};

}  // namespace kerr::emu
