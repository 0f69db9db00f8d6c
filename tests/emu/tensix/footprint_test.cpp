// The footprint columns of isa/tensix/instructions.def hold: an instruction changes nothing outside its `writes`, what
// it changes does not depend on anything outside its `reads`, and one that waits or faults changes nothing at all.
// Random instructions run on a coprocessor whose whole state is compared before and after, and on a second one whose
// state differs in all that the row says is not read.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/dispatch.hpp"
#include "isa/disassembler.hpp"
#include "isa/tensix/names.hpp"
#include "isa/tensix/reference.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

namespace rs = isa::tensix::resource;
using isa::tensix::Resources;
using isa::tensix::Row;
using tensix::Issue;

constexpr uint32_t kL1Filled = 0x10000;  // bytes from 0 that hold random data

// What a unit's serialize() visits of its architectural state, piece by piece.
class Chunks final : public Archive {
 public:
  template <class Unit>
  explicit Chunks(Unit& unit) : Archive(Purpose::Hash) {
    unit.serialize(*this);
  }
  /// The next piece.
  const std::vector<uint8_t>& take() { return chunks_.at(taken_++); }
  bool more() const { return taken_ < chunks_.size(); }

 private:
  void raw(void* data, size_t bytes) override {
    const auto* p = static_cast<const uint8_t*>(data);
    chunks_.emplace_back(p, p + bytes);
  }
  std::vector<std::vector<uint8_t>> chunks_;
  size_t taken_ = 0;
};

using Words = std::vector<uint32_t>;

/// All state, by resource; elements are what can be written one without the other.
struct Snapshot {
  std::array<Words, isa::tensix::kResourceCount> of;
  std::array<Words, kThreads> private_of;  // GPRs, thread configuration and row counters of one thread

  Words& operator[](Resources one) { return of[static_cast<size_t>(__builtin_ctz(one))]; }
};

