#include <array>

#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
namespace niu = arch::niu;

namespace {

constexpr NocCoord kOwn{1, 2};

// The loops are those that were measured (blackhole-py, examples/riscv_noc_bench.py and microbench_noc_mcast_mixed.py
// with its ttk/noc.py of June 2026): wait for the command buffer, write all of its registers, poll a counter until it
// has reached a target, fence.
struct Command {
  int noc, buffer;
  struct Setting {
    uint32_t reg;
    uint32_t value;
    bool constant = false;  // is loaded anew in each turn; others lie in registers, or are 0
  };
  std::vector<Setting> settings;
};

constexpr isa::Reg kAddress = t3, kValue = t4, kTarget = s6;

// Registers for the values that do not change, in the order of their settings.
constexpr std::array kValues{s3, s4, s5, s7, s8, s9, s10};

void load_values(Kernel& k, const Command& c) {
  size_t n = 0;
  for (const Command::Setting& s : c.settings)
    if (!s.constant && s.value != 0) k.li(kValues.at(n++), s.value);
}

void issue(Kernel& k, const Command& c) {
  k.li(kAddress, arch::niu_address(c.noc, c.buffer, niu::kCmdCtrl));
  const isa::Label busy = k.here();
  k.lw(kValue, kAddress);
  k.bnez(kValue, busy);
  const uint32_t first = c.settings.front().reg;
  const auto offset = [&](uint32_t reg) { return static_cast<int32_t>(reg) - static_cast<int32_t>(first); };
  k.li(kAddress, arch::niu_address(c.noc, c.buffer, first));  // the library forgets at labels what registers hold
  size_t n = 0;
  for (const Command::Setting& s : c.settings) {
    if (s.constant) k.li(kValue, s.value);
    k.sw(s.constant ? kValue : s.value == 0 ? zero : kValues.at(n++), kAddress, offset(s.reg));
  }
  k.li(kValue, 1);
  k.sw(kValue, kAddress, offset(niu::kCmdCtrl));
}

void wait(Kernel& k, int noc, niu::Counter counter) {
  k.li(kAddress, arch::niu_counter_address(noc, counter));
  const isa::Label again = k.here();
  k.lw(kValue, kAddress);
  k.bltu(kValue, kTarget, again);
}

// Raw cycles of a turn, as `turns` of them were timed.
double turns(const Command& c, niu::Counter counter, uint32_t turns, bool fence) {
  const Payload prepare = [=](Kernel& k) {
    for (const int buffer : {0, 1, 3}) k.noc_init(c.noc, buffer);
    load_values(k, c);
    k.li(kAddress, arch::niu_counter_address(c.noc, counter));
    k.lw(kTarget, kAddress);
  };
  const Payload payload = [=](Kernel& k) {
    issue(k, c);
    k.addi(kTarget, kTarget, 1);
    wait(k, c.noc, counter);
    if (fence) k.fence();
  };
  return cycles_of(turns, {.prepare = prepare, .payload = payload}) / turns;
}

Command read(int noc, NocCoord from, uint64_t address, uint32_t bytes) {
  return {noc,
          1,
          {{niu::kCtrl, niu::kCtrlWordRead, true},
           {niu::kRetAddrLo, kData},
           {niu::kRetAddrMid, 0},
           {niu::kRetAddrHi, kOwn.packed()},
           {niu::kTargAddrLo, static_cast<uint32_t>(address)},
           {niu::kTargAddrMid, 0},
           {niu::kTargAddrHi, from.packed()},
           {niu::kAtLenBe, bytes},
           {niu::kAtLenBe1, 0}}};
}

Command write(int noc, uint32_t to, uint32_t address, uint32_t bytes, uint32_t control = niu::kCtrlWordWrite) {
  return {noc,
          0,
          {{niu::kCtrl, control, true},
           {niu::kTargAddrLo, kData},
           {niu::kRetAddrLo, address},
           {niu::kRetAddrMid, 0},
           {niu::kRetAddrHi, to},
           {niu::kAtLenBe, bytes},
           {niu::kAtLenBe1, 0}}};
}

Command increment(int noc, NocCoord of) {
  return {noc,
          3,
          {{niu::kRetAddrLo, 4, true},
           {niu::kRetAddrMid, 0},
           {niu::kRetAddrHi, kOwn.packed()},
           {niu::kTargAddrLo, 0x5000},
           {niu::kTargAddrMid, 0},
           {niu::kTargAddrHi, of.packed()},
           {niu::kCtrl, niu::kCtrlWordAtomic, true},
           {niu::kAtLenBe, niu::atomic_increment(0), true},
           {niu::kAtLenBe1, 0},
           {niu::kAtData, 1, true}}};
}

// To three neighbours; on the far ways of timing.md 7.4 it goes round the ring.
Command multicast(int noc, NocCoord first, NocCoord last, uint32_t bytes) {
  return write(noc, first.packed() << 12 | last.packed(), 0x8000, bytes, niu::kCtrlWordMulticast);
}

double read_turns(const Command& c, uint32_t n = 100) { return turns(c, niu::kMstRdRespReceived, n, true); }
double write_turns(const Command& c, uint32_t n = 100) { return turns(c, niu::kMstWrAckReceived, n, true); }
double atomic_turns(const Command& c) { return turns(c, niu::kMstAtomicRespReceived, 4, false); }

// Everything but the command itself is written once.
Payload prepare_bare(const Command& c) {
  return [=](Kernel& k) {
    for (const int buffer : {0, 1, 3}) k.noc_init(c.noc, buffer);
    for (const Command::Setting& s : c.settings) k.noc_set(c.noc, c.buffer, s.reg, s.value);
    k.li(kAddress, arch::niu_address(c.noc, c.buffer, 0));
    k.li(kValue, 1);
  };
}

// Issues nothing but the command and polls with loads.
double bare_round_trip(const Command& c, niu::Counter counter) {
  const Payload prepare = [=](Kernel& k) {
    prepare_bare(c)(k);
    k.li(a6, arch::niu_counter_address(c.noc, counter));
    k.lw(kTarget, a6);
  };
  const Payload payload = [=](Kernel& k) {
    k.sw(kValue, kAddress, niu::kCmdCtrl);
    k.addi(kTarget, kTarget, 1);
    const isa::Label again = k.here();
    k.lw(t0, a6);
    k.bne(t0, kTarget, again);
  };
  return cycles_per_turn({.prepare = prepare, .payload = payload});
}

// tt-metal publishes the numbers of its dataset, but not the loops. What they cost in software is what its read along
// one column, 226 cycles, leaves.
double as_in_dataset(const Command& c, niu::Counter counter) {
  const Command column = read(0, {1, 6}, 0x6000, 64);
  return 226 + bare_round_trip(c, counter) - bare_round_trip(column, niu::kMstRdRespReceived);
}

// Cycles of a packet in a long train, issued as fast as the command buffer takes them.
double train(const Command& c) {
  const Payload payload = [](Kernel& k) {
    k.sw(kValue, kAddress, niu::kCmdCtrl);
    const isa::Label busy = k.here();
    k.lw(t0, kAddress, niu::kCmdCtrl);
    k.bnez(t0, busy);
  };
  return cycles_per_turn({.prepare = prepare_bare(c), .payload = payload});
}

// The measured loop waits for each packet to be sent. 39 of a turn's cycles are that loop's (22 until the command, 17
// from the load that sees it sent: timing.md 7.4).
constexpr double kSendLoop = 39, kSendTurns = 4, kSendOnce = 22;
double sent_in(double cycles) { return (cycles - kSendOnce) / kSendTurns - kSendLoop; }

constexpr const char* kLoops = "NoC: turns of the loops that were measured, raw";
constexpr const char* kDataset = "NoC: latencies of tt-metal's dataset";
Micro latency(const char* group, std::string name, double silicon, std::string section,
              std::function<double()> measure) {
  return {group, std::move(name), "cycles", silicon, 0.05, std::move(section), std::move(measure)};
}
Micro packet(std::string name, double silicon, double tolerance, std::string section, std::function<double()> measure) {
  return {"NoC: packets of 16 KiB in a train",
          std::move(name),
          "cycles a packet",
          silicon,
          tolerance,
          std::move(section),
          std::move(measure)};
}

}  // namespace

