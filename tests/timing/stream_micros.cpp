// Many packets, of one core or of many: docs/hardware/timing.md 7.3, 7.5, 8.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "arch/banks.hpp"
#include "emu/noc/geometry.hpp"
#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
using emu::timing::Parameters;
namespace niu = arch::niu;

namespace {

constexpr uint32_t kPeerData = 0x4'0000;
constexpr isa::Reg kBuffer = a3, kIssue = a4, kCounter = a5, kTarget = a6, kCount = a7;

enum class Kind : uint8_t { Read, Write };

/// `turns` times a packet to or from each of `targets`.
struct Stream {
  Kind kind;
  int noc;
  arch::Hart hart;
  std::vector<NocCoord> targets;
  uint64_t address;  // there
  uint32_t bytes;    // of a packet
  int pause = 0;     // additions between packets, which stand for what else the benchmark's loop does
};

Role role_of(const Stream& s, uint32_t turns) {
  const int buffer = s.kind == Kind::Read ? 1 : 0;
  const uint32_t hi = s.kind == Kind::Read ? niu::kTargAddrHi : niu::kRetAddrHi;
  const auto issue = [=](Kernel& k) {
    const isa::Label busy = k.here();
    k.lw(t0, kBuffer, niu::kCmdCtrl);
    k.bnez(t0, busy);
    k.sw(kIssue, kBuffer, niu::kCmdCtrl);
    for (int i = 0; i < s.pause; ++i) k.addi(t1, t1, 1);
  };
  Role role{.hart = s.hart};
  role.prepare = [=](Kernel& k) {
    k.noc_init(s.noc, buffer);
    k.noc_set(s.noc, buffer, s.kind == Kind::Read ? niu::kTargAddrLo : niu::kRetAddrLo,
              static_cast<uint32_t>(s.address));
    k.noc_set(s.noc, buffer, hi, s.targets.front().packed());
    k.noc_set(s.noc, buffer, s.kind == Kind::Read ? niu::kRetAddrLo : niu::kTargAddrLo, kPeerData);
    k.noc_set(s.noc, buffer, niu::kCtrl, s.kind == Kind::Read ? niu::kCtrlWordRead : niu::kCtrlWordWrite);
    k.noc_set(s.noc, buffer, niu::kAtLenBe, s.bytes);
    k.li(kBuffer, arch::niu_address(s.noc, buffer, 0));
    k.li(kIssue, 1);
    k.li(kCounter,
         arch::niu_counter_address(s.noc, s.kind == Kind::Read ? niu::kMstRdRespReceived : niu::kMstWrAckReceived));
    k.lw(kCount, kCounter);
    k.li(t0, turns * static_cast<uint32_t>(s.targets.size()));
    k.add(kCount, kCount, t0);
  };
  role.payload = [=](Kernel& k) {
    if (s.targets.size() == 1) return issue(k);
    for (const NocCoord target : s.targets) {
      const isa::Label busy = k.here();
      k.lw(t0, kBuffer, niu::kCmdCtrl);
      k.bnez(t0, busy);
      k.li(kTarget, target.packed());
      k.sw(kTarget, kBuffer, static_cast<int32_t>(hi));
      k.sw(kIssue, kBuffer, niu::kCmdCtrl);
    }
  };
  role.finish = [=](Kernel& k) {
    const isa::Label again = k.here();
    k.lw(t0, kCounter);
    k.bne(t0, kCount, again);
  };
  return role;
}

struct Sender {
  NocCoord tile;
  Stream stream;
};

/// Bytes a cycle of all together, from the first one's start to the last one's end.
double rate(const std::vector<Sender>& senders, uint32_t bytes_each,
            const Parameters& parameters = emu::timing::kBlackhole, const arch::Board& board = arch::kP100a) {
  LoneChip chip(parameters, board);
  for (const Sender& s : senders) {
    const uint32_t turns = bytes_each / (s.stream.bytes * static_cast<uint32_t>(s.stream.targets.size()));
    chip.load(s.tile, role_of(s.stream, turns), turns);
  }
  uint32_t first = ~0u, last = 0;
  double bytes = 0;
  for (const Sender& s : senders) {
    const Interval interval = chip.finish(s.tile, s.stream.hart);
    first = std::min(first, interval.first);
    last = std::max(last, interval.last);
    const auto targets = static_cast<uint32_t>(s.stream.targets.size());
    bytes += bytes_each / (s.stream.bytes * targets) * s.stream.bytes * targets;
  }
  return bytes / (last - first);
}

constexpr uint32_t kPacket = 16384, kTile = 2048;

Sender peer(Kind kind, int noc, arch::Hart hart, NocCoord tile, NocCoord other) {
  return {tile, {kind, noc, hart, {other}, kPeerData, kPacket}};
}

// The columns of neighbours; between 7 and 10 stand DRAM and PCIe.
constexpr std::pair<uint8_t, uint8_t> kNeighbours[] = {{1, 2}, {3, 4}, {5, 6}, {7, 10}, {11, 12}, {13, 14}};

// So many senders of row `y`, and their neighbours. NoC 0 sends to the right, NoC 1 likewise or to the left.
std::vector<Sender> pairs_of_a_row(int count, bool noc0, bool noc1, bool noc1_to_the_right, uint8_t y = 2) {
  std::vector<Sender> all;
  for (const auto& [left, right] : std::span(kNeighbours).first(static_cast<size_t>(count))) {
    const NocCoord a{left, y}, b{right, y};
    if (noc0) all.push_back(peer(Kind::Write, 0, arch::Hart::Brisc, a, b));
    if (!noc1) continue;
    all.push_back(noc1_to_the_right ? peer(Kind::Write, 1, arch::Hart::Ncrisc, a, b)
                                    : peer(Kind::Write, 1, arch::Hart::Ncrisc, b, a));
  }
  return all;
}

std::vector<Sender> sixty_pairs(bool noc0) {
  std::vector<Sender> all;
  for (uint8_t y = 2; y < 12; ++y)
    for (const Sender& s : pairs_of_a_row(6, noc0, !noc0, false, y)) all.push_back(s);
  return all;
}

std::vector<NocCoord> workers(size_t count) {
  const emu::NocGeometry geometry(arch::kP100a.harvesting);
  std::vector<NocCoord> all;
  for (uint8_t x = 1; x <= 14; ++x) {
    if (x == 8 || x == 9) continue;
    for (uint8_t y = 2; y <= 11; ++y) {
      if (x != 14 || y >= 4) all.push_back({x, y});  // two cores of the last column are the dispatcher's
    }
  }
  all.resize(std::min(count, all.size()));
  return all;
}

// Which of a bank's tiles: one of the three, or that of the firmware's table.
constexpr int kOfTable = -1;

NocCoord bank_tile(int bank, int noc, int port) {
  return port == kOfTable ? arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, bank, noc)
                          : arch::dram_bank_tile(arch::kP100a.harvesting, bank, port);
}
std::vector<NocCoord> all_banks(int noc, int port = kOfTable) {
  std::vector<NocCoord> all;
  for (int bank = 0; bank < arch::good_dram_banks(arch::kP100a.harvesting); ++bank)
    all.push_back(bank_tile(bank, noc, port));
  return all;
}

