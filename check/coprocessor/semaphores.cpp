// Semaphores of the coprocessor: what waits for them may conclude, and posts and gets that have no effect.
#include <fmt/format.h>

#include <algorithm>

#include "arch/sync.hpp"
#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

void TileChecker::without_effect(const Stamp& by, size_t semaphore, bool post) {
  const size_t finding = found(post ? Rule::SemOverflow : Rule::SemUnderflow, nullptr, "", by, post ? "post" : "get",
                               {.space = Space::Semaphore,
                                .tile = view_.tile,
                                .address = semaphore,
                                .name = fmt::format("semaphore {}", semaphore)},
                               post ? fmt::format("semaphore {}: a post at {} is lost", semaphore, arch::kSemaphoreMax)
                                    : fmt::format("semaphore {}: a get at 0 has no effect", semaphore));
  log_.turned_out(finding, Outcome::Harmful, post ? "in this run the post was lost" : "in this run the get was lost");
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
    // What BRISC has threads do at the boot is in order. Edge: boot-words.
    const Stamp by = a.pusher == emu::Agent::Brisc ? Stamp{} : stamp_of(a, place_, of.component, of.issue + 1);
    const bool told = by.part != Part::Nobody;
    if (opcode == Opcode::SEMINIT) {
      for (const bool posts : {true, false})
        if (const Stamp* const other = told ? semaphore.unknown_to(of.clock, posts) : nullptr)
          init_race(*other, posts ? "post" : "get", by, "init", s);
      of.clock.raise(event);
      semaphore.init(init.init_value, init.max_value, of.clock.snapshot());
      semaphore.initialised = by;
      continue;
    }
    semaphore.saw(f.semaphores[s]);
    const bool post = opcode == Opcode::SEMPOST;
    if (told && semaphore.initialised.part != Part::Nobody && !of.clock.knows(semaphore.initialised.event())) {
      init_race(semaphore.initialised, "init", by, post ? "post" : "get", s);
      semaphore.initialised = {};
    }
    if (f.without_effect >> s & 1) {
      without_effect(stamp_of(a, place_, of.component, of.issue + 1), s, post);
    } else if (post) {
      semaphore.post(event, of.clock.snapshot(), by);
    } else {
      semaphore.get(event, of.clock.snapshot(), by);
    }
  }
}

void TileChecker::init_race(const Stamp& first, std::string_view first_op, const Stamp& then, std::string_view then_op,
                            size_t s) {
  found(Rule::SemInitRace, &first, first_op, then, then_op,
        {.space = Space::Semaphore, .tile = view_.tile, .address = s, .name = fmt::format("semaphore {}", s)},
        fmt::format("semaphore {}: a SEMINIT, and nothing orders it with a {}", s,
                    first_op == "init" ? then_op : first_op));
}

// SEMWAIT until a semaphore is below its maximum.
void TileChecker::check_has_max(const Actor& a, uint32_t semaphores) {
  if (!directory_.saw_all(view_.tile.chip)) return;
  const ThreadClock& of = thread(thread_index(a.agent));
  for (size_t s = 0; s < 8; ++s) {
    if ((semaphores >> s & 1) == 0 || coprocessor_.semaphore(s).has_max()) continue;
    found(Rule::SemUninit, nullptr, "", stamp_of(a, place_, of.component, of.issue), "wait",
          {.space = Space::Semaphore, .tile = view_.tile, .address = s, .name = fmt::format("semaphore {}", s)},
          fmt::format("semaphore {}: a wait until it is below its maximum, which nobody has set", s));
  }
}

Object TileChecker::mutex_object(size_t m) const {
  return {.space = Space::None, .tile = view_.tile, .name = fmt::format("mutex {}", m)};
}

// Edge: tensix-mutex.
void TileChecker::take_mutex(const Actor& a, size_t m) {
  const int t = thread_index(a.agent);
  thread(t).clock.join(mutexes_[m].snapshot());
  coprocessor_.mutexes[m] = {t, stamp_of(a, place_, thread(t).component, thread(t).issue)};
}

// By another thread than the holder it has no effect.
void TileChecker::give_mutex(const Actor& a, size_t m) {
  const int t = thread_index(a.agent);
  CoprocessorState::Mutex& mutex = coprocessor_.mutexes[m];
  if (mutex.holder >= 0 && mutex.holder != t) {
    found(Rule::MutexForeign, &mutex.taken, "take", stamp_of(a, place_, thread(t).component, thread(t).issue), "give",
          mutex_object(m), fmt::format("mutex {}: T{} gives it back, and T{} holds it", m, t, mutex.holder));
    return;
  }
  mutex.holder = -1;
  mutexes_[m].join(thread(t).clock.snapshot());
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
