// A tile is 8 x 4 groups of lanes: 4 rows, and the even or odd columns of its left or right half. Groups that belong to the same numbers
// are combined lane by lane, over all tiles; what the lanes of a group have to do with each other comes last.
#include "isa/tensix/instructions.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/reduce/streams.hpp"
#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::reduce {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kOutputs = a2, kPasses = a3;
constexpr DstSection kDst{kWindows, a4, a5};

constexpr std::uint32_t kRowGroups = 8, kColumnGroups = 4;
constexpr std::uint32_t kOne = 10;

// Tiles of the section: the operand, and later the result; partial results, at 16 bits in two halves.
constexpr std::uint32_t kOperand = 0, kPartial = 1;

constexpr std::uint32_t place(std::uint32_t row_group, std::uint32_t column_group) {
  return row_group / 4 * 32 + row_group % 4 * 4 + column_group / 2 * 16 + column_group % 2 * 2;
}

class Math {
 public:
  Math(Stream& a, const ReduceShape& shape, const elementwise::Traffic& traffic)
      : a_(a), shape_(shape), traffic_(traffic) {}

  void begin_partials() {
    constant(1, shape_.reduction == Reduction::Sum ? 0 : 0xFF800000);  // -inf
    for (std::uint32_t i = 0; i < partials(); ++i) store_partial(i, 1);
  }

  // Those of the operand's groups that belong to partial result i, and what there was of it.
  void add_operand() {
    for (std::uint32_t i = 0; i < partials(); ++i) {
      load_partial(i, 0);
      for (std::uint32_t j = 0; j < (rows() ? kColumnGroups : kRowGroups); ++j) {
        load(1, kOperand, rows() ? place(i, j) : place(j, i));
        combine(0, 1);
      }
      store_partial(i, 0);
    }
  }

  void finish() { rows() ? across_rows() : down_columns(); }

 private:
  bool rows() const { return shape_.along == Along::Row; }
  std::uint32_t partials() const { return rows() ? kRowGroups : kColumnGroups; }
  std::uint32_t place_of_partial(std::uint32_t i) const { return rows() ? place(i, 0) : place(0, i); }

  // A row of a group has eight lanes: each is combined with the one before, then two before, then four.
  void across_rows() {
    for (std::uint32_t i = 0; i < kRowGroups; ++i) {
      load_partial(i, 0);
      for (const int distance : {1, 2, 4}) {
        a_.tensix(tx::SFPMOV{.instr_mod1 = 2, .lreg_dest = 1, .lreg_c = 0});
        for (int step = 0; step < distance; ++step) {
          a_.tensix(tx::SFPSHFT2{.instr_mod1 = 3, .lreg_dest = 1, .lreg_src_c = 1});
          a_.tensix(tx::SFPNOP{});
        }
        combine(0, 1);
      }
      store_result(0, place(i, 0));
    }
  }

  // The four rows of lanes of the four groups change places with the groups, are combined, and change back.
  void down_columns() {
    for (std::uint32_t i = 0; i < kColumnGroups; ++i) load_partial(i, i);
    a_.tensix(tx::SFPTRANSP{});
    for (std::uint32_t i = 1; i < kColumnGroups; ++i) combine(0, i);
    a_.tensix(tx::SFPTRANSP{});
    for (std::uint32_t i = 0; i < kColumnGroups; ++i) store_result(i, place(0, i));
  }

  void combine(std::uint32_t d, std::uint32_t s) {
    if (shape_.reduction == Reduction::Sum) {
      a_.tensix(tx::SFPMAD{.lreg_dest = d, .lreg_src_c = d, .lreg_src_b = kOne, .lreg_src_a = s});
    } else {
      a_.tensix(tx::SFPSWAP{.instr_mod1 = 9, .lreg_dest = d, .lreg_src_c = s});  // d: the larger one
    }
    a_.tensix(tx::SFPNOP{});
  }

  void constant(std::uint32_t r, std::uint32_t bits) {
    a_.tensix(tx::SFPLOADI{.imm16 = bits >> 16, .instr_mod0 = 0, .lreg_ind = r});
  }

  void load(std::uint32_t r, std::uint32_t tile, std::uint32_t row) {
    a_.tensix(vector::dst_access<tx::SFPLOAD>(r, vector::number_mode(traffic_.dst32()), tile, row));
  }
  void load_partial(std::uint32_t i, std::uint32_t r) {
    vector::load_exact(traffic_.dst32(), r, kPartial, place_of_partial(i), [&](const auto& load) { a_.tensix(load); });
  }
  void store_partial(std::uint32_t i, std::uint32_t r) {
    vector::store_exact(traffic_.dst32(), r, kPartial, place_of_partial(i),
                        [&](const auto& store) { a_.tensix(store); });
  }
  void store_result(std::uint32_t r, std::uint32_t row) {
    if (!traffic_.dst32())
      a_.tensix(tx::SFP_STOCH_RND{.instr_mod1 = 1, .lreg_dest = r, .lreg_src_c = r});  // to nearest
    a_.tensix(vector::dst_access<tx::SFPSTORE>(r, vector::number_mode(traffic_.dst32()), kOperand, row));
  }

  Stream& a_;
  const ReduceShape& shape_;
  const elementwise::Traffic& traffic_;
};

}  // namespace

Kernel math(const ReduceShape& shape, const elementwise::Traffic& traffic) {
  Stream a;
  a.function("reduce_math");
  enter(a);
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
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::reduce
