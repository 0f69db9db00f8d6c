// Configuration and MOP words: stores of harts that overtake what the coprocessor reads, and words of two threads.
#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "arch/tensix_config.hpp"
#include "check/coprocessor/lanes.hpp"
#include "check/tile_checker.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::check {

namespace {

Object word_object(emu::TileId tile, uint32_t word) {
  return {.space = Space::Config,
          .tile = tile,
          .address = word,
          .bytes = 4,
          .name = fmt::format("configuration word {}", word)};
}

}  // namespace

const Clock& TileChecker::clock_of(emu::Agent agent) {
  return is_hart(agent) ? hart(hart_index(agent)).clock() : thread(thread_index(agent)).clock;
}

// Whole words, or some bits of them. `writer`: a thread, or the hart that feeds it.
void TileChecker::config_written(const Stamp& by, size_t writer, uint32_t bank, uint32_t word, bool whole,
                                 std::optional<uint32_t> before, uint32_t after) {
  ConfigWord& w = coprocessor_.config.at(bank, word);
  if (!before) before = w.value;
  w.value = after;
  if (!before) return;
  const uint32_t changed = *before ^ after;
  if (changed != 0) {
    check_users(by, bank, word);
    check_readers_of_bits(by, writer, bank, word, changed);
  }
  for (size_t other = 0; other < w.changed.size(); ++other) {
    if (other == writer) continue;
    const uint32_t lost = w.changed[other] & changed;
    // Who changed the others before is forgotten.
    const bool unordered = (lost & w.latest[other]) != 0 && !clock_of(by.agent).knows(w.by[other].event());
    if (lost != 0 && (whole || unordered)) {
      found(Rule::ConfigOverlap, &w.by[other], "write", by, "write", word_object(view_.tile, word),
            fmt::format("configuration word {}: bits {:#x}, which T{} has set, are {}", word, lost, other,
                        whole ? "overwritten by a whole word" : "changed, and nothing orders the two"));
    }
    w.changed[other] &= ~changed;
  }
  if (changed == 0) return;
  w.changed[writer] |= changed;
  w.by[writer] = by;
  w.latest[writer] = changed;
}

// A unit reads its words while it works.
void TileChecker::check_users(const Stamp& by, uint32_t bank, uint32_t word) {
  const std::optional<ConfigUser> user = user_of(word);
  if (!user || (bank != 0 && user == ConfigUser::Packer)) return;  // nobody tells of its bank
  const bool hart_writes = is_hart(by.agent);
  const Clock& knows = clock_of(by.agent);
  auto& of_threads = coprocessor_.config.used[static_cast<size_t>(*user)];
  for (size_t t = 0; t < of_threads.size(); ++t) {
    Stamp& used = of_threads[t];
    if (used.part == Part::Nobody || knows.knows(used.event())) continue;
    if (hart_writes && hart_of_thread(emu::agent_of_thread(static_cast<int>(t))) == by.agent &&
        coprocessor_.stores[t].tracked)
      continue;
    const auto lane = static_cast<Lane>(*user);
    found(Rule::ConfigLive, &used, "read", by, "write", word_object(view_.tile, word),
          fmt::format("configuration word {}: written while the {} of T{} may still read it", word, name(lane), t));
    used = {};
  }
}

// Units share some words: each reads bits of its own there while it works for any thread. The matrix unit has already
// read them when an instruction of its thread issues. Edge: config-at-issue.
void TileChecker::check_readers_of_bits(const Stamp& by, size_t writer, uint32_t bank, uint32_t word,
                                        uint32_t changed) {
  if (bank != 0 && word < ConfigWords::kGlobalFirst) return;  // nobody tells of the readers' bank
  for (const Lane lane : {Lane::Matrix, Lane::Vector, Lane::Packer}) {
    const uint32_t bits = shared_bits(word, lane) & changed;
    if (bits == 0) continue;
    const Clock& knows = clock_of(by.agent);
    auto& of_threads = coprocessor_.config.used[static_cast<size_t>(lane)];
    for (size_t t = 0; t < of_threads.size(); ++t) {
      Stamp& used = of_threads[t];
      if (used.part == Part::Nobody || knows.knows(used.event())) continue;
      if (t == writer && (is_hart(by.agent) ? coprocessor_.stores[t].tracked : lane == Lane::Matrix)) continue;
      found(Rule::ConfigLive, &used, "read", by, "write", word_object(view_.tile, word),
            fmt::format("configuration word {}: bits {:#x} are changed while the {} of T{} may still read them", word,
                        bits, name(lane), t));
      used = {};
    }
  }
}

// Whole words are there for the next instruction but one.
void TileChecker::config_instruction(const Actor& a, const emu::Footprint& f) {
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  const Stamp by = stamp_of(a, place_, of.component, of.issue + 1);
  const auto opcode = static_cast<isa::tensix::Opcode>(a.word >> 24);
  if (opcode == isa::tensix::Opcode::WRCFG || opcode == isa::tensix::Opcode::CFGSHIFTMASK)
    coprocessor_.config.written[static_cast<size_t>(t)] = {by, f.config.bank, f.config.first, f.config.count};
  for (uint32_t k = 0; k < f.config.count; ++k) {
    config_written(by, static_cast<size_t>(t), f.config.bank, f.config.first + k, f.config.whole, f.config.before[k],
                   f.config.after[k]);
  }
}

void TileChecker::config_used(const Stamp& by, Lane lane) {
  if (lane == Lane::Scalar || lane == Lane::Mover) return;
  coprocessor_.config.used[static_cast<size_t>(lane)][static_cast<size_t>(thread_index(by.agent))] = by;
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
  const ConfigWords::Written& written = coprocessor_.config.written[static_cast<size_t>(t)];
  if (written.count != 0 && written.by.number + 1 == by.number && written.bank == f.base_bank &&
      f.base_word - written.first < written.count) {
    found(Rule::ConfigNext, &written.by, "write", by, "read", word_object(view_.tile, f.base_word),
          fmt::format("configuration word {}: written by the instruction right before the UNPACR that needs it",
                      f.base_word));
  }
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
