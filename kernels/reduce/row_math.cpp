// A pair of groups of lanes is four rows of Dst, 64 words, all of one row of the matrix. Pairs of a row are combined in
// one register, which goes to the row's place in the last tile when the row ends. Behind a unit's last page four rows
// at a time become one group: each has four rows of lanes there, which change places with the four registers.
#include "kernels/reduce/row_math.hpp"

#include <optional>

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/vector_unit.hpp"
#include "kernels/elementwise/flat_streams.hpp"
#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::reduce {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{zero, t4, t5};
constexpr DstSection kDst{kWindows, a7};
constexpr isa::Reg kUnits = a2, kCounter = a3, kPasses = a4, kPairs = a5, kLeft = a6;
constexpr isa::Reg kPlace = s0;  // the word that stores the row's number, less what the counter of rows adds to it

// Registers of the vector unit.
constexpr uint32_t kSum = 4, kOne = 10;

constexpr uint32_t kGroupRows = 2, kPairRows = 2 * kGroupRows, kPairsOfPage = kTileRows / kPairRows;
constexpr uint32_t kPlaces = kMostRowTiles * kTileRows;  // the last tile
constexpr uint32_t kRegisters = 4;
static_assert(kPlaces + kGroupRows * (kRowsOfUnit + 1) <= 4 * kTileRows);  // one place more, which nobody looks at

class RowMath {
 public:
  RowMath(Stream& a, const RowShape& shape, const elementwise::Traffic& traffic, const vector::Phases* code)
      : a_(a), shape_(shape), traffic_(traffic) {
    if (code != nullptr) page_.emplace(*code, kDst, kCounter, shape.input.groups());
  }

  void open() {
    elementwise::configure_math(a_, traffic_, kDst);
    if (page_) page_->open(a_, kPairWords);
    if (stays()) record_pair();
    a_.note(Effect::Kind::DstTile, 0, kMostRowTiles);
  }

  void unit() {
    kDst.acquire(a_);
    kDst.select_tile(a_, 0);
    a_.li(kPlace, store(kSum, kPlaces).encode());
    a_.li(kLeft, pairs_of_row());
    begin_row();
    for (uint32_t row = shape_.rows; row < rows_of_unit(); ++row) a_.tensix(store(kSum, kPlaces + kGroupRows * row));
    a_.repeat(kPasses, traffic_.passes, [&] { page(); });
    finish();
    kDst.release(a_);
  }

 private:
  static constexpr uint32_t kPairWords = 5;
  uint32_t pairs_of_row() const { return shape_.words / kRowWords; }
  // In which something is to be added.
  uint32_t pairs_of_page() const { return shape_.input.groups() / 2; }
  // Rows that one pass over a unit looks at.
  uint32_t rows_of_unit() const {
    return shape_.units() == 1 ? (shape_.rows + kRegisters - 1) / kRegisters * kRegisters : kRowsOfUnit;
  }
  bool stays() const { return !page_ || page_->stays(); }
  uint32_t first_slot() const { return page_ && page_->stays() ? page_->slots() : 0; }

  static tx::SFPLOAD load(uint32_t reg, uint32_t row) {
    return vector::dst_access<tx::SFPLOAD>(reg, kFlatMode, 0, row);
  }
  static tx::SFPSTORE store(uint32_t reg, uint32_t row) {
    return vector::dst_access<tx::SFPSTORE>(reg, kFlatMode, 0, row);
  }

  void begin_row() {
    a_.tensix(tx::SFPLOADI{.imm16 = shape_.begin >> 16, .instr_mod0 = 8, .lreg_ind = kSum});
    a_.tensix(tx::SFPLOADI{.imm16 = shape_.begin & 0xFFFF, .instr_mod0 = 10, .lreg_ind = kSum});
  }

  void combine(uint32_t d, uint32_t s) {
    if (shape_.number == RowNumber::Int32)
      a_.tensix(tx::SFPIADD{.instr_mod1 = 4, .lreg_dest = d, .lreg_c = s});
    else if (shape_.reduction == Reduction::Sum)
      a_.tensix(tx::SFPMAD{.lreg_dest = d, .lreg_src_c = d, .lreg_src_b = kOne, .lreg_src_a = s});
    else
      a_.tensix(tx::SFPSWAP{.instr_mod1 = 9, .lreg_dest = d, .lreg_src_c = s});  // the larger one to d
  }

