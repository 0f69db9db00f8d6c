#include "emu/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/bytes.hpp"
#include "emu/float_environment.hpp"
#include "emu/hash.hpp"
#include "emu/machine/reference_scheduler.hpp"
#include "emu/machine/shard.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

namespace {

// With fewer tiles than this the calling thread is done sooner than others have come.
constexpr size_t kLeastTilesForThreads = 4;

Options checked(Options options) {
  options.check();
  return options;
}

}  // namespace

Machine::Machine(Options options)
    : options_(checked(std::move(options))),
      reorder_(options_.noc_reorder),
      window_(options_.window()),
      lookahead_(options_.exact() ? timing::shortest_way(options_.parameters) : window_),
      lines_(std::make_shared<DecodedLines>(options_)),
      host_(
          options_.host_memory, [this] { return sink_ != nullptr; }, [this](Input&& input) { note(std::move(input)); }),
      state_(at_power_on()),
      pool_(worker_count(options_.reference() ? 1 : options_.shards)),
      thread_choice_(1 + worker_count(options_.shards)) {
  for (int i = 0; i < std::max(1, options_.shards); ++i) shards_.push_back(std::make_unique<Shard>());
  tell_of_chips();
}

Machine::~Machine() = default;

void Machine::tell_of_chips() {
  for (int i = 0; i < chips(); ++i) {
    if (debugger_) debugger_->chip_made(i);
    if (options_.prints) {
      options_.prints->chip_made(i, state_.now);
      for (const uint8_t node : chip(i).tiles.nodes()) options_.prints->tile_made(chip(i).tiles.find(node)->view());
    }
    if (!options_.observer) continue;
    options_.observer->chip_made(i, state_.now);
    for (const uint8_t node : chip(i).tiles.nodes()) chip(i).tiles.find(node)->tell_made(*options_.observer);
  }
}

Machine::State Machine::at_power_on() {
  State state;
  for (size_t i = 0; i < options_.boards.size(); ++i) {
    state.chips.push_back(make_chip(static_cast<int>(i), 0));
    if (options_.exact()) state.fabrics.push_back(make_fabric());
  }
  return state;
}

std::unique_ptr<ExactFabric> Machine::make_fabric() const {
  return std::make_unique<ExactFabric>(options_.parameters, options_.observer);
}

std::unique_ptr<Chip> Machine::make_chip(int index, Cycle now) {
  auto made = std::make_unique<Chip>(index, options_, lines_, &host_);
  made->set_time(now);
  made->set_debugger(debugger_);
  return made;
}

void Machine::set_time(Cycle now) {
  state_.now = now;
  for (auto& chip : state_.chips) chip->set_time(now);
}

// --- time ----------------------------------------------------------------------------------------------------------

void Machine::advance(Cycle cycles) {
  const DefaultFloats floats;
  state_.target = cycles > kNever - state_.target ? kNever : state_.target + cycles;
  while (state_.now < state_.target && !faulted()) {
    step(state_.target, debugger_ ? 0 : state_.target);
    if (debugger_) debugger_->between_windows(*this);
  }
  if (faulted()) state_.target = state_.now;
}

void Machine::step(Cycle limit) {
  const DefaultFloats floats;
  step(limit, 0);
  if (debugger_) debugger_->between_windows(*this);
}

void Machine::step(Cycle limit, Cycle run_ahead_limit) {
  if (faulted() || limit <= state_.now) return;
  const Cycle last_end = window_start(limit > kNever - window_ ? limit : limit + window_ - 1, window_);
  take_up_changes();
  if (options_.reference()) {
    run_reference_window(*this, state_.now + window_);
    return collect_faults();
  }
  Cycle next_of_others = find_active(state_.now + window_);
  if (active_.empty() && next_of_others >= state_.now + window_) {
    if (next_of_others >= last_end) {
      pass_time(last_end);  // the same as running empty windows
      return collect_faults();
    }
    set_time(window_start(next_of_others, window_));
    next_of_others = find_active(state_.now + window_);
  }
  run_window(state_.now + window_, std::min(run_ahead_limit, next_of_others));
  collect_faults();
}

