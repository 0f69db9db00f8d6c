#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
namespace niu = arch::niu;

namespace {

constexpr NocCoord kOwn{1, 2};
// The tt-metal dataset issues and waits with more instructions than the loops here: its read along one column takes 226 cycles, where
// the ring rule (timing.md 7.2) gives 71 + 114 to the polling loop.
constexpr double kDatasetSoftware = 226 - 185;
constexpr isa::Reg kBuffer = a3, kCount = a4, kIssue = a5, kCounter = a6;

// Everything but the command itself is written once: what is timed is command, way and counter.
struct RoundTrip {
  int buffer;
  niu::Counter counter;
  Payload set;
};

// Issues, then polls the counter with loads until it has moved on by `receivers`.
double round_trip(const RoundTrip& r, int noc, int receivers = 1) {
  const Payload prepare = [=](Kernel& k) {
    for (const int buffer : {0, 1, 3}) k.noc_init(noc, buffer);
    r.set(k);
    k.li(kBuffer, arch::niu_address(noc, r.buffer, 0));
    k.li(kCounter, arch::niu_counter_address(noc, r.counter));
    k.lw(kCount, kCounter);
    k.li(kIssue, 1);
  };
  const Payload payload = [=](Kernel& k) {
    k.sw(kIssue, kBuffer, niu::kCmdCtrl);
    k.addi(kCount, kCount, receivers);
    const isa::Label again = k.here();
    k.lw(t0, kCounter);
    k.bne(t0, kCount, again);
  };
  return cycles_per_turn({.prepare = prepare, .payload = payload}) - 3;  // the reports subtract the empty loop
}

RoundTrip read(int noc, NocCoord from, std::uint64_t address, std::uint32_t bytes) {
  return {1, niu::kMstRdRespReceived, [=](Kernel& k) {
            k.noc_set(noc, 1, niu::kTargAddrLo, static_cast<std::uint32_t>(address));
            k.noc_set(noc, 1, niu::kTargAddrHi, from.packed());
            k.noc_set(noc, 1, niu::kRetAddrLo, kData);
            k.noc_set(noc, 1, niu::kCtrl, niu::kCtrlWordRead);
            k.noc_set(noc, 1, niu::kAtLenBe, bytes);
          }};
}

RoundTrip write(int noc, NocCoord to, std::uint32_t address, std::uint32_t bytes) {
  return {0, niu::kMstWrAckReceived, [=](Kernel& k) {
            k.noc_set(noc, 0, niu::kTargAddrLo, kData);
            k.noc_set(noc, 0, niu::kRetAddrLo, address);
            k.noc_set(noc, 0, niu::kRetAddrHi, to.packed());
            k.noc_set(noc, 0, niu::kCtrl, niu::kCtrlWordWrite);
            k.noc_set(noc, 0, niu::kAtLenBe, bytes);
          }};
}

RoundTrip increment(int noc, NocCoord of) {
  return {3, niu::kMstAtomicRespReceived, [=](Kernel& k) {
            k.noc_set(noc, 3, niu::kTargAddrLo, 0x5000);
            k.noc_set(noc, 3, niu::kTargAddrHi, of.packed());
            k.noc_set(noc, 3, niu::kRetAddrLo, 4);
            k.noc_set(noc, 3, niu::kAtData, 1);
            k.noc_set(noc, 3, niu::kCtrl, niu::kCtrlWordAtomic);
            k.noc_set(noc, 3, niu::kAtLenBe, niu::atomic_increment(0));
          }};
}

// To three neighbours; on the far ways of timing.md 7.4 the train goes round the ring. Cycles a packet of a train.
RoundTrip multicast(int noc, NocCoord first, NocCoord last, std::uint32_t bytes) {
  return {0, niu::kMstWrAckReceived, [=](Kernel& k) {
            k.noc_set(noc, 0, niu::kTargAddrLo, 0x8000);
            k.noc_set(noc, 0, niu::kRetAddrLo, 0x8000);
            k.noc_set(noc, 0, niu::kRetAddrHi, first.packed() << 12 | last.packed());
            k.noc_set(noc, 0, niu::kCtrl, niu::kCtrlWordMulticast);
            k.noc_set(noc, 0, niu::kAtLenBe, bytes);
          }};
}

Micro latency(std::string name, double silicon, double tolerance, std::string section, std::function<double()> measure) {
  return {"NoC: round trip as a polling hart sees it", std::move(name), "cycles", silicon, tolerance, std::move(section), std::move(measure)};
}

// Cycles of a packet in a long train, issued as fast as the command buffer takes them.
double train(const RoundTrip& r, int noc) {
  const Payload prepare = [=](Kernel& k) {
    for (const int buffer : {0, 1, 3}) k.noc_init(noc, buffer);
    r.set(k);
    k.li(kBuffer, arch::niu_address(noc, r.buffer, 0));
    k.li(kIssue, 1);
  };
  const Payload payload = [=](Kernel& k) {
    k.sw(kIssue, kBuffer, niu::kCmdCtrl);
    const isa::Label busy = k.here();
    k.lw(t0, kBuffer, niu::kCmdCtrl);
    k.bnez(t0, busy);
  };
  return cycles_per_turn({.prepare = prepare, .payload = payload});
}

}  // namespace

