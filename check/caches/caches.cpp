// Data and code that a hart has fetched before they were written anew.
#include <fmt/format.h>

#include "check/tile_checker.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::check {

namespace {

constexpr uint32_t kFence = 0x0F, kAmo = 0x2F, kSystem = 0x73;  // opcodes
constexpr uint32_t kDataCacheOff = 1u << 3;                     // of cfg0

}  // namespace

// Instructions that switch a data cache, or empty it. docs/hardware/tile.md 1.4, 1.7
void TileChecker::look_at_cache(int h, uint32_t word) {
  const uint32_t opcode = word & 0x7F;
  if (opcode == kFence || opcode == kAmo) {
    if (data_caches_.is_on(h)) data_caches_.flush(h);
    return;
  }
  if (opcode != kSystem || word >> 20 != isa::csr::kCfg0) return;
  const uint32_t how = word >> 12 & 7, field = word >> 15 & 31, rd = word >> 7 & 31;
  const bool immediate = (how & 4) != 0;
  if (how % 4 == 0 || (!immediate && field != 0 && field == rd)) return;  // the old value is in its place
  rules_changed();
  const uint32_t value = immediate ? field : view_.registers[static_cast<size_t>(h)][field];
  switch (how & 3) {
    case 1: return data_caches_.set(h, (value & kDataCacheOff) == 0);
    case 2:
      if (value & kDataCacheOff) data_caches_.set(h, false);
      return;
    default:
      if (value & kDataCacheOff) data_caches_.set(h, true);
      return;
  }
}

void TileChecker::check_cached_load(const Stamp& by, const LoadUse& use, int h, uint32_t address, uint32_t bytes) {
  if (!data_caches_.is_on(h)) return;
  const std::optional<DataCaches::Old> old = data_caches_.loaded(h, address, bytes, view_.l1);
  if (!old || !in_kernel(by.agent)) return;
  // An old value only makes it go round once more, and there is the fence. Harts that are parked in a loop are woken at
  // the load, so the fence right before it was not told.
  const auto look = [&](uint32_t at, uint32_t n) { return peek(h, at, n); };
  const auto stays = [&] {
    return code_.leaves(by.pc, old->value, view_.registers[static_cast<size_t>(h)], look) == false;
  };
  if ((code_.word(by.pc - 4) & 0x7F) == kFence || (use.fences && stays())) {
    data_caches_.flush(h);
    data_caches_.loaded(h, address, bytes, view_.l1);
    return;
  }
  const size_t finding =
      found(Rule::StaleLoad, &old->by, "write", by, "read", l1_object(address, bytes),
            fmt::format("L1 {:#x}: the data cache may still hold what was there before it was written", address));
  log_.turned_out(finding, Outcome::Latent, "in this run the new bytes were loaded: the emulator has no such cache");
}

// The hart has executed the instruction at `pc`.
void TileChecker::check_fetch(const Actor& a, int h, uint32_t pc, uint32_t word) {
  const Stamp* const writer = fetched_.take_old(static_cast<size_t>(h), pc);
  if (writer == nullptr) return;
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  const size_t finding = found(
      Rule::StaleCode, writer, "write", by, "fetch", l1_object(pc, 4),
      fmt::format("code at L1 {:#x}: {} may still hold what was there before it was written", pc, emu::name(a.agent)));
  if (word == code_.word(pc)) {
    log_.turned_out(finding, Outcome::Latent, "in this run the new code was executed");
  } else {
    log_.turned_out(finding, Outcome::Harmful, "in this run the old code was executed");
  }
}

// Harts that leave reset begin with empty caches.
void TileChecker::forget_fetches_of_held(uint32_t soft_reset) {
  for (size_t h = 0; h < harts_.size(); ++h)
    if (soft_reset >> arch::kSoftResetBit[h] & 1) fetched_.forget(h);
}

// A packet brings new code where a hart of this tile is at this moment.
bool TileChecker::check_code_write(const Stamp& by, uint64_t address, uint64_t bytes) {
  bool is_executed = false;
  constexpr uint64_t kLine = 64;
  for (size_t h = 0; h < kernels_.size(); ++h) {
    const InKernel& kernel = kernels_[h];
    if (!kernel.runs || kernel.pc / kLine * kLine >= address + bytes || kernel.pc / kLine * kLine + kLine <= address)
      continue;
    is_executed = true;
    const emu::Agent agent = emu::agent_of(static_cast<arch::Hart>(h));
    Actor a{view_.tile, agent, by.cycle};
    a.pc = kernel.pc;
    const Stamp first = stamp_of(a, place_, component::hart(static_cast<int>(h)), harts_[h].event().number);
    found(Rule::Race, &first, "fetch", by, "write", l1_object(address, bytes),
          fmt::format("code at L1 {:#x} is written while {} executes it", kernel.pc, emu::name(agent)));
  }
  return is_executed;
}

}  // namespace kerr::check
