// Rows, columns and elements that are repeated all over a tile, bits as they are.   docs/hardware/tensix-math.md 10.7
#include "isa/tensix/instructions.hpp"
#include "kernels/elementwise/streams.hpp"
#include "kernels/vector/dst_access.hpp"

namespace kerr::kernels::elementwise {

namespace tx = isa::tensix;

namespace {

using vector::kColumnGroups;
using vector::kRowGroups;
using vector::place_of_group;
constexpr uint32_t kLaneNumber = 15;

class Repeater {
 public:
  Repeater(Stream& a, const Traffic& traffic, uint32_t input)
      : a_(a),
        mode_(traffic.dst32() ? vector::DstMode::Int32 : vector::DstMode::Low16),
        tile_(first_operand({traffic.format, traffic.out()}) + input) {}

  // Four copies of a group change places with their rows: the first register then holds the first row in all four.
  void first_row() {
    for (uint32_t column = 0; column < kColumnGroups; ++column) {
      for (uint32_t r = 0; r < 4; ++r) a_.tensix(access<tx::SFPLOAD>(r, place_of_group(0, column)));
      a_.tensix(tx::SFPTRANSP{});
      for (uint32_t i = 0; i < kRowGroups; ++i) a_.tensix(access<tx::SFPSTORE>(0, place_of_group(i, column)));
    }
  }

  // In each row of lanes keeps the first lane's value only, then copies it one, two and four lanes further.
  void first_column_of_group() {
    a_.tensix(access<tx::SFPLOAD>(0, 0));
    a_.tensix(tx::SFPAND{.lreg_dest = 0, .lreg_c = kMask});
    const auto emit = [&](const auto& instruction) { a_.tensix(instruction); };
    vector::along_lanes(emit, [&] { emit(tx::SFPOR{.lreg_dest = 0, .lreg_c = 1}); });
    for (uint32_t column = 0; column < kColumnGroups; ++column)
      emit(access<tx::SFPSTORE>(0, place_of_group(0, column)));
  }

  void first_column(isa::Reg outer, isa::Reg inner) {
    a_.repeat(outer, 2, [&] {
      a_.repeat(inner, 4, [&] {
        first_column_of_group();
        a_.tensix(tx::INCRWC{.rwc_d = 4});
      });
      for (int i = 0; i < 2; ++i) a_.tensix(tx::INCRWC{.rwc_d = 8});  // past the face to the right
    });
    a_.tensix(tx::SETRWC{.bit_mask = kDstCounter});
  }

  // All ones in the first lane of each row, whose number is a multiple of eight.
  void make_mask() {
    a_.tensix(tx::SFPLOADI{.imm16 = 14, .instr_mod0 = 2, .lreg_ind = kMask});
    a_.tensix(tx::SFPAND{.lreg_dest = kMask, .lreg_c = kLaneNumber});
    a_.tensix(tx::SFPIADD{.instr_mod1 = 5, .lreg_dest = kMask, .lreg_c = kMask, .imm12 = 0xFFF});
    a_.tensix(tx::SFPSHFT{.instr_mod1 = 7, .lreg_dest = kMask, .lreg_c = kMask, .imm12 = 0x1000 - 31});
  }

 private:
  static constexpr uint32_t kMask = 2;

  template <class T>
  T access(uint32_t reg, uint32_t row) const {
    return vector::dst_access<T>(reg, mode_, tile_, row);
  }

  Stream& a_;
  const vector::DstMode mode_;
  const uint32_t tile_;
};

}  // namespace

void repeat_elements(Stream& a, const Traffic& k, uint32_t input, Repeat repeat, isa::Reg outer, isa::Reg inner) {
  Repeater repeater(a, k, input);
  switch (repeat) {
    case Repeat::Nothing: return;
    case Repeat::Row: a.comment("one row everywhere"); return repeater.first_row();
    case Repeat::Column:
      a.comment("one column everywhere");
      repeater.make_mask();
      return repeater.first_column(outer, inner);
    case Repeat::Element:
      a.comment("one element everywhere");
      repeater.make_mask();
      repeater.first_column_of_group();
      return repeater.first_row();
  }
}

}  // namespace kerr::kernels::elementwise
