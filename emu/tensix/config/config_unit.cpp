#include "emu/tensix/config/config_unit.hpp"

#include <fmt/format.h>

#include <bit>

#include "arch/stream_registers.hpp"

namespace kerr::emu::tensix {
namespace {

constexpr bool exists(uint32_t index) { return index < arch::kConfigWords; }

Issue no_such_word(uint32_t index) {
  return Issue::undefined(fmt::format("configuration word {} does not exist", index), "A bank has words 0 to 223.");
}

}  // namespace

// One 16-bit word of the issuing thread. Two bits of word 41 reset the thread's context counters in the unpackers.
Issue ConfigUnit::exec(int thread, const isa::tensix::SETC16& i) {
  namespace f = arch::thread_config;
  if (i.setc16_reg >= arch::kThreadConfigWords) {
    return Issue::undefined(fmt::format("thread configuration word {} does not exist", i.setc16_reg),
                            "A thread has words 0 to 67.");
  }
  config_.write_thread(thread, i.setc16_reg, static_cast<uint16_t>(i.setc16_value));
  if (i.setc16_reg == f::UNPACK_MISC_CFG_CfgContextCntReset_0.word) {
    const auto t = static_cast<size_t>(thread);
    if (f::UNPACK_MISC_CFG_CfgContextCntReset_0.get(i.setc16_value)) context_counters_[0][t] = 0;
    if (f::UNPACK_MISC_CFG_CfgContextCntReset_1.get(i.setc16_value)) context_counters_[1][t] = 0;
  }
  return Issue::done();
}

// One word from a GPR, or four words from four GPRs, both aligned down to four.
Issue ConfigUnit::exec(int thread, const isa::tensix::WRCFG& i) {
  if (!exists(i.cfg_reg)) return no_such_word(i.cfg_reg);
  const unsigned bank = config_.bank_of(thread);
  if (i.wr128b == 0) {
    config_.write(bank, i.cfg_reg, gpr_.read(thread, i.gpr_address));
    return Issue::done();
  }
  for (unsigned k = 0; k < 4; ++k)
    config_.write(bank, (i.cfg_reg & ~3u) + k, gpr_.read(thread, (i.gpr_address & ~3u) + k));
  return Issue::done();
}

Issue ConfigUnit::exec(int thread, const isa::tensix::RDCFG& i) {
  if (!exists(i.cfg_reg)) return no_such_word(i.cfg_reg);
  gpr_.write(thread, i.gpr_address, config_.seen_by(thread).words[i.cfg_reg]);
  return Issue::done();
}

// RMWCIB0..3: the masked bits of one byte of a word.
Issue ConfigUnit::replace_byte(int thread, unsigned byte, uint32_t index, uint32_t data, uint32_t mask) {
  if (!exists(index)) return no_such_word(index);
  config_.write_bits(config_.bank_of(thread), index, data << byte * 8, mask << byte * 8);
  return Issue::done();
}

// Combines a word with a rotated, masked scratch word (selector 3: the thread's own).
Issue ConfigUnit::exec(int thread, const isa::tensix::CFGSHIFTMASK& i) {
  if (!exists(i.cfg_reg)) return no_such_word(i.cfg_reg);
  const unsigned bank = config_.bank_of(thread);
  const unsigned section = i.scratch_sel == 3 ? static_cast<unsigned>(thread) : i.scratch_sel;
  const uint32_t scratch = config_.bank(bank).words[arch::global_config::SCRATCH_SEC0_val.word + section];
  const uint32_t mask = static_cast<uint32_t>((uint64_t{2} << i.mask_width) - 1);
  const int amount = static_cast<int>(i.right_cshift_amt);
  const uint32_t operand = std::rotr(scratch & mask, amount);
  uint32_t old = config_.bank(bank).words[i.cfg_reg];
  if (i.disable_mask_on_old_val == 0) old &= ~std::rotr(mask, amount);
  const uint32_t result = [&]() -> uint32_t {
    switch (i.operation) {
      case 0: return old | operand;
      case 1: return old & operand;
      case 2: return old ^ operand;
      case 3: return old + operand;
      case 4: return old | ~operand;
      case 5: return old & ~operand;
      case 6: return old ^ ~operand;
      default: return old - operand;
    }
  }();
  config_.write(bank, i.cfg_reg, result);
  return Issue::done();
}

// A register of the overlay stream that a STREAM_ID_SYNC section names, to a word. Later configuration instructions
// never overtake it here; on silicon they may, for a few cycles.
Issue ConfigUnit::exec(int thread, const isa::tensix::STREAMWRCFG& i) {
  if (!exists(i.cfg_reg)) return no_such_word(i.cfg_reg);
  if (i.stream_reg_addr >= static_cast<uint32_t>(arch::kStreamRegisters)) {
    return Issue::undefined(fmt::format("an overlay stream has no register {}", i.stream_reg_addr),
                            "A stream has registers 0 to 511.");
  }
  const unsigned section = arch::thread_config::STREAM_ID_SYNC_SEC0_BankSel.word + i.stream_id_sel;
  const unsigned stream = config_.thread(thread).words[section] & 63;
  BusReply reply;
  switch (bus_.load(arch::stream_address(static_cast<int>(stream), static_cast<int>(i.stream_reg_addr)), reply)) {
    case Access::Done: config_.write(config_.bank_of(thread), i.cfg_reg, reply.value); return Issue::done();
    case Access::Wait: return Issue::wait(reply.wait, "the stream register does not answer yet");
    default: return Issue::fault_already_reported();
  }
}

}  // namespace kerr::emu::tensix
