#include <fmt/format.h>

#include "emu/tensix/scalar/scalar_unit.hpp"

namespace kerr::emu::tensix {
namespace {

struct Operands {
  uint32_t left, right;
};

// The right operand is a register, or the six bits of its number as a constant.
template <class I>
Operands operands(const Gpr& gpr, int thread, const I& i) {
  return {gpr.read(thread, i.op_a_reg_index), i.op_b_is_const ? i.op_b_reg_index : gpr.read(thread, i.op_b_reg_index)};
}

Issue no_such_operation(const char* mnemonic, uint32_t op) {
  return Issue::undefined(fmt::format("{} has no operation {}", mnemonic, op));
}

}  // namespace

Issue ScalarUnit::exec(int thread, const isa::tensix::ADDDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  gpr_.write(thread, i.result_reg_index, o.left + o.right);
  return Issue::done();
}

Issue ScalarUnit::exec(int thread, const isa::tensix::SUBDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  gpr_.write(thread, i.result_reg_index, o.left - o.right);
  return Issue::done();
}

// 16 x 16 bits.
Issue ScalarUnit::exec(int thread, const isa::tensix::MULDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  gpr_.write(thread, i.result_reg_index, (o.left & 0xFFFF) * (o.right & 0xFFFF));
  return Issue::done();
}

Issue ScalarUnit::exec(int thread, const isa::tensix::BITWOPDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  switch (i.op_sel) {
    case 0: gpr_.write(thread, i.result_reg_index, o.left & o.right); return Issue::done();
    case 1: gpr_.write(thread, i.result_reg_index, o.left | o.right); return Issue::done();
    case 2: gpr_.write(thread, i.result_reg_index, o.left ^ o.right); return Issue::done();
    default: return no_such_operation("BITWOPDMAREG", i.op_sel);
  }
}

Issue ScalarUnit::exec(int thread, const isa::tensix::SHIFTDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  switch (i.op_sel) {
    case 0: gpr_.write(thread, i.result_reg_index, o.left << (o.right & 31)); return Issue::done();
    case 1: gpr_.write(thread, i.result_reg_index, o.left >> (o.right & 31)); return Issue::done();
    default: return no_such_operation("SHIFTDMAREG", i.op_sel);
  }
}

Issue ScalarUnit::exec(int thread, const isa::tensix::CMPDMAREG& i) {
  const Operands o = operands(gpr_, thread, i);
  switch (i.op_sel) {
    case 0: gpr_.write(thread, i.result_reg_index, o.left > o.right); return Issue::done();
    case 1: gpr_.write(thread, i.result_reg_index, o.left < o.right); return Issue::done();
    case 2: gpr_.write(thread, i.result_reg_index, o.left == o.right); return Issue::done();
    default: return no_such_operation("CMPDMAREG", i.op_sel);
  }
}

// A register to a configuration word of the THCON section (four to four with size 0), or to an address counter.
Issue ScalarUnit::exec(int thread, const isa::tensix::REG2FLOP& i) {
  if (i.target_sel & 2) {
    write_adc(thread, i);
    return Issue::done();
  }
  const unsigned index = arch::kConfigThconFirst + i.flop_index;
  if (index >= arch::kConfigGlobalFirst) {
    return Issue::undefined(fmt::format("REG2FLOP to configuration word {}", index), "It reaches words 64 to 179.");
  }
  const unsigned bank = config_.bank_of(thread);
  if (i.size_sel != 0) {
    config_.write(bank, index, gpr_.read(thread, i.reg_index));
    return Issue::done();
  }
  for (unsigned k = 0; k < 4; ++k) config_.write(bank, (index & ~3u) + k, gpr_.read(thread, (i.reg_index & ~3u) + k));
  return Issue::done();
}

// flop_index names the counter: dimension [1:0], carriage-return copy [2], unit [4:3], channel [5]. What does not exist
// is ignored.
void ScalarUnit::write_adc(int thread, const isa::tensix::REG2FLOP& i) {
  const int target = (i.target_sel & 1) ? static_cast<int>(i.context_id_2) : thread;
  const unsigned unit = i.flop_index >> 3 & 3;
  if (target >= kThreads || unit >= kAdcUnits) return;
  const uint32_t word = gpr_.read(thread, i.reg_index);
  const uint32_t value = [&]() -> uint32_t {
    switch (i.size_sel) {
      case 1: return i.byte_offset == 0 ? word : 0;
      case 2: return i.byte_offset % 2 == 0 ? word >> i.byte_offset * 8 & 0xFFFF : 0;
      case 3: return word >> i.byte_offset * 8 & 0xFF;
      default: return 0;
    }
  }();
  AdcChannel& channel = adcs_.of(target, static_cast<AdcUnit>(unit)).channel[i.flop_index >> 5 & 1];
  AdcCounter& counter = channel[static_cast<Dimension>(i.flop_index & 3)];
  ((i.flop_index & 4) ? counter.cr : counter.value) = value & counter.mask;
}

}  // namespace kerr::emu::tensix
