// What an observer is told, in which order, and that nothing changes because somebody looks.
#include "emu/observe/observer.hpp"
#include "arch/bytes.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>

#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "emu/hash.hpp"
#include "isa/disassembler.hpp"
#include "tests/emu/machine/random_tiles.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
using namespace isa::reg;

/// Writes down what harts, threads and packets of the tiles do, line by line and by tile; not what the host does.
class Notes final : public Observer {
 public:
  void retired(const Actor& who, uint32_t pc, uint32_t word) override {
    EXPECT_NE(word, 0u);
    note(who, fmt::format("{:#x}", pc));
  }
  void issued(const Actor& who, uint32_t word) override { note(who, isa::disassemble_tensix(word)); }
  void accessed(const Actor& who, AccessKind kind, uint32_t address, uint32_t bytes, uint32_t) override {
    constexpr std::array kKinds{"load", "store", "atomic"};
    note(who, fmt::format("{} {} at {:#x}", kKinds[static_cast<size_t>(kind)], bytes, address));
  }
  void packet_left(const Actor&, const Message& m, int) override {
    of(m.source).push_back(fmt::format("{} {} left, {} flits", name(m.kind), m.packet, flits(m)));
  }
  void packet_arrived(const Message& m) override {
    of(m.destination).push_back(fmt::format("{} {} arrived", name(m.kind), m.packet));
  }

  std::vector<std::string>& of(TileId tile) { return lines_[tile.node]; }
  std::vector<std::string>& of(NocCoord raw) { return lines_[NocGeometry::node_of(raw)]; }
  uint64_t hash() const {
    uint64_t hash = 0;
    for (const std::vector<std::string>& lines : lines_) {
      for (const std::string& line : lines) hash = mix_bytes(hash, arch::as_uint8(line));
    }
    return hash;
  }

 private:
  void note(const Actor& who, const std::string& what) {
    if (who.agent != Agent::Host) of(who.tile).push_back(fmt::format("{} {} {}", who.cycle, name(who.agent), what));
  }
  std::array<std::vector<std::string>, arch::kGridTiles> lines_;
};

using Lines = std::vector<std::string>;

Lines without_cycles(Lines lines) {
  for (std::string& line : lines) {
    if (std::isdigit(static_cast<unsigned char>(line[0]))) line.erase(0, line.find(' ') + 1);
  }
  return lines;
}

class Observed : public ::testing::TestWithParam<Timing> {
 protected:
  const NocCoord here_ = arch::tensix_tiles(arch::kP100a.harvesting)[0];
  const NocCoord there_ = arch::tensix_tiles(arch::kP100a.harvesting)[1];
  Notes notes_;
  NocCoord raw(NocCoord tile) { return arch::raw_of(NocGeometry(arch::kP100a.harvesting).translation(0), 0, tile); }

  /// Lines of `here_`.
  Lines notes_of(const Kernel& kernel) {
    Machine machine({.timing = GetParam(), .observer = &notes_});
    TestHost host(machine);
    host.write32(here_, 0x108, 7);
    host.start(here_, kernel);
    machine.advance(3000);
    EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
    return without_cycles(notes_.of(raw(here_)));
  }
};
INSTANTIATE_TEST_SUITE_P(Timings, Observed, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Observed, AHartTellsEachAccessAndInstructionOnceAndInOrder) {
  Kernel k;
  k.lw(t1, zero, 0x108);
  k.sb(t1, zero, 0x10D);
  k.li(t0, 0xFFB00010);  // its own memory: private
  k.sw(t1, t0, 0);
  k.store_reg(arch::kOverlayBase + 8 * arch::kStreamStride + 4 * 10, t1);
  k.li(t0, 0x110);
  k.amoadd_w(t2, t1, t0);
  k.stop();
  Lines notes = notes_of(k);
  std::erase(notes, "BRISC 0x28");  // the jump to itself, until it parks
  EXPECT_EQ(notes, (Lines{"BRISC load 4 at 0x108", "BRISC 0x0", "BRISC store 1 at 0x10d", "BRISC 0x4", "BRISC 0x8",
                          "BRISC 0xc", "BRISC 0x10", "BRISC 0x14", "BRISC 0x18", "BRISC store 4 at 0xffb48028",
                          "BRISC 0x1c", "BRISC 0x20", "BRISC atomic 4 at 0x110", "BRISC 0x24"}));
}

