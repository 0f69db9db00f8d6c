// A tile is 8 x 4 groups of lanes: 4 rows, and the even or odd columns of its left or right half. Groups that belong to
// the same numbers are combined lane by lane, over all tiles; what the lanes of a group have to do with each other
// comes last.
#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/reduce/streams.hpp"
#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::reduce {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{zero, a6, a7};
constexpr isa::Reg kOutputs = a2, kPasses = a3;
constexpr DstSection kDst{kWindows, a4};

using vector::kColumnGroups;
using vector::kRowGroups;
using vector::place_of_group;
constexpr uint32_t kOne = 10;

class Math {
 public:
  Math(Stream& a, const ReduceShape& shape, const elementwise::Traffic& traffic)
      : a_(a),
        shape_(shape),
        traffic_(traffic),
        integers_(is_integer(traffic.format)),
        from_(elementwise::operand_in_dst(traffic.format, integers_ ? Type::Integer : Type::Float)),
        to_(elementwise::result_in_dst(traffic.out())),
        operand_(elementwise::first_operand({traffic.format, traffic.out()})),
        partial_(operand_ + 1) {}

  void begin_partials() {
    constant(1, identity());
    for (uint32_t i = 0; i < partials(); ++i) store_partial(i, 1);
  }

  // Those of the operand's groups that belong to partial result i, and what there was of it.
  void add_operand() {
    for (uint32_t i = 0; i < partials(); ++i) {
      load_partial(i, 0);
      for (uint32_t j = 0; j < (rows() ? kColumnGroups : kRowGroups); ++j) {
        load(1, rows() ? place_of_group(i, j) : place_of_group(j, i));
        combine(0, 1);
      }
      store_partial(i, 0);
    }
  }

  void finish() { rows() ? across_rows() : down_columns(); }

 private:
  bool rows() const { return shape_.along == Along::Row; }
  uint32_t partials() const { return rows() ? kRowGroups : kColumnGroups; }
  uint32_t place_of_partial(uint32_t i) const { return rows() ? place_of_group(i, 0) : place_of_group(0, i); }

  // A row of a group has eight lanes: each is combined with the one before, then two before, then four.
  void across_rows() {
    for (uint32_t i = 0; i < kRowGroups; ++i) {
      load_partial(i, 0);
      vector::along_lanes([&](const auto& instruction) { a_.tensix(instruction); }, [&] { combine(0, 1); });
      store_result(0, place_of_group(i, 0));
    }
  }

  // The four rows of lanes of the four groups change places with the groups, are combined, and change back.
  void down_columns() {
    for (uint32_t i = 0; i < kColumnGroups; ++i) load_partial(i, i);
    a_.tensix(tx::SFPTRANSP{});
    for (uint32_t i = 1; i < kColumnGroups; ++i) combine(0, i);
    a_.tensix(tx::SFPTRANSP{});
    for (uint32_t i = 0; i < kColumnGroups; ++i) store_result(i, place_of_group(0, i));
  }

  // Floats and integers both compare by sign and magnitude; integers are put in that order first.
  uint32_t identity() const {
    switch (shape_.reduction) {
      case Reduction::Sum: return 0;
      case Reduction::Maximum: return integers_ ? 0xFFFFFFFF : 0xFF800000;
      case Reduction::Minimum: return integers_ ? 0x7FFFFFFF : 0x7F800000;
    }
    return 0;
  }

  void combine(uint32_t d, uint32_t s) {
    if (shape_.reduction == Reduction::Sum && integers_) {
      return a_.tensix(tx::SFPIADD{.instr_mod1 = 4, .lreg_dest = d, .lreg_c = s});
    }
    if (shape_.reduction == Reduction::Sum) {
      a_.tensix(tx::SFPMAD{.lreg_dest = d, .lreg_src_c = d, .lreg_src_b = kOne, .lreg_src_a = s});
    } else {
      const uint32_t keeps = shape_.reduction == Reduction::Maximum ? 9 : 1;  // in d: the larger or the smaller one
      a_.tensix(tx::SFPSWAP{.instr_mod1 = keeps, .lreg_dest = d, .lreg_src_c = s});
    }
    a_.tensix(tx::SFPNOP{});
  }

