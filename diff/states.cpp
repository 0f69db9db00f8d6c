#include "diff/states.hpp"

#include <algorithm>
#include <memory>

#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::diff {

namespace {

/// One of the two runs, at some cycle of it.
class Run {
 public:
  Run(const std::string& log, const emu::LogInfo& info, int threads) : log_(log), threads_(threads) {
    emu::Options options = info.machine.options();
    options.shards = threads;
    machine_ = std::make_unique<emu::Machine>(options);
    replay();
  }

  emu::Machine& machine() { return *machine_; }
  void go_to(emu::Cycle cycle) { replay_->run(cycle); }
  std::vector<uint8_t> snapshot() { return emu::save_snapshot(*machine_, threads_); }
  /// Nothing: power-on.
  void restore(const std::vector<uint8_t>& snapshot) {
    replay_.reset();
    if (snapshot.empty()) {
      machine_ = std::make_unique<emu::Machine>(machine_->options());
    } else {
      emu::load_snapshot(*machine_, snapshot, threads_);
    }
    replay();
  }

 private:
  void replay() { replay_ = std::make_unique<emu::Replay>(*machine_, log_, emu::is_unfinished_log(log_)); }

  const std::string log_;
  const int threads_;
  std::unique_ptr<emu::Machine> machine_;
  std::unique_ptr<emu::Replay> replay_;
};

// The first run of bytes that differ; runs that are closer than a word are one.
std::optional<OtherBytes> other_bytes(emu::TileId id, emu::Tile& a, emu::Tile& b) {
  const uint8_t* const x = a.l1().data();
  const uint8_t* const y = b.l1().data();
  const uint32_t size = emu::l1_bytes(id);
  const auto [at, other] = std::mismatch(x, x + size, y);
  if (at == x + size) return std::nullopt;
  const auto first = static_cast<uint32_t>(at - x);
  uint32_t end = first + 1;
  for (uint32_t i = end; i < size && i < end + 4; ++i)
    if (x[i] != y[i]) end = i + 1;
  const uint32_t shown = std::min(end - first, 8u);
  return OtherBytes{id, first, end - first, {x + first, x + first + shown}, {y + first, y + first + shown}};
}

void look_at_tiles(emu::Machine& a, emu::Machine& b, States& out) {
  for (int chip = 0; chip < std::min(a.chips(), b.chips()); ++chip) {
    for (const uint8_t node : a.chip(chip).tiles.nodes()) {
      const emu::TileId id{static_cast<uint8_t>(chip), node};
      emu::Tile* const x = a.chip(chip).tiles.find(node);
      emu::Tile* const y = b.chip(chip).tiles.find(node);
      if (y == nullptr) {
        out.other_tiles.push_back(id);
      } else if (auto bytes = other_bytes(id, *x, *y)) {
        out.bytes.push_back(std::move(*bytes));
      } else if (emu::hash_of(*x) != emu::hash_of(*y)) {
        out.other_tiles.push_back(id);
      }
    }
  }
}

}  // namespace

States compare_states(const std::string& a, const std::string& b, const Inputs& inputs, int threads) {
  Run runs[2] = {{a, inputs.of[0], threads}, {b, inputs.of[1], threads}};
  const auto equal = [&] { return runs[0].machine().state_hash() == runs[1].machine().state_hash(); };
  const auto go_to = [&](emu::Cycle cycle) {
    for (Run& run : runs) run.go_to(cycle);
  };
  States out;
  const emu::Cycle end = std::max(inputs.end[0], inputs.end[1]) + 1;
  const emu::Cycle window = std::max<emu::Cycle>(1, inputs.of[0].machine.window_cycles);
  const emu::Cycle stretch = std::max<emu::Cycle>(window, end / 8 / window * window);

  const auto keep = [&](emu::Cycle cycle) {
    out.equal_until = cycle;
    for (const int i : {0, 1}) out.snapshots[i] = runs[i].snapshot();
  };
  emu::Cycle differ = 0;
  for (emu::Cycle at = stretch;; at += stretch) {
    go_to(std::min(at, end));
    if (!equal()) {
      differ = std::min(at, end);
      break;
    }
    if (at >= end) return out.equal_until = end, out;
    keep(at);
  }
  while (differ - out.equal_until > window) {
    const emu::Cycle middle = out.equal_until + std::max(window, (differ - out.equal_until) / 2 / window * window);
    if (middle >= differ) break;
    for (const int i : {0, 1}) runs[i].restore(out.snapshots[i]);
    go_to(middle);
    if (equal()) {
      keep(middle);
    } else {
      differ = middle;
    }
  }
  for (const int i : {0, 1}) runs[i].restore(out.snapshots[i]);
  go_to(differ);
  out.differ_at = differ;
  look_at_tiles(runs[0].machine(), runs[1].machine(), out);
  return out;
}

}  // namespace kerr::diff
