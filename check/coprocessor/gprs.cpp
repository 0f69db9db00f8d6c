#include "check/coprocessor/gprs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/memory_map.hpp"
#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

namespace {

constexpr uint32_t kHalvesOfFour = 8;  // SETDMAREG counts half registers

Object gpr_object(emu::TileId tile, int thread, uint32_t n) {
  return {.space = Space::Register,
          .tile = tile,
          .address = arch::kGprBase + 4 * n,
          .bytes = 4,
          .name = fmt::format("GPR {} of T{}", n, thread)};
}

}  // namespace

// Behind an instruction of the scalar or configuration unit. Edge: gpr-at-issue.
void TileChecker::gprs_used(const Actor& a) {
  using namespace isa::tensix;
  if (a.pusher == emu::Agent::Brisc) return;
  const uint32_t w = a.word;
  switch (opcode_of(w)) {
    case Opcode::SETDMAREG: {
      const auto i = SETDMAREG::decode(w);
      if (i.set_signals_mode == 0) return gprs_written(a, i.reg_index_16b / 2, 1);
      return gprs_written(a, i.reg_index_16b / kHalvesOfFour * 4, 4);
    }
    case Opcode::ADDDMAREG:
    case Opcode::SUBDMAREG:
    case Opcode::MULDMAREG:
    case Opcode::BITWOPDMAREG:
    case Opcode::SHIFTDMAREG:
    case Opcode::CMPDMAREG: {
      const auto i = ADDDMAREG::decode(w);  // all have these operands in the same place
      gprs_read(a, i.op_a_reg_index, 1);
      if (i.op_b_is_const == 0) gprs_read(a, i.op_b_reg_index, 1);
      return gprs_written(a, i.result_reg_index, 1);
    }
    case Opcode::LOADIND: {
      const auto i = LOADIND::decode(w);
      return gprs_written(a, i.result_reg, i.size_sel == 0 ? 4 : 1);
    }
    case Opcode::ATINCGET: return gprs_written(a, ATINCGET::decode(w).in_out_reg, 1);
    case Opcode::ATINCGETPTR: return gprs_written(a, ATINCGETPTR::decode(w).result_reg, 1);
    case Opcode::LOADREG: return gprs_written(a, LOADREG::decode(w).tdma_data_reg_index, 1);
    case Opcode::STOREREG: return gprs_read(a, STOREREG::decode(w).tdma_data_reg_index, 1);
    case Opcode::REG2FLOP: return gprs_read(a, REG2FLOP::decode(w).reg_index, 1);
    case Opcode::WRCFG: {
      const auto i = WRCFG::decode(w);
      return i.wr128b ? gprs_read(a, i.gpr_address & ~3u, 4) : gprs_read(a, i.gpr_address, 1);
    }
    case Opcode::RDCFG:  // by the unit that WRCFG is of too
      coprocessor_.gprs[static_cast<size_t>(thread_index(a.agent))][RDCFG::decode(w).gpr_address].written = {};
      return;
    default: return;
  }
}

void TileChecker::gprs_written(const Actor& a, uint32_t first, uint32_t count) {
  const int t = thread_index(a.agent);
  const Stamp by = stamp_of(a, place_, component::lane(t, Lane::Scalar), thread(t).issue);
  for (uint32_t n = first; n < first + count && n < arch::kGprsPerThread; ++n)
    coprocessor_.gprs[static_cast<size_t>(t)][n].written = by;
}

void TileChecker::gprs_read(const Actor& a, uint32_t first, uint32_t count) {
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  const TriscStores& stores = coprocessor_.stores[static_cast<size_t>(t)];
  const Stamp by = stamp_of(a, place_, of.component, of.issue);
  for (uint32_t n = first; n < first + count && n < arch::kGprsPerThread; ++n) {
    Gpr& gpr = coprocessor_.gprs[static_cast<size_t>(t)][n];
    gpr.taken = by;
    const Stamp& w = gpr.written;
    if (w.part == Part::Nobody) continue;
    const auto number = static_cast<uint32_t>(w.number);
    bool is_there = true;
    if (is_hart(w.agent)) {
      is_there = stores.tracked_gprs || (of.clock.at(component::hart(kTrisc0 + t)) >= number &&
                                         number <= std::max(of.stores_done, stores.settled));
    } else if (isa::tensix::opcode_of(a.word) == Opcode::WRCFG) {
      is_there = of.clock.knows(w.event());
    }
    if (is_there) continue;
    found(Rule::GprLive, &w, "write", by, "read", gpr_object(view_.tile, t, n),
          fmt::format("GPR {} of T{}: read, and nothing waits until {} has written it", n, t,
                      is_hart(w.agent) ? "the hart" : "the scalar unit"));
    gpr.written = {};
  }
}

void TileChecker::hart_stores_gpr(const Actor& a, uint32_t address) {
  const int h = hart_index(a.agent), t = h - kTrisc0;
  const uint32_t n = (address - arch::kGprBase) / 4;
  if (t < 0 || n >= arch::kGprsPerThread) return;
  Gpr& gpr = coprocessor_.gprs[static_cast<size_t>(t)][n];
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).stores());
  if (gpr.taken.part != Part::Nobody && !hart(h).clock().knows(gpr.taken.event()) &&
      !coprocessor_.stores[static_cast<size_t>(t)].tracked_gprs) {
    found(Rule::GprLive, &gpr.taken, "read", by, "write", gpr_object(view_.tile, t, n),
          fmt::format("GPR {} of T{}: overwritten by the hart while an instruction may still read it", n, t));
  }
  gpr.taken = {};
  gpr.written = by;
}

}  // namespace kerr::check