// What else the benchmark's loop does for a packet, so that a lone core takes 76 cycles for one that it reads and 74
// for one that it writes, 40 and 38 where it does not look for the bank in the table (timing.md 8.2).
int pause_of(Kind kind, int port = kOfTable) { return (port == kOfTable ? 63 : 27) + (kind == Kind::Read ? 2 : 0); }

/// Each core streams from or to one of the banks, core i from or to bank i modulo their number.
double dram(Kind kind, int noc, size_t cores, const std::vector<NocCoord>& targets, uint32_t bytes_each,
            const Parameters& parameters = emu::timing::kBlackhole, int port = kOfTable) {
  std::vector<Sender> senders;
  uint64_t address = 0x10'0000;
  for (const NocCoord core : workers(cores)) {
    const NocCoord bank = targets[senders.size() % targets.size()];
    senders.push_back({core, {kind, noc, arch::Hart::Brisc, {bank}, address, kTile, pause_of(kind, port)}});
    address += kTile;
  }
  return rate(senders, bytes_each, parameters);
}

Micro alone(std::string name, double silicon, double tolerance, std::string section, std::function<double()> measure) {
  return {"NoC and DRAM: streams", std::move(name),   "B/cycle", silicon, tolerance,
          std::move(section),      std::move(measure)};
}