std::vector<Micro> noc_micros() {
  const NocCoord same_row{5, 2}, same_column{1, 6}, apart{5, 6};
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 1);
  return {
      latency("read 64 B, own tile", 71, 0.05, "7.2", [=] { return round_trip(read(0, kOwn, 0x6000, 64), 0); }),
      latency("read 64 B, same row", 223, 0.05, "7.2", [=] { return round_trip(read(0, same_row, 0x6000, 64), 0); }),
      latency("read 256 B, same row", 231, 0.05, "7.2", [=] { return round_trip(read(0, same_row, 0x6000, 256), 0); }),
      latency("write 64 B, own tile", 69, 0.05, "7.2", [=] { return round_trip(write(0, kOwn, 0x6000, 64), 0); }),
      latency("write 64 B, same row", 221, 0.05, "7.2", [=] { return round_trip(write(0, same_row, 0x6000, 64), 0); }),
      latency("atomic, own tile", 81, 0.05, "7.2", [=] { return round_trip(increment(0, kOwn), 0); }),
      latency("atomic, same row", 232.75, 0.05, "7.2", [=] { return round_trip(increment(0, same_row), 0); }),
      latency("atomic, same column", 194.75, 0.05, "7.2", [=] { return round_trip(increment(0, same_column), 0); }),
      latency("read 64 B, row and column differ, NoC 1", 373 - kDatasetSoftware, 0.05, "7.3",
              [=] { return round_trip(read(1, apart, 0x6000, 64), 1); }),
      latency("read 16 KiB, row and column differ, NoC 1", 636 - kDatasetSoftware, 0.05, "7.3",
              [=] { return round_trip(read(1, apart, 0x8000, 16384), 1); }),
      latency("write 16 KiB, row and column differ", 629 - kDatasetSoftware, 0.05, "7.3",
              [=] { return round_trip(write(0, apart, 0x8000, 16384), 0); }),
      latency("read 64 B, DRAM", 481 - kDatasetSoftware, 0.05, "7.3, 8.1", [=] { return round_trip(read(1, bank, 0x10000, 64), 1); }),
      latency("read 2 KiB, DRAM", 538 - kDatasetSoftware, 0.05, "7.3", [=] { return round_trip(read(1, bank, 0x10000, 2048), 1); }),
      {"NoC: packets of 16 KiB in a train", "multicast to 3 tiles of the row, NoC 0", "cycles a packet", 350.75, 0.10, "7.4",
       [=] { return train(multicast(0, {2, 2}, {4, 2}, 16384), 0); }},
      {"NoC: packets of 16 KiB in a train", "multicast to 3 tiles of the row, NoC 1", "cycles a packet", 532.75, 0.10, "7.4",
       [=] { return train(multicast(1, {4, 2}, {2, 2}, 16384), 1); }},
      {"NoC: packets of 16 KiB in a train", "multicast to 3 tiles of the column, NoC 1", "cycles a packet", 462.0, 0.10, "7.4",
       [=] { return train(multicast(1, {1, 5}, {1, 3}, 16384), 1); }},
      {"NoC: packets of 16 KiB in a train", "write", "cycles a packet", 264.7, 0.05, "7.3",
       [=] { return train(write(0, same_row, 0x8000, 16384), 0); }},
  };
}

}  // namespace kerr::timing_tests
