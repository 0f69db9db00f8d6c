// Semaphores of the coprocessor: what waits for them may conclude, and posts and gets that have no effect.
#include <fmt/format.h>

#include <algorithm>

#include "arch/sync.hpp"
#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

void TileChecker::without_effect(const Stamp& by, size_t semaphore, bool post) {
  found(post ? Rule::SemOverflow : Rule::SemUnderflow, nullptr, "", by, post ? "post" : "get",
        {.space = Space::Semaphore,
         .tile = view_.tile,
         .address = semaphore,
         .name = fmt::format("semaphore {}", semaphore)},
        post ? fmt::format("semaphore {}: a post at {} is lost", semaphore, arch::kSemaphoreMax)
             : fmt::format("semaphore {}: a get at 0 has no effect", semaphore));
}

// SEMINIT, SEMPOST or SEMGET, before it counts as issued.
void TileChecker::semaphores_changed(const Actor& a, const emu::Footprint& f) {
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  const auto opcode = static_cast<Opcode>(a.word >> 24);
  const auto init = isa::tensix::SEMINIT::decode(a.word);  // all three name semaphores in the same place
  const Event event{place_, of.component, of.issue + 1};
  for (size_t s = 0; s < f.semaphores.size(); ++s) {
    if ((init.sem_sel >> s & 1) == 0) continue;
    NumberedSemaphore& semaphore = coprocessor_.semaphore(s);
    if (opcode == Opcode::SEMINIT) {
      of.clock.raise(event);
      semaphore.init(init.init_value, init.max_value, of.clock.snapshot());
      continue;
    }
    semaphore.saw(f.semaphores[s]);
    const bool post = opcode == Opcode::SEMPOST;
    if (f.without_effect >> s & 1) {
      without_effect(stamp_of(a, place_, of.component, of.issue + 1), s, post);
    } else if (post) {
      semaphore.post(event, of.clock.snapshot());
    } else {
      semaphore.get(event, of.clock.snapshot());
    }
  }
}

// By a TRISC, at once: an even word is a post, an odd one a get.
void TileChecker::hart_stores_semaphore(const Actor& a, size_t s, uint32_t value) {
  AgentClock& by = hart(hart_index(a.agent));
  NumberedSemaphore& semaphore = coprocessor_.semaphore(s);
  const bool post = (value & 1) == 0;
  const std::optional<uint32_t> before = semaphore.value();
  if (before == (post ? static_cast<uint32_t>(arch::kSemaphoreMax) : 0u)) {
    return without_effect(stamp_of(a, place_, component::hart(hart_index(a.agent)), by.stores()), s, post);
  }
  by.stores();
  const SnapshotPtr clock = by.release();
  post ? semaphore.post(by.event(), clock) : semaphore.get(by.event(), clock);
}

// What the program has asked for: a wait for 0 or 1 knows no more of it than that it was not 2.
void TileChecker::hart_loads_semaphore(const Actor& a, size_t s, uint32_t value) {
  NumberedSemaphore& semaphore = coprocessor_.semaphore(s);
  semaphore.saw(value);
  const LoadUse use = code_.use_of_load(a.pc);
  if (!use.decides) return;
  const int h = hart_index(a.agent);
  uint32_t least = value, most = value;
  if (use.waits && !use.lives) {
    const auto leaves = [&](uint32_t v) {
      return code_.leaves(a.pc, v, view_.registers[static_cast<size_t>(h)],
                          [&](uint32_t at, uint32_t n) { return peek(h, at, n); });
    };
    if (leaves(value) == false) return;
    for (uint32_t v = 0; v <= arch::kSemaphoreMax; ++v) {
      const std::optional<bool> left = leaves(v);
      if (!left) return hart(h).acquire([&](Clock& c) { semaphore.acquire(c); });
      if (!*left) continue;
      least = std::min(least, v);
      most = std::max(most, v);
    }
  }
  hart(h).acquire([&](Clock& c) { semaphore.acquire(c, least, most); });
}

// Behind a SEMWAIT. Edge: tensix-semaphore.
void TileChecker::take_semaphores(ThreadClock& of, uint32_t semaphores, uint32_t conditions) {
  constexpr uint32_t kNotZero = 1, kBelowMax = 2;
  for (size_t s = 0; s < 8; ++s) {
    if ((semaphores >> s & 1) == 0) continue;
    if (conditions & kNotZero) coprocessor_.semaphore(s).acquire_not_zero(of.clock);
    if (conditions & kBelowMax) coprocessor_.semaphore(s).acquire_below_max(of.clock);
  }
}

}  // namespace kerr::check