// tt-metal's dataset: 256 packets and a barrier, cycles a packet. Where software is the limit there, nothing can be
// compared: its loop is not published.
Micro of_dataset(std::string name, double silicon, Kind kind, std::vector<NocCoord> targets, uint32_t bytes) {
  const int noc = kind == Kind::Read ? 1 : 0;
  const auto measure = [=] {
    const auto turns = static_cast<uint32_t>(256 / targets.size() * targets.size());
    const Sender sender{{1, 2}, {kind, noc, arch::Hart::Brisc, targets, 0x8'0000, bytes}};
    return bytes / rate({sender}, turns * bytes);
  };
  return {"NoC and DRAM: 256 packets of one core, tt-metal's dataset",
          std::move(name),
          "cycles a packet",
          silicon,
          0.05,
          "7.3",
          measure};
}

// Deeper buffers than those of Wormhole, which nobody has published of Blackhole.
Parameters deep_buffers() {
  Parameters p;
  p.noc_channel_flits = 32;
  return p;
}

struct Spread {
  Kind kind;
  int noc;
  size_t cores;
  double silicon;
  int port = kOfTable;
  bool expected_miss = false;
};

// timing.md 8.3, the same numbers of bytes.
constexpr Spread kSpreads[] = {{Kind::Read, 0, 7, 86.9},    {Kind::Read, 0, 14, 115.3},  {Kind::Read, 0, 28, 191.9},
                               {Kind::Read, 0, 56, 229.3},  {Kind::Read, 0, 118, 221.6}, {Kind::Read, 1, 7, 107.3},
                               {Kind::Read, 1, 14, 130.0},  {Kind::Read, 1, 28, 125.1},  {Kind::Read, 1, 56, 141.4},
                               {Kind::Read, 1, 118, 146.6}, {Kind::Write, 0, 7, 123.1},  {Kind::Write, 0, 14, 135.5},
                               {Kind::Write, 0, 28, 121.9}, {Kind::Write, 0, 56, 110.6}, {Kind::Write, 0, 118, 114.2},
                               {Kind::Write, 1, 7, 88.7},   {Kind::Write, 1, 14, 113.6}, {Kind::Write, 1, 28, 141.5},
                               {Kind::Write, 1, 56, 163.3}, {Kind::Write, 1, 118, 182.0}};

// The same by one of the three tiles of each bank (blackhole-py:docs/dram-noc-bench.md, runs of 2026-06-07).
constexpr Spread kEndpoints[] = {
    {Kind::Read, 0, 7, 82.0, 0},   {Kind::Read, 0, 28, 143.0, 0},  {Kind::Read, 0, 118, 179.4, 0},
    {Kind::Read, 1, 7, 79.9, 0},   {Kind::Read, 1, 28, 116.7, 0},  {Kind::Read, 1, 118, 136.3, 0},
    {Kind::Write, 0, 7, 102.6, 0}, {Kind::Write, 0, 28, 119.5, 0}, {Kind::Write, 0, 118, 109.9, 0},
    {Kind::Write, 1, 7, 71.3, 0},  {Kind::Write, 1, 28, 153.3, 0}, {Kind::Write, 1, 118, 175.1, 0},
    {Kind::Read, 0, 7, 107.8, 1},  {Kind::Read, 0, 28, 152.9, 1},  {Kind::Read, 0, 118, 184.0, 1},
    {Kind::Read, 1, 7, 107.4, 1},  {Kind::Read, 1, 28, 133.2, 1},  {Kind::Read, 1, 118, 148.7, 1},
    {Kind::Write, 0, 7, 98.9, 1},  {Kind::Write, 0, 28, 114.1, 1}, {Kind::Write, 0, 118, 113.5, 1},
    {Kind::Write, 1, 7, 90.2, 1},  {Kind::Write, 1, 28, 138.7, 1}, {Kind::Write, 1, 118, 181.4, 1},
    {Kind::Read, 0, 7, 96.9, 2},   {Kind::Read, 0, 28, 148.0, 2},  {Kind::Read, 0, 118, 185.7, 2},
    {Kind::Read, 1, 7, 124.7, 2},  {Kind::Read, 1, 28, 143.3, 2},  {Kind::Read, 1, 118, 159.4, 2, true},
    {Kind::Write, 0, 7, 121.6, 2}, {Kind::Write, 0, 28, 124.9, 2}, {Kind::Write, 0, 118, 121.3, 2},
    {Kind::Write, 1, 7, 85.7, 2},  {Kind::Write, 1, 28, 127.9, 2}, {Kind::Write, 1, 118, 187.3, 2}};

constexpr uint32_t kKiB = 1024;

// On a board with all eight banks, one reader beside each (timing.md 8.4).
double readers_beside_their_banks() {
  const arch::Harvesting& harvesting = arch::kP150.harvesting;
  std::vector<Sender> senders;
  for (int bank = 0; bank < arch::kDramBanks; ++bank) {
    const NocCoord tile = arch::dram_bank_tile(harvesting, bank, bank % 4 == 0 ? 2 : 0);
    const NocCoord raw = arch::dram_tile(bank, bank % 4 == 0 ? 2 : 0);
    senders.push_back(
        {{static_cast<uint8_t>(raw.x + 1), raw.y}, {Kind::Read, 0, arch::Hart::Brisc, {tile}, 0x10'0000, kPacket}});
  }
  return rate(senders, 512 * kKiB, emu::timing::kBlackhole, arch::kP150);
}

void add_spread(std::vector<Micro>& all, const Spread& spread) {
  const auto measure = [spread](const Parameters& p) {
    return dram(spread.kind, spread.noc, spread.cores, all_banks(spread.noc, spread.port), 1024 * kKiB, p, spread.port);
  };
  const auto add = [&](const std::string& name, const Parameters& p) {
    all.push_back(alone(name, spread.silicon, spread.kind == Kind::Read ? 0.15 : 0.30, "8.3",
                        [measure, p] { return measure(p); }));
    all.back().expected_miss = spread.expected_miss;
    all.back().slow = spread.cores > 14;
  };
  const std::string name = fmt::format("all banks{}, {} cores, {} NoC {}",
                                       spread.port == kOfTable ? "" : fmt::format(" by their tile {}", spread.port),
                                       spread.cores, spread.kind == Kind::Read ? "read" : "write", spread.noc);
  add(name, emu::timing::kBlackhole);
  if (spread.cores == 118 && spread.port == kOfTable) add(name + ", buffers of 32 flits", deep_buffers());
}

}  // namespace

std::vector<Micro> stream_micros() {
  const std::vector<NocCoord> tile{{5, 6}};
  const auto one_bank = [](int noc) { return std::vector{bank_tile(0, noc, kOfTable)}; };
  std::vector<Micro> all{
      of_dataset("read 4 KiB, row and column differ", 68.8, Kind::Read, tile, 4096),
      of_dataset("read 8 KiB, row and column differ", 134.7, Kind::Read, tile, 8192),
      of_dataset("read 16 KiB, row and column differ", 267.3, Kind::Read, tile, 16384),
      of_dataset("write 4 KiB, row and column differ", 67.7, Kind::Write, tile, 4096),
      of_dataset("write 8 KiB, row and column differ", 133.4, Kind::Write, tile, 8192),
      of_dataset("read 64 B, 1 bank", 23.8, Kind::Read, one_bank(1), 64),
      of_dataset("read 1 KiB, 1 bank", 27.2, Kind::Read, one_bank(1), 1024),
      missed(of_dataset("read 2 KiB, 1 bank", 50.4, Kind::Read, one_bank(1), 2048)),
      missed(of_dataset("read 4 KiB, 1 bank", 101.7, Kind::Read, one_bank(1), 4096)),
      of_dataset("read 2 KiB, all banks", 35.6, Kind::Read, all_banks(1), 2048),
      of_dataset("read 4 KiB, all banks", 67.7, Kind::Read, all_banks(1), 4096),
      missed(of_dataset("write 2 KiB, 1 bank", 51.0, Kind::Write, one_bank(0), 2048)),
      missed(of_dataset("write 4 KiB, 1 bank", 102.4, Kind::Write, one_bank(0), 4096)),
      alone("read from the neighbour, NoC 0, 16 KiB packets", 63.57, 0.05, "7.1",
            [] {
              return rate({peer(Kind::Read, 0, arch::Hart::Brisc, {1, 2}, {2, 2})}, 1024 * kKiB);
            }),
      alone("write to the neighbour, NoC 0", 61.2, 0.05, "7.5",
            [] {
              return rate({peer(Kind::Write, 0, arch::Hart::Brisc, {1, 2}, {2, 2})}, 1024 * kKiB);
            }),
      alone("60 pairs of neighbours, NoC 0 to the right", 3430, 0.05, "7.5",
            [] { return rate(sixty_pairs(true), 256 * kKiB); }),
      alone("60 pairs of neighbours, NoC 1 to the left", 3440, 0.05, "7.5",
            [] { return rate(sixty_pairs(false), 256 * kKiB); }),
      alone("1 bank, 8 cores, read NoC 0, at 800 MHz", 59.0, 0.05, "8.2",
            [] {
              return dram(Kind::Read, 0, 8, {bank_tile(0, 0, kOfTable)}, 256 * kKiB,
                          emu::timing::at_clock(emu::timing::kBlackhole, 800));
            }),
  };
  for (const int pairs : {2, 4, 6}) {
    const double silicon = pairs == 2 ? 99.07 : pairs == 4 ? 97.91 : 96.44;
    const auto both = [pairs](const Parameters& p) {
      return rate(pairs_of_a_row(pairs, true, true, true), 512 * kKiB, p);
    };
    const std::string name = fmt::format("{} pairs of a row, both NoCs to the right", pairs);
    all.push_back(alone(name, silicon, 0.05, "7.5", [both] { return both(emu::timing::kBlackhole); }));
    if (pairs != 6) continue;
    all.push_back(alone(name + ", buffers of 32 flits", silicon, 0.05, "7.5", [both] { return both(deep_buffers()); }));
    all.back().expected_miss = true;
  }
  struct Bank {
    const char* name;
    Kind kind;
    int noc;
    size_t cores;
    double silicon;
  };
  for (const Bank& b : {Bank{"1 bank, 64 cores, read NoC 0", Kind::Read, 0, 64, 45.2},
                        Bank{"1 bank, 64 cores, read NoC 1", Kind::Read, 1, 64, 47.3},
                        Bank{"1 bank, 118 cores, write NoC 0", Kind::Write, 0, 118, 45.6},
                        Bank{"1 bank, 118 cores, write NoC 1", Kind::Write, 1, 118, 45.2}})
    all.push_back(alone(b.name, b.silicon, 0.10, "8.2",
                        [b] { return dram(b.kind, b.noc, b.cores, {bank_tile(0, b.noc, kOfTable)}, 32 * kKiB); }));
  all.push_back(
      alone("8 banks, a reader beside each, 16 KiB packets, NoC 0", 370.4, 0.10, "8.4", readers_beside_their_banks));
  for (const Spread& spread : kSpreads) add_spread(all, spread);
  for (const Spread& spread : kEndpoints) add_spread(all, spread);
  return all;
}

}  // namespace kerr::timing_tests