// Wants all or not, and may change its mind whenever it is told something.
class Choosy final : public Observer {
 public:
  const bool& wants_all_retired(TileId) const override { return all_; }
  void retired(const Actor&, uint32_t pc, uint32_t) override {
    told.push_back(pc);
    if (pc == kAllFrom) all_ = true;
  }
  static constexpr uint32_t kAllFrom = 0x80;
  std::vector<uint32_t> told;

 private:
  bool all_ = false;
};

TEST_P(Observed, WhoDoesNotWantAllIsToldOfNewLinesMarksAndTheStackPointer) {
  Choosy choosy;
  Machine machine({.timing = GetParam(), .observer = &choosy});
  TestHost host(machine);
  Kernel k;
  k.addi(t0, zero, 1);  // 0x0: the first of a line
  k.addi(t0, t0, 1);
  k.addi(sp, sp, -16);  // 0x8: the stack pointer
  k.sw(t0, zero, 0x100);
  k.slti(zero, t0, 5);                          // 0x10: a custom hint
  k.csrrs(t1, isa::csr::kCfg0, zero);           // 0x14: a CSR
  for (int i = 0; i < 12; ++i) k.add(t0, t0, t0);  // 0x18 to 0x44: 0x40 is in the next line
  while (k.size_bytes() < 0x84) k.add(t0, t0, t0);
  k.addi(t0, t0, 1);  // 0x84
  k.addi(t0, t0, 1);
  k.addi(t0, t0, 1);
  k.stop();
  host.start(here_, k);
  machine.advance(3000);
  std::vector<uint32_t>& told = choosy.told;
  ASSERT_GE(told.size(), 9u);
  EXPECT_EQ(std::vector(told.begin(), told.begin() + 9),
            (std::vector<uint32_t>{0x0, 0x8, 0x10, 0x14, 0x40, 0x80, 0x84, 0x88, 0x8C}));
}

void spin(Kernel& k, int32_t turns) {
  k.li(a0, turns);
  const isa::Label loop = k.here();
  k.addi(a0, a0, -1);
  k.bnez(a0, loop);
}

// The mailbox is empty: BRISC waits, and reads when TRISC0 has written.
TEST_P(Observed, AnAccessThatHasToWaitIsToldOnce) {
  Machine machine({.timing = GetParam(), .observer = &notes_});
  TestHost host(machine);
  Kernel reader, writer;
  reader.load_word(t2, arch::mailbox_address(1));
  reader.stop();
  spin(writer, 300);
  writer.store_reg(arch::mailbox_address(0), a0);
  writer.stop();
  host.write(here_, 0, reader.finish(0).bytes);
  host.write(here_, arch::kDefaultResetPc[2], writer.finish(arch::kDefaultResetPc[2]).bytes);
  host.write32(here_, TestHost::kSoftReset, arch::kSoftResetAllHarts & ~(1u << 11 | 1u << 12));
  machine.advance(6000);
  Lines notes = without_cycles(notes_.of(raw(here_)));
  std::erase_if(notes, [](const std::string& line) { return line.find(" at ") == line.npos; });
  EXPECT_EQ(notes, (Lines{fmt::format("TRISC0 store 4 at {:#x}", arch::mailbox_address(0)),
                          fmt::format("BRISC load 4 at {:#x}", arch::mailbox_address(1))}));
}

