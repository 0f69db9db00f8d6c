#include "emu/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/bytes.hpp"
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
      lines_(std::make_shared<DecodedLines>()),
      host_(options_.host_memory, [this] { return sink_ != nullptr; }, [this](Input&& input) { note(std::move(input)); }),
      pool_(worker_count(options_.reference() ? 1 : options_.shards)),
      thread_choice_(1 + worker_count(options_.shards)) {
  for (size_t i = 0; i < options_.boards.size(); ++i) {
    chips_.push_back(make_chip(static_cast<int>(i), now_));
    if (options_.exact()) fabrics_.push_back(std::make_unique<ExactFabric>(options_.parameters, options_.observer));
  }
  for (int i = 0; i < std::max(1, options_.shards); ++i) shards_.push_back(std::make_unique<Shard>());
}

Machine::~Machine() = default;

std::unique_ptr<Chip> Machine::make_chip(int index, Cycle now) {
  auto made = std::make_unique<Chip>(index, options_, lines_, &host_);
  made->set_time(now);
  return made;
}

void Machine::set_time(Cycle now) {
  now_ = now;
  for (auto& chip : chips_) chip->set_time(now);
}

// --- time ----------------------------------------------------------------------------------------------------------

void Machine::advance(Cycle cycles) {
  target_ = cycles > kNever - target_ ? kNever : target_ + cycles;
  while (now_ < target_ && !faulted()) step(target_, target_);
  if (faulted()) target_ = now_;
}

void Machine::step(Cycle limit, Cycle run_ahead_limit) {
  if (faulted() || limit <= now_) return;
  const Cycle window = window_;
  const Cycle last_end =
      limit > kNever - window ? window_start(limit, window) : window_start(limit + window - 1, window);
  take_up_changes();
  if (options_.reference()) {
    run_reference_window(*this, now_ + window);
    return collect_faults();
  }
  Cycle next_of_others = find_active(now_ + window);
  if (active_.empty() && next_of_others >= now_ + window) {
    if (next_of_others >= last_end) {
      skip_to(last_end);
      return collect_faults();
    }
    set_time(window_start(next_of_others, window));
    next_of_others = find_active(now_ + window);
  }
  run_window(now_ + window, std::min(run_ahead_limit, next_of_others));
  collect_faults();
}

// The same as running empty windows up to `time`.
void Machine::skip_to(Cycle time) { pass_time(time); }

Cycle Machine::next_event() {
  take_up_changes();
  Cycle next = next_event_between_tiles();
  for (auto& chip : chips_) {
    chip->tiles.for_each_awake([&](uint8_t, Cycle event) { next = std::min(next, event); });
  }
  return next;
}

// A request is served, and a packet moves, at the end of the first window after which nothing sent later can precede it.
Cycle Machine::next_event_between_tiles() const {
  Cycle next = next_request_ == kNever ? kNever : std::max(now_, next_request_ - lookahead_);
  for (auto& fabric : fabrics_) next = std::min(next, std::max(now_, fabric->next_event()));
  return next;
}

void Machine::find_next_request() {
  next_request_ = kNever;
  for (auto& chip : chips_) {
    for (const Server* server : chip->servers()) next_request_ = std::min(next_request_, server->next_arrival());
  }
}

