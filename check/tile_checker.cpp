#include "check/tile_checker.hpp"

#include "arch/firmware_layout.hpp"
#include "isa/hints.hpp"

namespace kerr::check {

using emu::Agent;

namespace {

std::array<AgentClock, 5> harts_of(Place place) {
  const auto hart = [&](int h) { return AgentClock(place, component::hart(h)); };
  return {hart(0), hart(1), hart(2), hart(3), hart(4)};
}

// Perhaps an access to a CSR.
constexpr bool is_system(uint32_t word) { return (word & 0x7F) == 0x73; }
constexpr bool is_hint(uint32_t word) { return (word & isa::hint::kMask) == isa::hint::kCheckWord; }

}  // namespace

TileChecker::TileChecker(const emu::TileView& view, const Directory& directory, Host& host)
    : view_(view),
      place_(place_of(view.tile)),
      directory_(directory),
      host_(host),
      code_(view.l1),
      l1_(view.l1.size()),
      harts_(harts_of(place_)),
      threads_{ThreadClock(place_, 0), ThreadClock(place_, 1), ThreadClock(place_, 2)},
      mutexes_{Clock(place_), Clock(place_), Clock(place_), Clock(place_),
               Clock(place_), Clock(place_), Clock(place_), Clock(place_)},
      launched_(directory.code()) {
  // Words of base firmware by which harts wait for each other and for the dispatcher. docs/hardware/tile.md 7.2
  constexpr const arch::FirmwareLayout& kLayout = arch::kFwB;
  const auto declare = [&](uint32_t address, uint32_t bytes) {
    for (uint32_t at = address; at < address + bytes; at += 4) flags_.add(at / 4);
  };
  declare(kLayout.subordinate_sync, 4);
  declare(kLayout.go_messages, 4 * kLayout.go_message_count);
  declare(kLayout.go_message_index, 4);
  for (uint32_t slot = 0; slot < kLayout.launch_entries; ++slot) {
    declare(kLayout.launch_entry(slot) + kLayout.launch_bytes - 4, 4);  // the preload flag
  }
}

void TileChecker::accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  ++accesses_;
  switch (a.agent) {
    case Agent::Inbox: return inbox_accessed(kind, address, bytes, value);
    case Agent::Host: return host_accessed(a, kind, address, bytes, value);
    case Agent::Units:  // the mover: not modelled
      for (uint32_t at = address; kind == Kind::Store && at < address + bytes && at < view_.l1.size();
           at = (at / Shadow::kBlock + 1) * Shadow::kBlock)
        has_contents_[at / Shadow::kBlock] = true;
      return;
    case Agent::Thread0:
    case Agent::Thread1:
    case Agent::Thread2: return thread_accessed(a, kind, address, bytes, value);
    default: return hart_accessed(a, kind, address, bytes, value);
  }
}

void TileChecker::retired(const Actor& a, uint32_t pc, uint32_t word) {
  const auto h = static_cast<size_t>(a.agent) - static_cast<size_t>(Agent::Brisc);
  InKernel& kernel = kernels_[h];
  const bool firmware = arch::is_in_firmware(h, pc);
  if (is_system(word) || data_caches_.any()) look_at_cache(static_cast<int>(h), word);
  if (((pc ^ kernel.pc) & ~(FetchedCode::kLineBytes - 1)) != 0 && pc < view_.l1.size() && fetched_.fetched(h, pc))
    rules_changed();
  if (fetched_.has_old()) check_fetch(a, static_cast<int>(h), pc, word);
  wants_all_retired_ = data_caches_.any() || fetched_.has_old();
  if (is_hint(word)) take_hint(static_cast<int>(h), word);
  if (firmware == !kernel.runs) {
    kernel.has_firmware |= firmware;
    kernel.pc = pc;
    if (kernel.runs && view_.registers[h][2] < kernel.stack_limit) stack_overflows(a, static_cast<int>(h));
    return;
  }
  if (firmware) return leaves_kernel(a, static_cast<int>(h));
  if (!kernel.has_firmware) return;
  kernel.runs = true;
  kernel_begins(static_cast<int>(h));
  kernel.pc = pc;
  enters_kernel(static_cast<int>(h));
}

}  // namespace kerr::check
