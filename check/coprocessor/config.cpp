// Configuration and MOP words: stores of harts that overtake what the coprocessor reads, and words of two threads.
#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "arch/tensix_config.hpp"
#include "check/coprocessor/lanes.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

namespace {

constexpr int kTrisc0 = static_cast<int>(arch::Hart::Trisc0);

Object word_object(emu::TileId tile, uint32_t word) {
  return {.space = Space::Config,
          .tile = tile,
          .address = word,
          .bytes = 4,
          .name = fmt::format("configuration word {}", word)};
}

}  // namespace

// Whole words, or some bits of them. `writer`: a thread, or the hart that feeds it.
void TileChecker::config_written(const Stamp& by, size_t writer, uint32_t bank, uint32_t word, bool whole,
                                 std::optional<uint32_t> before, uint32_t after) {
  ConfigWord& w = coprocessor_.config.at(bank, word);
  if (!before) before = w.value;
  w.value = after;
  if (!before) return;
  const uint32_t changed = *before ^ after;
  for (size_t other = 0; other < w.changed.size(); ++other) {
    if (other == writer) continue;
    if (const uint32_t lost = w.changed[other] & changed; whole && lost != 0) {
      found(Rule::ConfigOverlap, &w.by[other], "write", by, "write", word_object(view_.tile, word),
            fmt::format("configuration word {}: bits {:#x}, which T{} has set, are overwritten by a whole word", word,
                        lost, other));
    }
    w.changed[other] &= ~changed;
  }
  if (changed == 0) return;
  w.changed[writer] |= changed;
  w.by[writer] = by;
}

// Edges: config-at-issue, config-wait, config-round-trip.
void TileChecker::address_taken(const Actor& a, const emu::Footprint& f) {
  const int t = thread_index(a.agent);
  const int h = kTrisc0 + t;
  ThreadClock& of = thread(t);
  TriscStores& stores = coprocessor_.stores[static_cast<size_t>(t)];
  ConfigWord& w = coprocessor_.config.at(f.base_bank, f.base_word);
  const Stamp by = stamp_of(a, place_, of.component, of.issue + 1);
  const Stamp& store = w.stored;
  if (store.part != Part::Nobody && hart_of_thread(a.agent) == store.agent && a.pusher == store.agent &&
      !stores.tracked) {
    const auto number = static_cast<uint32_t>(store.number);
    const bool pushed_behind = of.clock.at(component::hart(h)) >= number;
    if (!pushed_behind || number > std::max(of.stores_done, stores.settled)) {
      found(Rule::ConfigLive, &store, "write", by, "read", word_object(view_.tile, f.base_word),
            fmt::format("configuration word {}: an UNPACR takes its address from it, and nothing waits for the hart's "
                        "store {} it",
                        f.base_word, pushed_behind ? "before" : "behind"));
      w.stored = {};
    }
  }
  w.taken = by;
}

void TileChecker::hart_stores_config(const Actor& a, uint32_t word, uint32_t value) {
  const int h = hart_index(a.agent), t = h - kTrisc0;
  if (t < 0) return;
  AgentClock& by = hart(h);
  const Stamp stamp = stamp_of(a, place_, component::hart(h), by.stores());
  const uint32_t bank = word / arch::kConfigWords, index = word % arch::kConfigWords;
  ConfigWord& w = coprocessor_.config.at(bank, index);
  if (w.value == value) return;
  if (w.taken.agent == emu::agent_of_thread(t) && w.taken.part != Part::Nobody && !by.clock().knows(w.taken.event()) &&
      !coprocessor_.stores[static_cast<size_t>(t)].tracked) {
    found(Rule::ConfigLive, &w.taken, "read", stamp, "write", word_object(view_.tile, index),
          fmt::format("configuration word {}: overwritten while an UNPACR may still take its address from it", index));
  }
  w.taken = {};
  w.stored = stamp;
  config_written(stamp, static_cast<size_t>(t), bank, index, true, std::nullopt, value);
}

// The MOP expander reads its words while it works. Edge: config-round-trip.
void TileChecker::hart_stores_mop_word(const Actor& a, size_t index, uint32_t value) {
  const int h = hart_index(a.agent), t = h - kTrisc0;
  if (t < 0) return;
  TriscStores& stores = coprocessor_.stores[static_cast<size_t>(t)];
  std::optional<uint32_t>& word = stores.mop_words[index];
  if (word == value) return;
  word = value;
  if (stores.mop.part == Part::Nobody) return;
  const bool over = stores.last_push > stores.mop_push && hart(h).clock().at(component::issue(t)) >= stores.mop_issue;
  if (!over) {
    const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
    found(Rule::MopLive, &stores.mop, "push", by, "write",
          {.space = Space::Register, .tile = view_.tile, .address = arch::kMopConfigBase + 4 * index, .bytes = 4},
          fmt::format("word {} of the MOP expander: written while it may still expand a MOP", index));
  }
  stores.mop = {};
}

void TileChecker::mop_pushed(const Actor& a, int t, uint32_t number) {
  if (a.agent != emu::agent_of(static_cast<arch::Hart>(kTrisc0 + t))) return;
  TriscStores& stores = coprocessor_.stores[static_cast<size_t>(t)];
  stores.mop = stamp_of(a, place_, component::hart(kTrisc0 + t), number);
  stores.mop_push = number;
}

// A load of FFE80004, FFE80008 or of a configuration word: all that the hart has stored before is done.
void TileChecker::hart_waits_for_stores(int h, bool mop_is_idle) {
  if (h < kTrisc0) return;
  TriscStores& stores = coprocessor_.stores[static_cast<size_t>(h - kTrisc0)];
  stores.settled = hart(h).clock().at(component::hart(h));
  if (mop_is_idle) stores.mop = {};
}

}  // namespace kerr::check