  // Each combination has another instruction between itself and the next one.
  void record_pair() {
    a_.tensix(tx::REPLAY{.load_mode = 1, .len = kPairWords, .start_idx = first_slot()});
    for (uint32_t group = 0; group < 2; ++group) {
      a_.tensix(load(group, kGroupRows * group));
      combine(kSum, group);
    }
    a_.tensix(tx::INCRWC{.rwc_d = kPairRows});
  }

  // Of the last pair of a row only some words may count.
  void add_pair() {
    const uint32_t words = shape_.counted % kRowWords;
    const auto whole = [&] { a_.tensix(tx::REPLAY{.len = kPairWords, .start_idx = first_slot()}); };
    if (words == 0) return whole();
    a_.closed([&] {
      const isa::Label is_whole = a_.label(), end = a_.label();
      a_.li(t0, 1);
      a_.bne(kLeft, t0, is_whole);
      add_first(words);
      a_.j(end);
      a_.bind(is_whole);
      whole();
      a_.bind(end);
    });
  }

  // Lane l of the even columns is word 2 l of the pair, and the next one of the odd columns.
  void add_first(uint32_t words) {
    constexpr uint32_t kLane = 15, kSpare = 2;  // twice its number
    for (uint32_t group = 0; group < 2; ++group) {
      a_.tensix(load(group, kGroupRows * group));
      a_.tensix(tx::SFPIADD{.instr_mod1 = 1, .lreg_dest = kSpare, .lreg_c = kLane, .imm12 = (group - words) & 0xFFF});
      combine(kSum, group);
      a_.tensix(tx::SFPENCC{});
    }
    a_.tensix(tx::INCRWC{.rwc_d = kPairRows});
  }

  void page() {
    a_.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kMath | stall::kSync});  // it has been read
    elementwise::take_operands(a_, traffic_, kDst);
    if (page_) {
      a_.sw(kPlace, kWindows.push);
      page_->compute(a_);
      a_.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kCfg});
      kDst.select_tile(a_, 0);
      a_.li(t0, load(kSum, 0).encode() - store(kSum, 0).encode());
      a_.add(t0, t0, kPlace);
      a_.sw(t0, kWindows.push);
    }
    if (!stays()) record_pair();
    a_.repeat(kPairs, pairs_of_page(), [&] {
      add_pair();
      a_.addi(kPlace, kPlace, -static_cast<int32_t>(kPairRows));
      a_.addi(kLeft, kLeft, -1);
      a_.closed([&] {
        const isa::Label more = a_.label();
        a_.bnez(kLeft, more);
        a_.sw(kPlace, kWindows.push);
        a_.addi(kPlace, kPlace, kGroupRows);
        a_.li(kLeft, pairs_of_row());
        begin_row();
        a_.bind(more);
      });
    });
    a_.addi(kPlace, kPlace, static_cast<int32_t>(kPairRows * pairs_of_page()));
    a_.tensix(tx::SETRWC{.bit_mask = kDstCounter});
  }

  void finish() {
    const auto emit = [&](const auto& instruction) { a_.tensix(instruction); };
    const auto combine_late = [&](uint32_t d, uint32_t s) {
      combine(d, s);
      a_.tensix(tx::SFPNOP{});
    };
    a_.comment("a number of each row");
    for (uint32_t row = 0; row < rows_of_unit(); row += kRegisters) {
      for (uint32_t i = 0; i < kRegisters; ++i) a_.tensix(load(i, kPlaces + kGroupRows * (row + i)));
      a_.tensix(tx::SFPTRANSP{});
      for (uint32_t i = 1; i < kRegisters; ++i) combine_late(0, i);
      vector::along_lanes(emit, [&] { combine_late(0, 1); });
      a_.tensix(store(0, row));
    }
  }

  Stream& a_;
  const RowShape& shape_;
  const elementwise::Traffic& traffic_;
  std::optional<elementwise::PageCode> page_;
};

}  // namespace

Kernel row_math(const RowShape& shape, const elementwise::Traffic& traffic, const vector::Phases* code) {
  Stream a = begin_kernel("row_math");
  a.lw(kUnits, a0, elementwise::kArgTiles);
  kWindows.open(a);
  RowMath math(a, shape, traffic, code);
  math.open();
  a.repeat_argument(kUnits, elementwise::kArgTiles, [&] { math.unit(); });
  return end_kernel(a);
}

}  // namespace kerr::kernels::reduce