Cycle Machine::next_event() {
  take_up_changes();
  Cycle next = next_event_between_tiles();
  for (auto& chip : state_.chips) {
    chip->tiles.for_each_awake([&](uint8_t, Cycle event) { next = std::min(next, event); });
  }
  return next;
}

Cycle Machine::next_event_beside_running() {
  take_up_changes();
  Cycle next = next_event_between_tiles();
  for (auto& chip : state_.chips) {
    for (const uint8_t node : chip->tiles.nodes())
      next = std::min(next, chip->tiles.at_present(node).next_event_beside_running());
  }
  return next;
}

// A request is served, and a packet moves, at the end of the first window after which nothing sent later can precede
// it.
Cycle Machine::next_event_between_tiles() const {
  Cycle next = next_request_ == kNever ? kNever : std::max(state_.now, next_request_ - lookahead_);
  for (auto& fabric : state_.fabrics) next = std::min(next, std::max(state_.now, fabric->next_event()));
  return next;
}

void Machine::find_next_request() {
  next_request_ = kNever;
  for (auto& chip : state_.chips) {
    for (const Server* server : chip->servers()) next_request_ = std::min(next_request_, server->next_arrival());
  }
}

// The host may have made tiles send: through the command buffers of their NIUs.
void Machine::take_up_changes() {
  send_responses();
  for (auto& chip : state_.chips) {
    if (!chip->tiles.changed()) continue;
    for (const uint8_t node : chip->tiles.take_changed()) {
      Tile& tile = *chip->tiles.find(node);
      exchange(tile.outbox());
      note_faults(tile);
    }
  }
}

void Machine::run_window(Cycle end, Cycle run_ahead_limit) {
  run_shards(end);
  if (active_.size() == 1) end = run_ahead(active_.front(), end, run_ahead_limit);
  for (ActiveTile& active : active_) exchange(active.tile->outbox());
  pass_time(end);
}

// Fills active_ with the tiles that have something to do before `end`; returns when the earliest of the others has.
Cycle Machine::find_active(Cycle end) {
  active_.clear();
  Cycle next = next_event_between_tiles();
  for (auto& chip : state_.chips) {
    chip->tiles.for_each_awake([&](uint8_t node, Cycle& event) {
      if (event < end) {
        active_.push_back({chip->tiles.find(node), &event});
      } else {
        next = std::min(next, event);
      }
    });
  }
  return next;
}

// As long as nobody else has anything to do and the lone busy tile sends nothing, its windows need nothing in between.
Cycle Machine::run_ahead(ActiveTile& lone, Cycle end, Cycle limit) {
  while (end < limit && limit - end >= window_ && *lone.next_event < end + window_ && lone.tile->outbox().empty() &&
         !lone.tile->faults().any()) {
    end += window_;
    run_tile(lone, end);
  }
  return end;
}

void Machine::run_shards(Cycle end) {
  const auto run_all = [&] {
    for (ActiveTile& active : active_) run_tile(active, end);
  };
  if (shards_.size() == 1 || debugger_ || active_.size() < kLeastTilesForThreads) return run_all();
  if (options_.always_in_parallel) return run_in_pool(end);
  thread_choice_.run(run_all, [&] { run_in_pool(end); });
}

void Machine::run_in_pool(Cycle end) {
  for (auto& shard : shards_) shard->clear();
  for (size_t i = 0; i < active_.size(); ++i) shards_[active_[i].tile->id().node % shards_.size()]->tiles.push_back(i);
  pool_.run([&](int worker) {
    // The own shard first, whose tiles are in this CPU's cache; then what others have left.
    for (size_t k = 0; k < shards_.size(); ++k) {
      Shard& shard = *shards_[(static_cast<size_t>(worker) + k) % shards_.size()];
      for (size_t i = shard.take(); i < shard.tiles.size(); i = shard.take()) run_tile(active_[shard.tiles[i]], end);
    }
  });
}