std::vector<Micro> noc_micros() {
  const NocCoord row{2, 2}, column{1, 3}, far_row{5, 2}, apart{5, 6};
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 1);
  const auto response = niu::kMstRdRespReceived, ack = niu::kMstWrAckReceived;
  return {
      latency(kLoops, "read 64 B, own tile", 75.22, "7.2", [=] { return read_turns(read(0, kOwn, 0x6000, 64)); }),
      latency(kLoops, "read 256 B, own tile", 83.22, "7.2", [=] { return read_turns(read(0, kOwn, 0x6000, 256)); }),
      latency(kLoops, "write 64 B, own tile", 73.22, "7.2",
              [=] { return write_turns(write(0, kOwn.packed(), 0x6000, 64)); }),
      latency(kLoops, "write 256 B, own tile", 73.22, "7.2",
              [=] { return write_turns(write(0, kOwn.packed(), 0x6000, 256)); }),
      latency(kLoops, "read 64 B, same row", 227.22, "7.2", [=] { return read_turns(read(0, row, 0x6000, 64)); }),
      latency(kLoops, "read 64 B, same row, NoC 1", 227.22, "7.2",
              [=] { return read_turns(read(1, row, 0x6000, 64)); }),
      latency(kLoops, "read 256 B, same row", 235.22, "7.2", [=] { return read_turns(read(0, row, 0x6000, 256)); }),
      latency(kLoops, "write 64 B, same row", 225.33, "7.2",
              [=] { return write_turns(write(0, row.packed(), 0x6000, 64)); }),
      latency(kLoops, "write 256 B, same row", 225.38, "7.2",
              [=] { return write_turns(write(0, row.packed(), 0x6000, 256)); }),
      latency(kLoops, "atomic, same row", 242.5, "7.2", [=] { return atomic_turns(increment(0, row)); }),
      latency(kLoops, "atomic, same column", 204.5, "7.2", [=] { return atomic_turns(increment(0, column)); }),
      latency(kLoops, "read 16 KiB, same row", 490.5, "7.2",
              [=] { return read_turns(read(0, row, 0x8000, 16384), 4); }),
      latency(kLoops, "write 16 KiB, same row, NoC 1", 486.5, "7.2",
              [=] { return write_turns(write(1, row.packed(), 0x8000, 16384), 4); }),
      latency(kLoops, "read 16 KiB, same column", 449.5, "7.2",
              [=] { return read_turns(read(0, column, 0x8000, 16384), 4); }),
      latency(kLoops, "write 16 KiB, same column, NoC 1", 446.5, "7.2",
              [=] { return write_turns(write(1, column.packed(), 0x8000, 16384), 4); }),
      latency(kDataset, "read 64 B, row and column differ, NoC 1", 373, "7.3",
              [=] { return as_in_dataset(read(1, apart, 0x6000, 64), response); }),
      latency(kDataset, "read 16 KiB, row and column differ, NoC 1", 636, "7.3",
              [=] { return as_in_dataset(read(1, apart, 0x8000, 16384), response); }),
      latency(kDataset, "write 16 KiB, row and column differ", 629, "7.3",
              [=] { return as_in_dataset(write(0, apart.packed(), 0x8000, 16384), ack); }),
      latency(kDataset, "read 64 B, DRAM", 481, "7.3, 8.1",
              [=] { return as_in_dataset(read(1, bank, 0x10000, 64), response); }),
      latency(kDataset, "read 2 KiB, DRAM", 538, "7.3",
              [=] { return as_in_dataset(read(1, bank, 0x10000, 2048), response); }),
      packet("multicast to 3 tiles of the row, NoC 0", sent_in(1442), 0.10, "7.4",
             [=] {
               return train(multicast(0, {2, 2}, {4, 2}, 16384));
             }),
      packet("multicast to 3 tiles of the row, NoC 1", sent_in(2170), 0.10, "7.4",
             [=] {
               return train(multicast(1, {4, 2}, {2, 2}, 16384));
             }),
      packet("multicast to 3 tiles of the column, NoC 1", sent_in(1887), 0.10, "7.4",
             [=] {
               return train(multicast(1, {1, 5}, {1, 3}, 16384));
             }),
      packet("write", 264.7, 0.05, "7.3", [=] { return train(write(0, far_row.packed(), 0x8000, 16384)); }),
  };
}

}  // namespace kerr::timing_tests
