// The NoC: packets of 16 KiB between tiles and to DRAM, over memory that is in the caches and memory that is not; BAR writes.
#include <benchmark/benchmark.h>

#include <array>
#include <span>
#include <vector>

#include "arch/banks.hpp"
#include "arch/noc_registers.hpp"
#include "arch/tile_registers.hpp"
#include "bench/cpu_time.hpp"
#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "host/driver/noc_io.hpp"
#include "isa/assembler.hpp"

namespace kerr {
namespace {

using namespace isa::reg;
namespace niu = arch::niu;

constexpr uint32_t kBytes = niu::kMaxPacketBytes;
constexpr uint32_t kFirst = 0x10000;       // of both buffers
constexpr uint32_t kAtOnce = 4;            // packets between two barriers

enum class Kind { WriteToTile, ReadFromTile, WriteToDram, ReadFromDram };
bool reads(Kind kind) { return kind == Kind::ReadFromTile || kind == Kind::ReadFromDram; }
bool with_dram(Kind kind) { return kind == Kind::WriteToDram || kind == Kind::ReadFromDram; }

// For ever: kAtOnce packets, then a wait for all their responses. Both addresses go round over `own` and `other` bytes.
std::vector<uint8_t> sender(Kind kind, arch::NocCoord self, arch::NocCoord to, uint32_t own, uint32_t other) {
  isa::Assembler a;
  a.li(s0, arch::niu_address(0, 0, 0));
  const auto put = [&](uint32_t offset, uint32_t value) {
    a.li(t0, static_cast<int32_t>(value));
    a.sw(t0, s0, static_cast<int32_t>(offset));
  };
  put(niu::kCtrl, reads(kind) ? niu::kCtrlWordRead : niu::kCtrlWordWrite);
  put(niu::kAtLenBe, kBytes);
  put(niu::kTargAddrHi, (reads(kind) ? to : self).packed());
  put(niu::kRetAddrHi, (reads(kind) ? self : to).packed());
  const int32_t own_offset = reads(kind) ? niu::kRetAddrLo : niu::kTargAddrLo;
  const int32_t other_offset = reads(kind) ? niu::kTargAddrLo : niu::kRetAddrLo;
  a.li(s1, kFirst);
  a.li(s2, kFirst);
  a.li(s3, static_cast<int32_t>(kFirst + own));
  a.li(s4, static_cast<int32_t>(kFirst + other));
  a.li(s5, kBytes);
  a.li(s6, arch::niu_counter_address(0, reads(kind) ? niu::kMstRdRespReceived : niu::kMstWrAckReceived));
  a.li(s7, 0);
  a.li(s9, 1);
  const isa::Label again = a.here();
  a.li(s8, kAtOnce);
  const isa::Label packet = a.here();
  a.sw(s1, s0, own_offset);
  a.sw(s2, s0, other_offset);
  a.sw(s9, s0, niu::kCmdCtrl);
  const auto advance = [&](isa::Reg at, isa::Reg end) {
    const isa::Label inside = a.label();
    a.add(at, at, s5);
    a.bltu(at, end, inside);
    a.li(at, kFirst);
    a.bind(inside);
  };
  advance(s1, s3);
  advance(s2, s4);
  a.addi(s8, s8, -1);
  a.bnez(s8, packet);
  a.addi(s7, s7, kAtOnce);
  const isa::Label wait = a.here();
  a.lw(t0, s6, 0);
  a.bne(t0, s7, wait);
  a.j(again);
  return a.finish().bytes;
}

void NocPackets(benchmark::State& state, Kind kind, bool cold) {
  host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
  host::NocIo io(device);
  // Tiles that send, each to another one or to a bank. Warm: all that they touch fits a second-level cache. Cold: tens of MiB.
  const int pairs = cold ? 14 : 4;
  const uint32_t own = cold ? 0x140000 : kBytes;
  const uint32_t other = !cold ? kBytes : with_dram(kind) ? 0x800000 : 0x140000;
  for (int i = 0; i < pairs; ++i) {
    const arch::NocCoord self{static_cast<uint8_t>(1 + i % 7), static_cast<uint8_t>(2 + i / 7)};
    const arch::NocCoord to = with_dram(kind) ? arch::dram_bank_tile_for_noc(arch::kP150.harvesting, i % 8, 0)
                                              : arch::NocCoord{self.x, static_cast<uint8_t>(self.y + 6)};
    const std::vector<uint8_t> code = sender(kind, self, to, own, other);
    io.write(self, 0, std::as_bytes(std::span(code)));
    io.write32(self, arch::kSoftReset0, arch::kSoftResetBriscRuns);
  }
  emu::Machine& machine = device.machine();
  const auto sent = [&] { return machine.counters(0).packets_sent[0]; };
  // The memory exists before the clock starts.
  while (sent() < 2 * static_cast<uint64_t>(pairs) * (uint64_t{other} / kBytes)) machine.advance(100'000);
  const uint64_t before = sent();
  const double begin = bench::cpu_seconds();
  for (auto _ : state) machine.advance(50'000);
  const double seconds = bench::cpu_seconds() - begin;
  const auto packets = static_cast<double>(sent() - before);
  state.counters["packets"] = packets;
  state.counters["each"] = seconds / packets;
  if (machine.faulted()) state.SkipWithError(machine.faults().front().what.c_str());
}
BENCHMARK_CAPTURE(NocPackets, warm/write_to_tile, Kind::WriteToTile, false);
BENCHMARK_CAPTURE(NocPackets, warm/read_from_tile, Kind::ReadFromTile, false);
BENCHMARK_CAPTURE(NocPackets, warm/write_to_dram, Kind::WriteToDram, false);
BENCHMARK_CAPTURE(NocPackets, warm/read_from_dram, Kind::ReadFromDram, false);
BENCHMARK_CAPTURE(NocPackets, cold/write_to_tile, Kind::WriteToTile, true);
BENCHMARK_CAPTURE(NocPackets, cold/read_from_tile, Kind::ReadFromTile, true);
BENCHMARK_CAPTURE(NocPackets, cold/write_to_dram, Kind::WriteToDram, true);
BENCHMARK_CAPTURE(NocPackets, cold/read_from_dram, Kind::ReadFromDram, true);

// One call of 1 MiB through a window, to memory that exists.
void BarWrite(benchmark::State& state, bool to_dram) {
  host::EmulatedDevice device({.chip = {.boards = {arch::kP150}}});
  host::NocIo io(device);
  const std::vector<std::byte> bytes(1 << 20, std::byte{0x5A});
  const arch::NocCoord to = to_dram ? arch::dram_bank_tile_for_noc(arch::kP150.harvesting, 0, 0) : arch::NocCoord{1, 2};
  io.write(to, 0, bytes);  // points the window
  for (auto _ : state) io.write(to, 0, bytes);
  state.counters["bytes/s"] = benchmark::Counter(static_cast<double>(bytes.size()) * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BarWrite, L1, false);
BENCHMARK_CAPTURE(BarWrite, DRAM, true);

}  // namespace
}  // namespace kerr
