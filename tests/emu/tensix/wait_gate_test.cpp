// The wait gate, every block bit and every condition bit. The classes are written down once more here, from
// tensix-datapath.md 5.2.
#include <set>
#include <string>

#include "isa/tensix/table.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

using namespace isa::tensix;
using Names = std::set<std::string, std::less<>>;

const Names kScalar = {"ADDDMAREG", "SUBDMAREG", "MULDMAREG", "BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG",
                       "SETDMAREG", "REG2FLOP",  "ATINCGET",  "ATINCGETPTR",  "ATSWAP",      "ATCAS",
                       "LOADIND",   "STOREIND",  "LOADREG",   "STOREREG",     "FLUSHDMA",    "DMANOP"};
const Names kCounters = {"SETADC",   "SETADCXY", "INCADCXY", "ADDRCRXY", "SETADCZW",
                         "INCADCZW", "ADDRCRZW", "SETADCXX", "SETDVALID"};
const Names kClasses[] = {
    {},  // B0 is made of others
    {"ATGETM", "ATRELM", "SEMINIT", "SEMPOST", "SEMGET"},
    {"PACR", "PACR_SETREG"},
    {"UNPACR", "UNPACR_NOP"},
    {"XMOV"},
    kScalar,
    {},  // B6: the matrix unit
    {"WRCFG", "RDCFG", "SETC16", "RMWCIB0", "RMWCIB1", "RMWCIB2", "RMWCIB3", "STREAMWRCFG", "CFGSHIFTMASK"},
    {},  // B8: SFP*
};
const Names kWaits = {"STALLWAIT", "SEMWAIT", "STREAMWAIT"};
const Names kFrontEnd = {"MOP", "MOP_CFG", "REPLAY", "RESOURCEDECL"};

bool blocked(const Row& row, unsigned bit) {
  const std::string name(row.mnemonic);
  if (kWaits.contains(name)) return true;
  if (name == "NOP") return false;  // by all nine only: sync_test.cpp
  switch (bit) {
    case 0:
      return kScalar.contains(name) || kCounters.contains(name) || name == "RSTDMA" || kClasses[2].contains(name) ||
             kClasses[3].contains(name) || kClasses[4].contains(name);
    case 6: return row.unit == Unit::Fpu;
    case 8: return name.starts_with("SFP");
    default: return kClasses[bit].contains(name);
  }
}

// No document says which bits hold it.
bool undescribed(const Row& row) { return row.mnemonic == "TBUFCMD"; }

TEST(WaitGate, EveryBlockBitHoldsItsClassAndNothingElse) {
  for (const Row& row : rows()) {
    if (kFrontEnd.contains(row.mnemonic) || undescribed(row)) continue;
    for (unsigned bit = 0; bit < 9; ++bit) {
      CardboardTile tile;
      Coprocessor& cop = tile.coprocessor;
      const uint32_t words[] = {SEMWAIT{.wait_sem_cond = 1, .sem_sel = 0x80, .stall_res = 1u << bit}.encode(),
                                static_cast<uint32_t>(row.opcode) << 24};
      for (const uint32_t word : words) ASSERT_TRUE(cop.threads[0].front.push_before_mop(word));
      cop.run(0, 0, 50);
      const CoprocessorThread& t = cop.threads[0];
      const bool held = t.instructions == 1 && !tile.faults.any() && t.waits_for == wait::semaphore(7);
      EXPECT_EQ(held, blocked(row, bit)) << row.mnemonic << ", B" << bit << ": " << cop.describe(0);
    }
  }
}

// What each condition waits for, in two states of the source banks: all with the unpackers, all with the matrix unit.
// Units that finish at once never hold anybody up.
struct Condition {
  unsigned bit;
  bool holds_while_unpackers_own, holds_while_fpu_owns;
};
constexpr Condition kConditions[] = {{0, false, false}, {1, false, false}, {2, false, false},  {3, false, false},
                                     {4, false, false}, {5, false, true},  {6, false, true},   {7, true, false},
                                     {8, true, false},  {9, false, false}, {10, false, false}, {11, false, false},
                                     {12, false, false}};

TEST(WaitGate, EveryConditionBitLooksAtItsOwnThing) {
  for (const Condition& condition : kConditions) {
    for (const bool with_fpu : {false, true}) {
      CardboardTile tile;
      Coprocessor& cop = tile.coprocessor;
      if (with_fpu) {
        for (int n = 0; n < 2; ++n) {
          ASSERT_TRUE(cop.threads[0].front.push_before_mop(SETDVALID{.setvalid = 3}.encode()));
        }
        cop.run(0, 0, 50);
      }
      const STALLWAIT stall{.wait_res = 1u << condition.bit, .stall_res = gate::B5};
      ASSERT_TRUE(cop.threads[1].front.push_before_mop(stall.encode()));
      ASSERT_TRUE(cop.threads[1].front.push_before_mop(DMANOP{}.encode()));
      cop.run(1, 50, 100);
      EXPECT_EQ(cop.threads[1].instructions == 1,
                with_fpu ? condition.holds_while_fpu_owns : condition.holds_while_unpackers_own)
          << "C" << condition.bit << (with_fpu ? ", banks with the matrix unit" : ", banks with the unpackers");
      EXPECT_FALSE(tile.faults.any());
    }
  }
}

}  // namespace
}  // namespace kerr::emu