void Machine::run_tile(ActiveTile& active, Cycle end) {
  active.tile->run(end);
  *active.next_event = active.tile->next_event();
  note_faults(*active.tile);
}

// --- between windows -----------------------------------------------------------------------------------------------

Machine::Remarks Machine::remarks() const {
  Remarks all;
  for (const auto& chip : state_.chips) {
    for (const uint8_t node : chip->tiles.nodes()) {
      const RemarkLog& log = chip->tiles.find(node)->remarks();
      all.remarks.insert(all.remarks.end(), log.remarks().begin(), log.remarks().end());
      all.further += log.further();
    }
  }
  all.remarks = merged(std::move(all.remarks));
  return all;
}

// --- state ---------------------------------------------------------------------------------------------------------

std::string Machine::name_of_chip(int chip) const { return chips() > 1 ? fmt::format("chip {} ", chip) : ""; }

std::vector<TileWaits> Machine::waits() {
  std::vector<TileWaits> all;
  for (auto& chip : state_.chips) {
    for (const uint8_t node : chip->tiles.nodes()) {
      std::vector<AgentWait> agents = chip->tiles.at_present(node).describe_waits();
      if (agents.empty()) continue;
      const TileId tile = chip->tiles.find(node)->id();
      all.push_back({tile, name_of_chip(tile.chip) + chip->geometry.describe(tile), std::move(agents)});
    }
  }
  return all;
}

TileCounters Machine::counters(int index) {
  TileCounters sum;
  const auto add = [](auto& to, const auto& from) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  TileTable& tiles = chip(index).tiles;
  for (const uint8_t node : tiles.nodes()) {
    const TileCounters tile = tiles.at_present(node).counters();
    add(sum.hart_instructions, tile.hart_instructions);
    add(sum.thread_instructions, tile.thread_instructions);
    add(sum.packets_sent, tile.packets_sent);
    add(sum.bytes_sent, tile.bytes_sent);
    sum.mvmuls += tile.mvmuls;
  }
  return sum;
}

uint64_t Machine::state_hash() {
  HashArchive archive;
  save(archive);
  return archive.value();
}

void Machine::State::serialize(Archive& a) {
  constexpr size_t kMostFaults = 1 << 16, kMostResponses = 1 << 20;
  a(now);
  for (auto& chip : chips) {
    if (a.loading()) chip->set_time(now);
    a(*chip);
  }
  a.machinery(target, inputs, run, server_faults);
  for (auto& fabric : fabrics) a.machinery(*fabric);
  if (a.hashing()) return;
  a.list(faults, kMostFaults);
  a.list(responses, kMostResponses);
}

void Machine::save(Archive& archive) {
  take_up_changes();
  archive(state_);
}

// Into a second set of chips, so that a file that breaks off in the middle has changed nothing.
void Machine::load(Archive& archive, const std::function<void()>& check_end) {
  State loaded = at_power_on();
  archive.chips = chips();
  archive(loaded);
  archive.require(loaded.now % window_ == 0, "the time is not the end of a window");
  check_end();
  for (auto& fabric : loaded.fabrics) fabric->resume(loaded.now);

  state_ = std::move(loaded);
  tell_of_chips();
  find_next_request();
  fault_seen_.store(true, std::memory_order_relaxed);  // look once whether some tile has any
  remark_seen_.store(true, std::memory_order_relaxed);
}

void Machine::set_debugger(Debugger* debugger) {
  debugger_ = debugger;
  for (auto& chip : state_.chips) chip->set_debugger(debugger);
}

// --- the host's side -----------------------------------------------------------------------------------------------

// Every call below tells the sink what it is asked for, then what came of it; the device's own accesses to host memory
// come in between (HostPort).

void Machine::note(Input&& input) {
  ++state_.inputs;
  if (!sink_) return;
  input.cycle = state_.now;
  state_.run = fold(state_.run, input);
  sink_->record(input);
}