TEST_P(Observed, PacketsAreToldWhereTheyLeaveAndWhereTheyTakeEffect) {
  Kernel k;
  for (int buffer : {0, 3}) k.noc_init(0, buffer);
  k.noc_write(0, 0x400, there_, 0x500, 100);
  k.noc_wait(0, niu::kMstWrAckReceived, 1);
  k.noc_increment(0, there_, 0x600, 1);
  k.noc_wait(0, niu::kMstAtomicRespReceived, 1);
  k.stop();
  Lines here = notes_of(k);
  std::erase_if(
      here, [](const std::string& line) { return line.starts_with("BRISC") && line.find("at 0x400") == line.npos; });
  EXPECT_EQ(here, (Lines{"BRISC load 100 at 0x400", "write 0 left, 3 flits", "write acknowledgement 0 arrived",
                         "atomic 1 left, 1 flits", "atomic response 1 arrived", "inbox store 4 at 0x4"}));
  EXPECT_EQ(without_cycles(notes_.of(raw(there_))),
            (Lines{"write 0 arrived", "inbox store 100 at 0x500", "write acknowledgement 0 left, 1 flits",
                   "atomic 1 arrived", "inbox atomic 4 at 0x600", "atomic response 1 left, 1 flits"}));
}

TEST_P(Observed, TheMessagesOfAMulticastShareTheirPacket) {
  Kernel k;
  const auto corner = arch::tensix_tiles(arch::kP100a.harvesting)[3];
  k.noc_init(0, 0);
  for (int i = 0; i < 2; ++i) {
    k.noc_set(0, 0, niu::kTargAddrLo, 0x400);
    k.noc_set(0, 0, niu::kRetAddrLo, 0x800);
    k.noc_set(0, 0, niu::kRetAddrHi, uint32_t{here_.packed()} << 12 | corner.packed());
    k.noc_issue(0, 0, niu::kCtrlWrite | niu::kCtrlBroadcast | niu::kCtrlVcStatic | niu::ctrl_static_vc(4), 32);
  }
  k.stop();
  Lines here = notes_of(k);
  std::erase_if(here, [](const std::string& line) { return line.find("left") == line.npos; });
  EXPECT_EQ(here, (Lines{"write 0 left, 2 flits", "write 0 left, 2 flits", "write 0 left, 2 flits",
                         "write 3 left, 2 flits", "write 3 left, 2 flits", "write 3 left, 2 flits"}));
  Lines at_corner = without_cycles(notes_.of(raw(corner)));
  EXPECT_EQ(at_corner,
            (Lines{"write 0 arrived", "inbox store 32 at 0x800", "write 3 arrived", "inbox store 32 at 0x800"}));
}

TEST_P(Observed, AServersAnswerIsToldToo) {
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 0);
  Kernel k;
  k.noc_init(0, 1);
  k.noc_read(0, bank, 0x1000, 0x3000, 64);
  k.noc_wait(0, niu::kMstRdRespReceived, 1);
  k.stop();
  Lines here = notes_of(k);
  std::erase_if(here, [](const std::string& line) { return line.starts_with("BRISC"); });
  EXPECT_EQ(here, (Lines{"read 0 left, 1 flits", "read response 0 arrived", "inbox store 64 at 0x3000"}));
  EXPECT_EQ(notes_.of(raw(bank)), (Lines{"read 0 arrived", "read response 0 left, 2 flits"}));
}

TEST_P(Observed, ThreadsTellWhatTheyExecuteAndReadAndWrite) {
  namespace tx = isa::tensix;
  Kernel k;
  for (const uint32_t word :
       {tx::SETDMAREG{.reg_index_16b = 0, .payload_sig_sel = 0x40}.encode(), tx::SEMPOST{.sem_sel = 2}.encode(),
        tx::LOADIND{.addr_reg = 0, .result_reg = 4, .offset_half_reg = 6, .size_sel = 1}.encode()}) {
    k.store_word(0xFFE40000, word);
  }
  k.stop();
  Lines notes = notes_of(k);
  std::erase_if(notes, [](const std::string& line) { return !line.starts_with("T0"); });
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_TRUE(notes[0].starts_with("T0 SETDMAREG")) << notes[0];
  EXPECT_TRUE(notes[1].starts_with("T0 SEMPOST")) << notes[1];
  EXPECT_TRUE(notes[2].starts_with("T0 load") && notes[2].ends_with("at 0x400")) << notes[2];
  EXPECT_TRUE(notes[3].starts_with("T0 LOADIND")) << notes[3];
}

// --- who waits ---