void append(Words& out, const std::vector<uint8_t>& bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

Snapshot take(Coprocessor& p) {
  Snapshot s;
  tensix::State& state = p.state;
  for (auto [src, to] : {std::pair{&state.src_a, &s[rs::SrcA]}, std::pair{&state.src_b, &s[rs::SrcB]}}) {
    for (unsigned bank = 0; bank < 2; ++bank) {
      const auto* cells = &src->bank(bank).cells[0][0];
      to->insert(to->end(), cells, cells + math::kSrcRows * math::kColumns);
      s[rs::Valid].push_back(static_cast<uint32_t>(src->owner(bank)));
    }
    s[rs::Valid].push_back(src->unpack_index());
    s[rs::Valid].push_back(src->fpu_index());
    s[rs::Valid].push_back(math::code_of(src->fpu_format()));
    s[rs::Context].insert(s[rs::Context].end(), src->row_base.begin(), src->row_base.end());
  }
  for (unsigned row = 0; row < tensix::Dst::kRows; ++row) {
    const uint16_t* cells = state.dst.row(row);
    s[rs::Dst].insert(s[rs::Dst].end(), cells, cells + tensix::Dst::kColumns);
    s[rs::Dst].push_back(state.dst.valid(row));
  }

  Chunks vector(p.sfpu);  // in the order of Sfpu::serialize()
  for (unsigned reg = 0; reg < tensix::Sfpu::kLRegs; ++reg) {
    vector.take();
    for (unsigned lane = 0; lane < tensix::kLanes; ++lane) s[rs::LReg].push_back(p.sfpu.lreg(reg)[lane]);
  }
  constexpr unsigned kFlagWords = 2 + 2 * 8 + 1;  // F and U, eight of them on the stack, its size
  constexpr unsigned kConfigPieces = 1 + 3 * 8;   // lane configuration, macros of each column
  for (unsigned i = 0; i < kFlagWords; ++i) append(s[rs::Lane], vector.take());
  for (unsigned i = 0; i < kConfigPieces; ++i) append(s[rs::SfpuCfg], vector.take());
  append(s[rs::Prng], vector.take());
  vector.take();  // lanes that are enabled: by the flags and the configuration
  vector.take();  // how many seeds it knows of
  while (vector.more()) append(s[rs::SfpuCfg], vector.take());  // what macros have scheduled

  for (unsigned bank = 0; bank < 2; ++bank) {
    const auto& words = state.config.bank(bank).words;
    s[rs::Cfg].insert(s[rs::Cfg].end(), words.begin(), words.end());
  }
  s[rs::Cfg].push_back(state.config.prng_seed_writes());
  for (int t = 0; t < kThreads; ++t) {
    Words& own = s.private_of[static_cast<size_t>(t)];
    for (const uint16_t w : state.config.thread(t).words) s[rs::ThreadCfg].push_back(w), own.push_back(w);
    for (unsigned r = 0; r < tensix::Gpr::kCount; ++r) {
      s[rs::Gpr].push_back(state.gpr.read(t, r));
      own.push_back(state.gpr.read(t, r));
    }
    const tensix::Rwc& rwc = state.rwcs[static_cast<size_t>(t)];
    for (const unsigned v :
         {unsigned{rwc.a}, unsigned{rwc.a_cr}, unsigned{rwc.b}, unsigned{rwc.b_cr}, unsigned{rwc.dst},
          unsigned{rwc.dst_cr}, unsigned{rwc.sp}, unsigned{rwc.fidelity}, unsigned{rwc.extra_modifier_bit}}) {
      s[rs::Rwc].push_back(v);
      own.push_back(v);
    }
    for (int unit = 0; unit < tensix::kAdcUnits; ++unit) {
      for (const tensix::AdcChannel& c : state.adcs.of(t, static_cast<tensix::AdcUnit>(unit)).channel) {
        for (const tensix::AdcCounter& counter : {c.x, c.y, c.z, c.w}) {
          s[rs::Adc].push_back(counter.value);
          s[rs::Adc].push_back(counter.cr);
        }
      }
    }
    const tensix::WaitGate& gate = p.gates[static_cast<size_t>(t)];
    s[rs::Latch].push_back(gate.latched());
    if (gate.latched()) {
      s[rs::Latch].push_back(gate.block_mask());
      for (const char c : gate.describe()) s[rs::Latch].push_back(static_cast<uint32_t>(c));
    }
    for (unsigned unpacker = 0; unpacker < 2; ++unpacker) {
      s[rs::Context].push_back(state.context_counters[unpacker][static_cast<size_t>(t)]);
    }
  }
  Chunks fpu(p.fpu);
  fpu.take();                      // the number of MVMULs, for reports
  append(s[rs::Rwc], fpu.take());  // the row that SHIFTXA reads
  for (unsigned i = 0; i < tensix::Semaphores::kCount; ++i) {
    s[rs::Sem].push_back(state.semaphores[i].value);
    s[rs::Sem].push_back(state.semaphores[i].max);
  }
  for (unsigned i = 0; i < tensix::Mutexes::kCount; ++i) {
    s[rs::Mutex].push_back(static_cast<uint32_t>(state.mutexes.holder(i)));
  }
  for (Chunks pack(p.packer); pack.more();) append(s[rs::PackState], pack.take());
  const tensix::PackerSignals& signals = state.packer_signals;
  for (const uint16_t size : signals.accumulated_size) s[rs::PackState].push_back(size);
  for (const uint8_t bin : signals.exponent_histogram) s[rs::PackState].push_back(bin);
  for (const unsigned v : {unsigned{signals.last_size}, static_cast<unsigned>(signals.last_thread),
                           signals.all_zero_flags, unsigned{signals.l1_offset}, unsigned{signals.largest_exponent}}) {
    s[rs::PackState].push_back(v);
  }
  return s;
}

/// Cheap numbers in bulk.
struct Filler {
  uint32_t x;
  uint32_t operator()() { return x = x * 1664525u + 1013904223u, x >> 8 ^ x << 16; }
};

class World {
 public:
  explicit World(uint32_t seed) : random_(seed), fill_{seed * 2654435761u + 1} {
    for (int t = 0; t < kThreads; ++t) {
      for (unsigned w : {12u, 13u, 14u, 15u, 28u, 29u, 30u, 31u, 37u, 38u}) {
        p.state.config.write_thread(t, w, static_cast<uint16_t>(any(0x10000)));
      }
      p.state.config.write_thread(t, 5, any(3) ? 4 : 0);
      p.state.config.write_thread(t, 2, any(2) ? 1 : 0);
      p.state.config.write_thread(t, 3, any(2) ? 1 : 0);
      if (any(8) == 0) p.state.config.write_thread(t, any(12), static_cast<uint16_t>(any(0x10000)));
    }
    scramble(rs::SrcA | rs::SrcB | rs::Dst | rs::Gpr | rs::Adc | rs::Rwc | rs::Sem | rs::LReg | rs::Valid | rs::L1);
    // Writing a part of an invalid row clears the rest, so the flags count as part of what is written, not as read.
    for (unsigned row = 0; row < tensix::Dst::kRows; ++row) p.state.dst.set_valid(row, fill_() % 8 != 0);
    const uint32_t formats[] = {0, 1, 4, 5, 6, 10, 14};
    const uint32_t f = formats[any(7)];
    // A configuration with which unpackers and packer move tiles (tensix-datapath.md appendix A.1), varied.
    // clang-format off
    const std::pair<unsigned, uint32_t> words[] = {
        {1, f << 17 | f << 21 | f << 25 | (any(3) == 0 ? 1u << 29 : 0)}, {64, 0x01000010 | f}, {65, 0x00040001},
        {72, 0x20 | f},     {73, 0xF | (any(3) == 0 ? 0x10 : 0)}, {76, 0x1FF}, {84, 0x00400040}, {86, 0x01000100},
        {112, 0x01000010 | f}, {113, 0x00040001}, {120, 0x20 | f}, {121, 0xF}, {124, 0x2FF}, {12, 0x00200002},
        {13, 0x08000200},   {18, any(4) == 0 ? 1u : 0}, {24, 0xFFFF}, {28, 0x1000}, {68, 0}, {69, 0x7FF},
        {70, 1 | f << 4 | f << 8}, {88, any(0x800)}, {89, any(2) ? any(0x800) : any(0xDB)}, {90, any(8) | any(4) << 30}};
    // clang-format on
    for (unsigned bank = 0; bank < 2; ++bank) {
      for (const auto& [w, v] : words) p.state.config.write(bank, w, v);
      if (any(3) == 0) p.state.config.write(bank, any(224), static_cast<uint32_t>(random_()));
    }
    if (any(8) == 0) p.state.mutexes.acquire(static_cast<int>(any(3)), 2);
  }

  /// New random content of these; only some can be.
  void scramble(Resources what) {
    tensix::State& s = p.state;
    for (auto [bit, src] : {std::pair{rs::SrcA, &s.src_a}, std::pair{rs::SrcB, &s.src_b}}) {
      if (!(what & bit)) continue;
      for (unsigned bank = 0; bank < 2; ++bank) {
        for (auto& row : src->bank(bank).cells) {
          for (math::Cell& c : row) c = math::make_cell(fill_() & 1, 110 + fill_() % 32, fill_() & 0x3FF);
        }
        src->bank(bank).changed();
      }
    }
    if (what & rs::Dst) {
      for (unsigned row = 0; row < tensix::Dst::kRows; ++row) {
        for (unsigned c = 0; c < tensix::Dst::kColumns; ++c) s.dst.row(row)[c] = static_cast<uint16_t>(fill_());
      }
    }
    for (int t = 0; t < kThreads; ++t) {
      if (what & rs::Gpr) {
        for (unsigned r = 0; r < 64; ++r) s.gpr.write(t, r, fill_() % 4 ? fill_() % (kL1Filled / 16) : fill_());
      }
      if (what & rs::Adc) {
        for (int unit = 0; unit < tensix::kAdcUnits; ++unit) {
          auto& channels = s.adcs.of(t, static_cast<tensix::AdcUnit>(unit)).channel;
          channels[0].x.set(0);
          channels[1].x.set(unit == 2 ? 15 : 16 * (fill_() % 64) + 15);
          for (auto& c : channels) {
            c.y.set(fill_() % 4 * 4);
            c.z.set(fill_() % 2);
            c.w.set(0);
          }
        }
      }
      if (what & rs::Rwc) {
        tensix::Rwc& rwc = s.rwcs[static_cast<size_t>(t)];
        rwc.a = rwc.a_cr = fill_() % 64;
        rwc.b = rwc.b_cr = fill_() % 64;
        rwc.dst = rwc.dst_cr = fill_() % 1024;
        rwc.fidelity = fill_() % 4;
      }
      if (what & rs::ThreadCfg) {
        for (unsigned w = 0; w < arch::kThreadConfigWords; ++w)
          s.config.write_thread(t, w, static_cast<uint16_t>(fill_()));
      }
    }
    if (what & rs::Cfg) {
      for (unsigned w = 0; w < arch::kConfigWords; ++w) {
        if (w != 4) s.config.write(0, w, fill_()), s.config.write(1, w, fill_());
      }
    }
    if (what & rs::Sem) {
      for (unsigned i = 0; i < 8; ++i) s.semaphores.init(i, fill_() % 16, fill_() % 16);
    }
    if (what & rs::LReg) {
      for (unsigned r = 0; r < 8; ++r) {
        for (const unsigned half : {8u, 10u}) {  // SFPLOADI of the high, of the low half
          EXPECT_TRUE(
              p.sfpu.exec(0, isa::tensix::SFPLOADI{.imm16 = fill_() & 0xFFFF, .instr_mod0 = half, .lreg_ind = r})
                  .is_done());
        }
      }
    }
    if (what & rs::Valid) {
      for (tensix::SrcRegister* src : {&s.src_a, &s.src_b}) {
        src->reset_ownership();
        for (unsigned n = fill_() % 4; n > 0; --n) src->give_to_fpu(math::Format::Bf16);
      }
    }
    if (what & rs::Lane) {
      const unsigned u = fill_() & 1, f = fill_() & 1;
      EXPECT_TRUE(p.sfpu.exec(0, isa::tensix::SFPENCC{.instr_mod1 = 10, .imm12 = u | f << 1}).is_done());
    }
    if (what & rs::L1) {
      for (uint32_t at = 0; at < kL1Filled; at += 4) tile.l1.store(at, fill_() % 4 ? fill_() : fill_() & 15);
    }
  }

  Issue run(int thread, uint32_t word) {
    std::fill_n(tile.l1.attributes(), L1::kLines, uint8_t{L1::kChecked});
    tile.written_lines.clear();
    stored = tile.registers;
    return tensix::dispatch(p.units(), thread, word);
  }

  uint32_t any(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  CardboardTile tile;
  Coprocessor& p = tile.coprocessor;
  std::map<uint32_t, uint32_t> stored;  // registers before the run

 private:
  std::mt19937 random_;
  Filler fill_;
};

/// What is wrong with a row, once each, with an instruction that shows it.
using Complaints = std::map<std::string, std::string>;

// What scramble() can change and another instruction may depend on.
constexpr Resources kScrambled[] = {rs::SrcA, rs::SrcB, rs::Dst,  rs::Gpr,   rs::Adc,  rs::Rwc, rs::ThreadCfg,
                                    rs::Cfg,  rs::Sem,  rs::LReg, rs::Valid, rs::Lane, rs::L1};

void check_dst_rows(const Issue& issue, const tensix::DstAddressing& addressing, const Words& before,
                    const Words& after, const std::string& name, const std::string& example, Complaints& complaints) {
  std::vector<bool> told(tensix::Dst::kRows, false);
  for (unsigned n = 0; n < issue.dst_count(); ++n) {
    const unsigned r = (issue.dst_first() + n) % tensix::Dst::kRows;
    for (const unsigned physical : {addressing.row_16(r), addressing.row_32(r), addressing.row_32(r) + 8}) {
      told[physical % tensix::Dst::kRows] = true;
    }
  }
  constexpr size_t kRowElements = tensix::Dst::kColumns + 1;
  for (unsigned r = 0; r < tensix::Dst::kRows; ++r) {
    const auto at = static_cast<ptrdiff_t>(r * kRowElements);
    if (!told[r] && !std::equal(before.begin() + at, before.begin() + at + kRowElements, after.begin() + at)) {
      complaints.emplace(name + " writes rows of Dst that it does not tell",
                         example + ": row " + std::to_string(r) + ", told " + std::to_string(issue.dst_first()) + " +" +
                             std::to_string(issue.dst_count()));
    }
  }
}

// An instruction of this row: any operands, or few bits of them.
uint32_t some_word(const Row& row, std::mt19937& random) {
  uint32_t bits = static_cast<uint32_t>(random());
  for (unsigned n = random() % 4; n > 0; --n) bits &= static_cast<uint32_t>(random());
  return static_cast<uint32_t>(row.opcode) << 24 | (bits & row.named_bits);
}

void trial(const Row& row, uint32_t seed, Complaints& complaints) {
  World one(seed), other(seed);
  std::mt19937 random(seed ^ 0x5EED);
  const int thread = static_cast<int>(random() % 3);
  const uint32_t word = some_word(row, random);
  const Resources different = kScrambled[random() % std::size(kScrambled)];
  if (!(row.reads & different)) other.scramble(different);

  Snapshot before = take(one.p), other_before = take(other.p);
  const Issue issue = one.run(thread, word), other_issue = other.run(thread, word);
  Snapshot after = take(one.p), other_after = take(other.p);
  const std::string name(row.mnemonic);
  const std::string example = isa::disassemble_tensix(word) + ", seed " + std::to_string(seed);
  const auto complain = [&](const std::string& what) { complaints.emplace(name + what, example); };

  // Writes; none at all by what waits or faults.
  const Resources may_write = issue.is_done() ? row.writes : 0;
  const std::string verb = issue.is_done() ? " writes " : " writes, although it does not execute, ";
  for (int k = 0; k < isa::tensix::kResourceCount; ++k) {
    const auto i = static_cast<size_t>(k);
    if (!(may_write >> k & 1) && before.of[i] != after.of[i]) {
      complain(verb + std::string(isa::tensix::name_of_resource(1u << k)));
    }
  }
  if (!(may_write & rs::L1) && !one.tile.written_lines.empty()) complain(verb + "L1");
  if (!(may_write & rs::Mmio) && one.stored != one.tile.registers) complain(verb + "Mmio");
  for (int t = 0; t < kThreads; ++t) {
    const auto i = static_cast<size_t>(t);
    if (t != thread && before.private_of[i] != after.private_of[i]) complain(" writes another thread's registers");
  }
  if (issue.is_done()) {
    check_dst_rows(issue, one.p.state.dst.addressing(one.p.state.config.seen_by(thread)), before[rs::Dst],
                   after[rs::Dst], name, example, complaints);
  }

  // Reads: the same happens in a world that differs in what is not read.
  if (row.reads & different) return;
  const std::string reads = " reads " + std::string(isa::tensix::name_of_resource(different));
  if (issue.kind() != other_issue.kind()) return complain(reads);
  if (!issue.is_done()) return;
  for (int k = 0; k < isa::tensix::kResourceCount; ++k) {
    const auto i = static_cast<size_t>(k);
    if (!(row.writes >> k & 1) || after.of[i].size() != other_after.of[i].size()) continue;
    const bool same_sizes =
        before.of[i].size() == after.of[i].size() && other_before.of[i].size() == after.of[i].size();
    for (size_t e = 0; e < after.of[i].size(); ++e) {
      const bool untouched =
          same_sizes && after.of[i][e] == before.of[i][e] && other_after.of[i][e] == other_before.of[i][e];
      if (after.of[i][e] != other_after.of[i][e] && !untouched) {
        complain(reads + " for " + std::string(isa::tensix::name_of_resource(1u << k)));
        break;
      }
    }
  }
  if (one.tile.written_lines != other.tile.written_lines) complain(reads + " for L1");
  if (one.tile.registers != other.tile.registers) complain(reads + " for Mmio");
}

class Footprint : public ::testing::TestWithParam<int> {};

TEST_P(Footprint, OfRandomInstructionsHolds) {
  const char* more = std::getenv("KERR_FOOTPRINT_TRIALS");
  const uint32_t trials = more ? static_cast<uint32_t>(std::atoi(more)) : 6;
  Complaints complaints;
  for (const Row& row : isa::tensix::rows()) {
    using isa::tensix::Unit;
    if (row.unit == Unit::Mop || row.unit == Unit::Replay || row.unit == Unit::TtSync) continue;  // never reach a unit
    for (uint32_t n = 0; n < trials; ++n) {
      trial(row, static_cast<uint32_t>(GetParam()) * 1000003u + static_cast<uint32_t>(row.opcode) * 5003u + n,
            complaints);
    }
  }
  for (const auto& [what, example] : complaints) ADD_FAILURE() << what << "   (" << example << ")";
}
// Otherwise the test above would say nothing about it. "none" stands for those that the reference page gives up on.
TEST(FootprintTrials, ExecuteEveryInstructionThatHasAnEffect) {
  for (size_t i = 0; i < isa::tensix::rows().size(); ++i) {
    const Row& row = isa::tensix::rows()[i];
    using isa::tensix::Unit;
    if (row.unit == Unit::Mop || row.unit == Unit::Replay || row.unit == Unit::TtSync) continue;
    const bool has_effect = !isa::tensix::answers()[i].modes.starts_with("none");
    bool executed = false;
    for (uint32_t seed = 0; seed < (has_effect ? 300u : 20u) && !executed; ++seed) {
      World world(seed);
      std::mt19937 random(seed);
      executed = world.run(static_cast<int>(random() % 3), some_word(row, random)).is_done();
    }
    EXPECT_EQ(executed, has_effect) << row.mnemonic;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Footprint, ::testing::Range(0, 8));

}  // namespace
}  // namespace kerr::emu