template <class Access>
std::optional<Fault> Machine::told(Input&& input, Chip& chip, std::span<const uint8_t> out, Access access) {
  input.chip = static_cast<uint8_t>(chip.index);
  note(std::move(input));
  std::optional<Fault> fault = access();
  note({.kind = Input::Kind::Returned,
        .outcome = fault ? Input::Outcome::Refused : Input::Outcome::Done,
        .chip = static_cast<uint8_t>(chip.index),
        .hash = sink_ ? mix_bytes(0, out) : 0});
  return fault;
}

std::vector<uint8_t> Machine::copy_for_sink(std::span<const uint8_t> bytes) const {
  return sink_ ? std::vector(bytes.begin(), bytes.end()) : std::vector<uint8_t>();
}

void Machine::config_write(int index, uint32_t offset, uint32_t value) {
  note({.kind = Input::Kind::ConfigWrite,
        .chip = static_cast<uint8_t>(index),
        .address = offset,
        .bytes = copy_for_sink(arch::as_uint8(value))});
  if (chip(index).function.config_write(offset, value)) reset_now(index);
}

std::optional<Fault> Machine::read(int index, Bar bar, uint64_t offset, std::span<uint8_t> out) {
  Chip& chip = this->chip(index);
  if (!sink_) return state_.inputs += 2, chip.function.read(bar, offset, out);
  return told({.kind = Input::Kind::Read,
               .bar = static_cast<uint8_t>(bar),
               .length = static_cast<uint32_t>(out.size()),
               .address = offset},
              chip, out, [&] { return chip.function.read(bar, offset, out); });
}

std::optional<Fault> Machine::write(int index, Bar bar, uint64_t offset, std::span<const uint8_t> bytes) {
  Chip& chip = this->chip(index);
  if (!sink_) return state_.inputs += 2, chip.function.write(bar, offset, bytes);
  return told(
      {.kind = Input::Kind::Write, .bar = static_cast<uint8_t>(bar), .address = offset, .bytes = copy_for_sink(bytes)},
      chip, {}, [&] { return chip.function.write(bar, offset, bytes); });
}

std::optional<Fault> Machine::read_coordinate(int index, uint32_t x, uint32_t y, uint64_t address,
                                              std::span<uint8_t> out) {
  Chip& chip = this->chip(index);
  return told({.kind = Input::Kind::TileRead,
               .x = static_cast<uint16_t>(std::min(x, 0xFFFFu)),
               .y = static_cast<uint16_t>(std::min(y, 0xFFFFu)),
               .length = static_cast<uint32_t>(out.size()),
               .address = address},
              chip, out, [&] { return chip.read_coordinate(x, y, address, out); });
}

std::optional<Fault> Machine::write_coordinate(int index, uint32_t x, uint32_t y, uint64_t address,
                                               std::span<const uint8_t> bytes) {
  Chip& chip = this->chip(index);
  return told({.kind = Input::Kind::TileWrite,
               .x = static_cast<uint16_t>(std::min(x, 0xFFFFu)),
               .y = static_cast<uint16_t>(std::min(y, 0xFFFFu)),
               .address = address,
               .bytes = copy_for_sink(bytes)},
              chip, {}, [&] { return chip.write_coordinate(x, y, address, bytes); });
}

void Machine::reset(int index) {
  note({.kind = Input::Kind::Reset, .chip = static_cast<uint8_t>(index)});
  reset_now(index);
}

void Machine::reset_now(int index) {
  state_.chips[static_cast<size_t>(index)] = make_chip(index, state_.now);
  if (!state_.fabrics.empty()) state_.fabrics[static_cast<size_t>(index)] = make_fabric();
  if (options_.observer) options_.observer->chip_made(index, state_.now);
  if (options_.prints) options_.prints->chip_made(index, state_.now);
  if (debugger_) debugger_->chip_made(index);
  find_next_request();
  state_.faults.clear();
}

}  // namespace kerr::emu