class WaitNotes final : public Observer {
 public:
  void stalled(const Actor& who, const Stall& s) override {
    lines.push_back(fmt::format("{} {} {}", name(who.agent), s.polls ? "polls" : "waits for", names(s.what)));
    for (const uint32_t line : s.l1_lines) lines.back() += fmt::format(" line {}", line);
  }
  void released(const Actor& who, Agent by) override {
    lines.push_back(fmt::format("{} released by {}", name(who.agent), name(by)));
  }
  Lines lines;
};

TEST_P(Observed, AStallAndTheAgentThatEndsItAreTold) {
  WaitNotes notes;
  Machine machine({.timing = GetParam(), .observer = &notes});
  TestHost host(machine);
  Kernel reader, writer;
  reader.load_word(t2, arch::mailbox_address(1));  // TRISC0 has to write first
  const isa::Label poll = reader.here();
  reader.lw(t1, zero, 0x400);  // then a word of L1 has to change
  reader.beqz(t1, poll);
  reader.stop();
  spin(writer, 300);
  writer.store_reg(arch::mailbox_address(0), a0);
  spin(writer, 600);
  writer.li(a0, 1);
  writer.sw(a0, zero, 0x400);
  writer.stop();
  host.write(here_, 0, reader.finish(0).bytes);
  host.write(here_, arch::kDefaultResetPc[2], writer.finish(arch::kDefaultResetPc[2]).bytes);
  host.write32(here_, TestHost::kSoftReset, arch::kSoftResetAllHarts & ~(1u << 11 | 1u << 12));
  notes.lines.clear();
  machine.advance(20000);
  std::erase_if(notes.lines, [](const std::string& line) { return !line.starts_with("BRISC"); });
  ASSERT_GE(notes.lines.size(), 4u);
  notes.lines.resize(4);
  EXPECT_EQ(notes.lines, (Lines{"BRISC waits for mailbox", "BRISC released by TRISC0", "BRISC polls L1 line 16",
                                "BRISC released by TRISC0"}));
}

// --- looking changes nothing, and sees the same however the world is run ---

constexpr Cycle kCycles = 256 * 22;

TEST_P(Observed, LookingChangesNeitherStateNorCycles) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomTiles world(seed);
    const TilesOutcome plain = run(world, {.timing = GetParam()}, kCycles, kCycles);
    for (const bool parking : {true, false}) {
      Notes notes;
      EXPECT_EQ(run(world, {.timing = GetParam(), .observer = &notes, .parking = parking}, kCycles, kCycles), plain)
          << seed;
    }
  }
}

TEST_P(Observed, TheTraceIsTheSameForAllShardsAndSlices) {
  for (unsigned seed = 21; seed <= 23; ++seed) {
    const RandomTiles world(seed);
    const auto trace = [&](int shards, Cycle slice) {
      Notes notes;
      run(world, {.shards = shards, .timing = GetParam(), .observer = &notes}, kCycles, slice);
      return notes.hash();
    };
    const uint64_t expected = trace(1, kCycles);
    for (const int shards : {2, 3, 4, 8}) EXPECT_EQ(trace(shards, kCycles), expected) << seed << ", shards " << shards;
    EXPECT_EQ(trace(2, 1), expected) << seed;
  }
}

// The reference scheduler skips nothing: so it tells what a fast run without parking tells.
TEST_P(Observed, TheReferenceSchedulerTellsTheSame) {
  for (unsigned seed = 31; seed <= 36; ++seed) {
    const RandomTiles world(seed);
    Notes fast, reference;
    EXPECT_EQ(run(world, {.timing = GetParam(), .observer = &fast, .parking = false}, kCycles, kCycles),
              run(world, {.scheduler = Scheduler::Reference, .timing = GetParam(), .observer = &reference}, kCycles,
                  kCycles));
    const auto by_agent = [](const Lines& lines) {
      std::map<std::string, Lines> sorted;  // exact timing tells of private instructions ahead of other agents
      for (const std::string& line : lines) {
        const size_t who = line.find(' ') + 1;
        sorted[line.substr(who, line.find(' ', who) - who)].push_back(line);
      }
      return sorted;
    };
    for (const NocCoord tile : world.tiles())
      EXPECT_EQ(by_agent(fast.of(raw(tile))), by_agent(reference.of(raw(tile)))) << seed;
  }
}

}  // namespace
}  // namespace kerr::emu