  void constant(uint32_t r, uint32_t bits) {
    a_.tensix(tx::SFPLOADI{.imm16 = bits >> 16, .instr_mod0 = 8, .lreg_ind = r});
    a_.tensix(tx::SFPLOADI{.imm16 = bits & 0xFFFF, .instr_mod0 = 10, .lreg_ind = r});
  }

  // Integers in two's complement to the order of sign and magnitude, and back.
  void reorder(uint32_t r) {
    if (!integers_ || shape_.reduction == Reduction::Sum) return;
    constexpr uint32_t kTemp = 7;
    a_.tensix(tx::SFPSHFT{.instr_mod1 = 7, .lreg_dest = kTemp, .lreg_c = r, .imm12 = 0x1000 - 31});
    a_.tensix(tx::SFPSHFT{.instr_mod1 = 5, .lreg_dest = kTemp, .lreg_c = kTemp, .imm12 = 0xFFF});
    a_.tensix(tx::SFPXOR{.lreg_dest = r, .lreg_c = kTemp});
  }
  void sign_magnitude(uint32_t r) { a_.tensix(tx::SFPCAST{.instr_mod1 = 3, .lreg_dest = r, .lreg_src_c = r}); }

  void load(uint32_t r, uint32_t row) {
    a_.tensix(vector::dst_access<tx::SFPLOAD>(r, *from_.mode, operand_, row));
    if (from_.form == DstNumber::Form::SignMagnitude) sign_magnitude(r);
    if (from_.form == DstNumber::Form::Signed16) {
      a_.tensix(tx::SFPSHFT{.instr_mod1 = 5, .lreg_dest = r, .lreg_c = r, .imm12 = 16});
      a_.tensix(tx::SFPSHFT{.instr_mod1 = 7, .lreg_dest = r, .lreg_c = r, .imm12 = 0x1000 - 16});
    }
    reorder(r);
  }
  void load_partial(uint32_t i, uint32_t r) {
    const uint32_t place = vector::kTileRows * partial_ + place_of_partial(i);
    vector::load_exact(traffic_.dst32(), r, place, place + vector::kTileRows,
                       [&](const auto& load) { a_.tensix(load); });
  }
  void store_partial(uint32_t i, uint32_t r) {
    const uint32_t place = vector::kTileRows * partial_ + place_of_partial(i);
    vector::store_exact(traffic_.dst32(), r, place, place + vector::kTileRows,
                        [&](const auto& store) { a_.tensix(store); });
  }
  void store_result(uint32_t r, uint32_t row) {
    reorder(r);
    if (to_.form == DstNumber::Form::ToBf16)
      a_.tensix(tx::SFP_STOCH_RND{.instr_mod1 = 1, .lreg_dest = r, .lreg_src_c = r});  // to nearest
    if (to_.form == DstNumber::Form::SignMagnitude) sign_magnitude(r);
    a_.tensix(vector::dst_access<tx::SFPSTORE>(r, *to_.mode, to_.tile, row));
  }

  Stream& a_;
  const ReduceShape& shape_;
  const elementwise::Traffic& traffic_;
  const bool integers_;
  // Tiles of the section: the result, in place of the operand unless it is wider; partial results, at 16 bits in two
  // halves.
  const DstNumber from_, to_;
  const uint32_t operand_, partial_;
};

}  // namespace

Kernel math(const ReduceShape& shape, const elementwise::Traffic& traffic) {
  Stream a = begin_kernel("reduce_math");
  a.lw(kOutputs, a0, elementwise::kArgTiles);
  kWindows.open(a);
  elementwise::configure_math(a, traffic, kDst);
  Math math(a, shape, traffic);
  a.repeat_argument(kOutputs, elementwise::kArgTiles, [&] {
    kDst.acquire(a);
    kDst.select_tile(a, 0);
    math.begin_partials();
    a.repeat(kPasses, traffic.passes, [&] {
      a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu,
                             .stall_res = stall::kMath | stall::kSync});  // the operand has been read
      elementwise::take_operands(a, traffic, kDst);
      math.add_operand();
    });
    math.finish();
    kDst.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::reduce
