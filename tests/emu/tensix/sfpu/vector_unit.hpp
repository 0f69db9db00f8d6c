// A vector unit with its Dst, configuration and counters, and nothing else of a coprocessor. Speaks assembly.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>

#include "emu/tensix/dispatch.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/assemble.hpp"
#include "tests/emu/quiet_board.hpp"

namespace kerr::emu::tensix {

class VectorUnit : public ::testing::Test {
 protected:
  using u32 = uint32_t;
  static constexpr int kThread = 1;

  QuietBoard board;
  State state{board};
  Sfpu sfpu{state.config, state.rwcs, state.dst};
  Cycle cycle = 0;

  /// One cycle in which the thread issues this word.
  Issue issue(u32 word, int thread = kThread) {
    sfpu.set_time(++cycle);
    if (sfpu.busy() && thread == sfpu.macro_thread()) {
      Issue late = sfpu.catch_up();
      if (!late.is_done()) return late;
    }
    return dispatch(std::tie(sfpu), thread, word);
  }
  Issue issue(std::string_view line) { return issue(isa::assemble_tensix(line)); }
  /// One instruction a line; none may fault.
  void run(std::string_view program) {
    for (const u32 word : isa::assemble_tensix_program(program)) {
      const Issue i = issue(word);
      ASSERT_TRUE(i.is_done()) << isa::disassemble_tensix(word) << ": " << (i.problem() ? i.problem()->what : i.why());
    }
  }
  /// The sentence with which an instruction is refused, "" if it is not.
  std::string refusal(std::string_view line) {
    const Issue i = issue(line);
    return i.problem() ? i.problem()->what : "";
  }

  /// Gives LReg 0..7 values in all lanes, enabled or not: a load in mode 10, from rows that no test uses.
  void set(unsigned reg, const LReg& values) {
    for (unsigned l = 0; l < kLanes; ++l) put_32(960 + l / 8, 2 * (l % 8), values[l]);
    run("SFPLOAD dest_reg_addr=960, instr_mod0=10, sfpu_addr_mode=7, lreg_ind=" + std::to_string(reg));
  }
  void set(unsigned reg, u32 value) {
    LReg values;
    values.fill(value);
    set(reg, values);
  }
  const LReg& get(unsigned reg) const { return sfpu.lreg(reg); }
  u32 lane0(unsigned reg) const { return get(reg)[0]; }

  /// Lane number times ten plus `base`: all lanes differ.
  static LReg numbered(u32 base) {
    LReg r;
    for (unsigned l = 0; l < kLanes; ++l) r[l] = base + 10 * l;
    return r;
  }
  /// F of the lanes; F decides from then on.
  void set_flags(LaneMask lanes) {
    run("SFPENCC instr_mod1=10, imm12=3");
    const LReg kept = get(7);
    LReg values;
    for (unsigned l = 0; l < kLanes; ++l) values[l] = lanes >> l & 1;
    set(7, values);
    run("SFPSETCC lreg_c=7, instr_mod1=2");
    set(7, kept);
  }

  // Dst as the matrix unit and the packer see it.
  uint16_t& cell(unsigned physical_row, unsigned column) { return state.dst.row(physical_row)[column]; }
  void put_32(unsigned row, unsigned column, u32 value) {
    const u32 raw = math::encode_32(value);
    cell(math::dst_row_32(row), column) = static_cast<uint16_t>(raw >> 16);
    cell(math::dst_row_32(row) + Dst::kLowHalf, column) = static_cast<uint16_t>(raw);
  }
  u32 get_32(unsigned row, unsigned column) {
    const unsigned physical = math::dst_row_32(row);
    return math::decode_32(u32{cell(physical, column)} << 16 | cell(physical + Dst::kLowHalf, column));
  }
  void config(arch::ConfigField field, u32 value) {
    state.config.write_bits(0, field.word, field.of(value), field.mask());
  }
  void thread_config(arch::ConfigField field, u32 value) {
    const u32 old = state.config.thread(kThread).words[field.word];
    state.config.write_thread(kThread, field.word, static_cast<uint16_t>(field.set(old, value)));
  }
};

}  // namespace kerr::emu::tensix