// The host may have made tiles send: through the command buffers of their NIUs.
void Machine::take_up_changes() {
  send_responses();
  for (auto& chip : chips_) {
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
  for (auto& chip : chips_) {
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
  const Cycle window = window_;
  while (end < limit && limit - end >= window && *lone.next_event < end + window && lone.tile->outbox().empty() &&
         !lone.tile->faults().any()) {
    end += window;
    run_tile(lone, end);
  }
  return end;
}

void Machine::run_shards(Cycle end) {
  const auto run_all = [&] {
    for (ActiveTile& active : active_) run_tile(active, end);
  };
  if (shards_.size() == 1 || active_.size() < kLeastTilesForThreads) return run_all();
  if (options_.always_in_parallel) return run_in_pool(end);
  thread_choice_.run(run_all, [&] { run_in_pool(end); });
}

void Machine::run_in_pool(Cycle end) {
  for (auto& shard : shards_) shard->clear();
  for (size_t i = 0; i < active_.size(); ++i)
    shards_[active_[i].tile->id().node % shards_.size()]->tiles.push_back(i);
  pool_.run([&](int worker) {
    // The own shard first, whose tiles are in this CPU's cache; then what others have left.
    for (size_t k = 0; k < shards_.size(); ++k) {
      Shard& shard = *shards_[(static_cast<size_t>(worker) + k) % shards_.size()];
      for (size_t i = shard.take(); i < shard.tiles.size(); i = shard.take())
        run_tile(active_[shard.tiles[i]], end);
    }
  });
}

void Machine::run_tile(ActiveTile& active, Cycle end) {
  active.tile->run(end);
  *active.next_event = active.tile->next_event();
  note_faults(*active.tile);
}

// --- between windows -----------------------------------------------------------------------------------------------

void Machine::collect_faults() {
  if (!server_faults_.any() && !fault_seen_.load(std::memory_order_relaxed)) return;
  for (Fault& fault : server_faults_.take()) faults_.push_back(std::move(fault));
  if (fault_seen_.exchange(false, std::memory_order_relaxed)) {
    for (auto& chip : chips_) {
      for (const uint8_t node : chip->tiles.nodes()) {
        for (Fault& fault : chip->tiles.find(node)->faults().take()) faults_.push_back(std::move(fault));
      }
    }
  }
  std::stable_sort(faults_.begin(), faults_.end());
}

Machine::Remarks Machine::remarks() const {
  Remarks all;
  for (const auto& chip : chips_) {
    for (const uint8_t node : chip->tiles.nodes()) {
      const RemarkLog& log = chip->tiles.find(node)->coprocessor().remarks();
      all.remarks.insert(all.remarks.end(), log.remarks().begin(), log.remarks().end());
      all.further += log.further();
    }
  }
  all.remarks = merged(std::move(all.remarks));
  return all;
}

// --- state ---------------------------------------------------------------------------------------------------------

std::vector<TileWaits> Machine::waits() {
  std::vector<TileWaits> all;
  for (auto& chip : chips_) {
    for (const uint8_t node : chip->tiles.nodes()) {
      std::vector<AgentWait> agents = chip->tiles.at_present(node).describe_waits();
      if (agents.empty()) continue;
      const TileId tile = chip->tiles.find(node)->id();
      all.push_back({tile, chip->geometry.describe(tile), std::move(agents)});
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

// What of a machine is state; the rest is options and the tools of the window loop.
struct Machine::Saved {
  Cycle& now;
  Cycle& target;
  uint64_t& inputs;
  uint64_t& run;
  std::vector<Fault>& faults;
  FaultLog& server_faults;
  std::vector<Message>& responses;
  std::vector<std::unique_ptr<Chip>>& chips;
  std::vector<std::unique_ptr<ExactFabric>>& fabrics;

  void serialize(Archive& a) {
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
  static constexpr size_t kMostFaults = 1 << 16;
  static constexpr size_t kMostResponses = 1 << 20;
};

void Machine::save(Archive& archive) {
  take_up_changes();
  Saved saved{now_, target_, inputs_, run_, faults_, server_faults_, responses_, chips_, fabrics_};
  archive(saved);
}

// Into a second set of chips, so that a file that breaks off in the middle has changed nothing.
void Machine::load(Archive& archive, const std::function<void()>& check_end) {
  Cycle now = 0, target = 0;
  uint64_t inputs = 0, run = 0;
  std::vector<Fault> faults;
  FaultLog server_faults;
  std::vector<Message> responses;
  std::vector<std::unique_ptr<Chip>> chips;
  for (int i = 0; i < this->chips(); ++i) chips.push_back(make_chip(i, 0));
  std::vector<std::unique_ptr<ExactFabric>> fabrics;
  for (size_t i = 0; i < fabrics_.size(); ++i) fabrics.push_back(std::make_unique<ExactFabric>(options_.parameters, options_.observer));
  archive.chips = this->chips();
  Saved saved{now, target, inputs, run, faults, server_faults, responses, chips, fabrics};
  archive(saved);
  archive.require(now % window_ == 0, "the time is not the end of a window");
  check_end();
  for (auto& fabric : fabrics) fabric->resume(now);

  now_ = now;
  target_ = target;
  inputs_ = inputs;
  run_ = run;
  faults_ = std::move(faults);
  server_faults_ = std::move(server_faults);
  responses_ = std::move(responses);
  chips_ = std::move(chips);
  fabrics_ = std::move(fabrics);
  find_next_request();
  fault_seen_.store(true, std::memory_order_relaxed);  // look once whether some tile has any
  remark_seen_.store(true, std::memory_order_relaxed);
}

// --- the host's side -----------------------------------------------------------------------------------------------

// Every call below tells the sink what it is asked for, then what came of it; the device's own accesses to host memory
// come in between (HostPort).

void Machine::note(Input&& input) {
  ++inputs_;
  if (!sink_) return;
  input.cycle = now_;
  run_ = fold(run_, input);
  sink_->record(input);
}

Input Machine::host_access(Input::Kind kind, int chip, uint64_t address) const {
  return {.kind = kind, .chip = static_cast<uint8_t>(chip), .address = address};
}

std::optional<Fault> Machine::returned(int chip, std::optional<Fault> fault, std::span<const uint8_t> bytes) {
  Input result = host_access(Input::Kind::Returned, chip, 0);
  result.outcome = fault ? Input::Outcome::Refused : Input::Outcome::Done;
  if (sink_) result.hash = mix_bytes(0, bytes);
  note(std::move(result));
  return fault;
}

void Machine::config_write(int index, uint32_t offset, uint32_t value) {
  Input input = host_access(Input::Kind::ConfigWrite, index, offset);
  const std::span<const uint8_t> bytes = arch::as_uint8(value);
  if (sink_) input.bytes.assign(bytes.begin(), bytes.end());
  note(std::move(input));
  if (chip(index).function.config_write(offset, value)) reset_now(index);
}

std::optional<Fault> Machine::read(int index, Bar bar, uint64_t offset, std::span<uint8_t> out) {
  if (!sink_) return inputs_ += 2, chip(index).function.read(bar, offset, out);
  Input input = host_access(Input::Kind::Read, index, offset);
  input.bar = static_cast<uint8_t>(bar);
  input.length = static_cast<uint32_t>(out.size());
  note(std::move(input));
  return returned(index, chip(index).function.read(bar, offset, out), out);
}

std::optional<Fault> Machine::write(int index, Bar bar, uint64_t offset, std::span<const uint8_t> bytes) {
  if (!sink_) return inputs_ += 2, chip(index).function.write(bar, offset, bytes);
  Input input = host_access(Input::Kind::Write, index, offset);
  input.bar = static_cast<uint8_t>(bar);
  input.bytes.assign(bytes.begin(), bytes.end());
  note(std::move(input));
  return returned(index, chip(index).function.write(bar, offset, bytes), {});
}

std::optional<Fault> Machine::read_coordinate(int index, uint32_t x, uint32_t y, uint64_t address,
                                              std::span<uint8_t> out) {
  Input input = host_access(Input::Kind::TileRead, index, address);
  input.x = static_cast<uint16_t>(std::min(x, 0xFFFFu));
  input.y = static_cast<uint16_t>(std::min(y, 0xFFFFu));
  input.length = static_cast<uint32_t>(out.size());
  note(std::move(input));
  return returned(index, chip(index).read_coordinate(x, y, address, out), out);
}

std::optional<Fault> Machine::write_coordinate(int index, uint32_t x, uint32_t y, uint64_t address,
                                               std::span<const uint8_t> bytes) {
  Input input = host_access(Input::Kind::TileWrite, index, address);
  input.x = static_cast<uint16_t>(std::min(x, 0xFFFFu));
  input.y = static_cast<uint16_t>(std::min(y, 0xFFFFu));
  if (sink_) input.bytes.assign(bytes.begin(), bytes.end());
  note(std::move(input));
  return returned(index, chip(index).write_coordinate(x, y, address, bytes), {});
}

void Machine::reset(int index) {
  note(host_access(Input::Kind::Reset, index, 0));
  reset_now(index);
}

void Machine::reset_now(int index) {
  chips_[static_cast<size_t>(index)] = make_chip(index, now_);
  if (!fabrics_.empty()) fabrics_[static_cast<size_t>(index)] = std::make_unique<ExactFabric>(options_.parameters, options_.observer);
  find_next_request();
  faults_.clear();
}

}  // namespace kerr::emu
