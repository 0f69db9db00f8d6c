// What an observer is told of Dst: an instruction changes no row that it is not told of, and what it is told of the
// banks is what happens to them.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "isa/disassembler.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace kerr::emu {
namespace {

class LastFootprint final : public Observer {
 public:
  void touched(const Actor&, const Footprint& f) override {
    footprint = f;
    ++told;
  }
  Footprint footprint;
  int told = 0;
};

struct WithObserver {
  LastFootprint observer;
  Options options = [this] {
    Options o;
    o.observer = &observer;
    return o;
  }();
};

class ObservedRows : protected WithObserver, public Tensix {
 protected:
  ObservedRows() : Tensix(options) {}

  using Row = std::array<uint16_t, tensix::Dst::kColumns + 1>;
  std::vector<Row> rows() {
    std::vector<Row> all(tensix::Dst::kRows);
    for (unsigned r = 0; r < all.size(); ++r) {
      std::copy_n(cop().state.dst.row(r), tensix::Dst::kColumns, all[r].begin());
      all[r].back() = cop().state.dst.valid(r);
    }
    return all;
  }
  std::set<unsigned> told_rows() {
    std::set<unsigned> told;
    for (const Footprint::Rows& some : observer.footprint.rows) {
      for (unsigned r = some.first; r < some.first + some.count; ++r) told.insert(r);
    }
    return told;
  }
  void own_all_banks(math::Format format) {
    for (tensix::SrcRegister* src : {&cop().state.src_a, &cop().state.src_b}) {
      src->reset_ownership();
      src->give_to_fpu(format);
      src->give_to_fpu(format);
    }
  }
};

TEST_F(ObservedRows, HoldAllThatChanges) {
  namespace tx = isa::tensix;
  std::mt19937 random(1);
  const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const tx::Opcode opcodes[] = {tx::Opcode::MVMUL,  tx::Opcode::ELWADD,  tx::Opcode::ELWMUL,
                                tx::Opcode::MOVA2D, tx::Opcode::MOVB2D,  tx::Opcode::GAPOOL,
                                tx::Opcode::GMPOOL, tx::Opcode::ZEROACC, tx::Opcode::SFPSTORE};
  std::map<tx::Opcode, int> changing;
  for (int turn = 0; turn < 4000; ++turn) {
    if (turn % 16 == 0) {
      const uint32_t wide = any(2);
      set_config(arch::global_config::ALU_ACC_CTRL_Fp32_enabled.word,
                 arch::global_config::ALU_ACC_CTRL_Fp32_enabled.of(wide) |
                     arch::global_config::ALU_ACC_CTRL_SFPU_Fp32_enabled.of(any(2)));
      for (unsigned r = 0; r < tensix::Dst::kRows; ++r) {
        for (unsigned c = 0; c < tensix::Dst::kColumns; ++c)
          cop().state.dst.row(r)[c] = static_cast<uint16_t>(random());
        cop().state.dst.set_valid(r, any(4) != 0);
      }
    }
    own_all_banks(any(2) ? math::Format::Bf16 : math::Format::Tf32);
    cop().state.rwcs[T1].dst = static_cast<uint16_t>(any(1024));
    const tx::Row& row = *tx::find(opcodes[any(std::size(opcodes))]);
    const uint32_t word = static_cast<uint32_t>(row.opcode) << 24 | (static_cast<uint32_t>(random()) & row.named_bits);
    const std::vector<Row> before = rows();
    observer.told = 0;
    push(T1, word);
    settle();
    if (!tile.faults.take().empty()) {  // not every random word means something
      cop().threads[T1].halted = cop().threads[T1].has_current = false;
      cop().threads[T1].waits_for = 0;
      continue;
    }
    ASSERT_EQ(observer.told, 1) << isa::disassemble_tensix(word);
    const std::vector<Row> after = rows();
    const std::set<unsigned> told = told_rows();
    const Footprint& f = observer.footprint;
    for (unsigned r = 0; r < before.size(); ++r) {
      if (before[r] == after[r]) continue;
      ++changing[row.opcode];
      EXPECT_TRUE(f.scattered || (f.writes_dst && told.contains(r)) ||
                  (row.opcode == tx::Opcode::ZEROACC && tx::ZEROACC::decode(word).clear_zero_flags))
          << isa::disassemble_tensix(word) << " changes row " << r;
    }
    if (::testing::Test::HasFailure()) return;
  }
  for (const tx::Opcode opcode : opcodes) EXPECT_GT(changing[opcode], 0) << tx::find(opcode)->mnemonic;
}

}  // namespace
}  // namespace kerr::emu
