// Unpackers and packer on state of their own, without a front end: what one instruction does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emu/tensix/pack/packer.hpp"
#include "emu/tensix/unpack/unpackers.hpp"
#include "tests/emu/quiet_board.hpp"
#include "tests/emu/tensix/field_values.hpp"

namespace kerr::emu::tensix {

struct DataPathUnits {
  static constexpr uint32_t kIn = 0x20000, kOut = 0x40000;

  /// BF16 everywhere, one row of 16 datums from kIn to row 0, rows of Dst to kOut; nothing masked.
  DataPathUnits() {
    config(bf16_data_path(kIn, kOut, 1));
    thread_config(0, {thread_cfg::SRCA_SET_SetOvrdWithAddr, 1});
    pack_columns(0, 15);
    unpack_datums(0, 15);
  }
  void config(const std::vector<FieldValue>& fields) {
    for (const auto& [field, value] : fields) state.config.write_bits(0, field.word, field.of(value), field.mask());
  }
  void thread_config(int thread, FieldValue v) {
    const uint32_t old = state.config.thread(thread).words[v.field.word];
    state.config.write_thread(thread, v.field.word, static_cast<uint16_t>(v.field.set(old, v.value)));
  }
  void pack_columns(unsigned first, unsigned last) {
    state.adcs.of(0, AdcUnit::Packer).channel[0].x.set(first);
    state.adcs.of(0, AdcUnit::Packer).channel[1].x.set(last);
  }
  void unpack_datums(unsigned first, unsigned last) {
    for (const AdcUnit unit : {AdcUnit::Unpacker0, AdcUnit::Unpacker1}) {
      state.adcs.of(0, unit).channel[0].x.set(first);
      state.adcs.of(0, unit).channel[1].x.set(last);
    }
  }
  void dst_bf16(unsigned row, const std::vector<uint16_t>& values) {
    for (unsigned c = 0; c < values.size(); ++c) state.dst.row(row)[c] = math::encode_bf16(values[c]);
  }
  void dst_fp16(unsigned row, const std::vector<uint16_t>& values) {
    for (unsigned c = 0; c < values.size(); ++c) state.dst.row(row)[c] = math::encode_fp16(values[c]);
  }
  void dst_32(unsigned row, const std::vector<uint32_t>& values) {
    for (unsigned c = 0; c < values.size(); ++c) {
      const uint32_t cell = math::encode_32(values[c]);
      state.dst.row(math::dst_row_32(row))[c] = static_cast<uint16_t>(cell >> 16);
      state.dst.row(math::dst_row_32(row) + Dst::kLowHalf)[c] = static_cast<uint16_t>(cell);
    }
  }
  /// "" or the fault's sentence, or what is odd, or why it waits.
  template <class Unit, class Instruction>
  std::string run(Unit& unit, const Instruction& i) {
    const Issue answer = unit.exec(0, i);
    if (answer.is_done()) return "";
    if (answer.kind() == Issue::Kind::Odd)
      return Remark{.oddity = answer.oddity(), .instruction = i.encode(), .bits = answer.odd_bits()}.what();
    return answer.problem() != nullptr ? answer.problem()->what : answer.why();
  }
  std::string pack(isa::tensix::PACR i = {.last = 1, .read_intf_sel = 1}) { return run(packer, i); }
  std::string unpack(isa::tensix::UNPACR i = {.last = 1, .ovrd_thread_id = 1}) { return run(unpackers, i); }

  template <class T>
  std::vector<T> out(unsigned count) const {
    std::vector<T> values;
    for (unsigned n = 0; n < count; ++n) values.push_back(l1.load<T>(kOut + static_cast<uint32_t>(n * sizeof(T))));
    return values;
  }
  std::vector<uint16_t> src_a(unsigned row, unsigned count = 16) {
    std::vector<uint16_t> values;
    for (unsigned c = 0; c < count; ++c) values.push_back(math::bf16_from_cell(state.src_a.bank(0).cells[row][c]));
    return values;
  }
  void in16(const std::vector<uint16_t>& values, uint32_t offset = 0) {
    for (unsigned n = 0; n < values.size(); ++n) l1.store(kIn + offset + 2 * n, values[n]);
  }

  L1 l1;
  QuietBoard board;
  State state{board};
  Unpackers unpackers{state.config, state.adcs, state.context_counters, state.src_a, state.src_b, state.dst, l1};
  Packer packer{state.config, state.adcs, state.dst, state.packer_signals, l1};
};

}  // namespace kerr::emu::tensix
