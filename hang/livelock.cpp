#include "hang/livelock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "arch/stream_registers.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "hang/scene.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::hang {

namespace {

using isa::riscv::Op;

constexpr size_t kFewSteps = 1 << 8, kMostSteps = 1 << 17;  // that a hart is followed
constexpr size_t kMostJointSteps = 1 << 18;                 // that several are
constexpr uint32_t kQuantum = emu::kQuantumCycles;
constexpr uint64_t kBudget = 1 << 26;  // steps looked at, of all harts of the machine

// What harts that go round together do to L1.
struct Sets {
  std::set<uint32_t> read, written, changed;  // words
};

Sets sets_of(const GoingOn& run, const Recurrence& found) {
  Sets sets;
  for (size_t s = 0; s < found.end; ++s) {
    const Executed& step = run.steps()[s];
    sets.read.insert(step.pc);
    if (step.fixed || step.at.of != WordAt::kL1) continue;
    if (step.loads) sets.read.insert(step.at.address);
    if (step.stores) sets.written.insert(step.at.address);
    if (step.before != step.after) sets.changed.insert(step.at.address);
  }
  for (const Recurrence::Counter& counter : found.counters)
    if (!counter.is_register && counter.word.of == WordAt::kL1) sets.changed.insert(counter.word.address);
  return sets;
}

// Whether one finds other words than if it were alone.
bool disturbs(const Sets& writer, const Sets& reader) {
  return std::ranges::any_of(writer.written, [&](uint32_t word) {
    return reader.read.contains(word) && (writer.changed.contains(word) || reader.changed.contains(word));
  });
}

// Harts of a tile that are followed together.
struct Followed {
  std::vector<arch::Hart> harts;  // ascending
  std::unique_ptr<GoingOn> run{};
  Recurrence found{};
  Sets sets{};
  std::string why{};
  bool is_known() const { return found.kind != Recurrence::Kind::Unknown; }
};

class TileLoops {
 public:
  TileLoops(emu::Tile& tile, const emu::Options& options, uint64_t& budget)
      : tile_(tile), exact_(options.exact()), observed_(options.observer != nullptr), budget_(budget) {
    l1_ = tile.view().l1;
    for (size_t h = 0; h < arch::kHarts; ++h)
      if (hart(h).state().running()) groups_.push_back({.harts = {static_cast<arch::Hart>(h)}});
    for (Followed& group : groups_) follow(group);
    while (join()) {
    }
    for (Followed& group : groups_) {
      if (!group.is_known()) continue;
      if (!group.found.is_in) give_up(group, "it is about to leave its loop");
      if (wakes_thread(group)) give_up(group, "a thread of the coprocessor waits for what it writes");
    }
  }

  std::vector<Spin> spins() const {
    std::vector<Spin> out;
    for (const Followed& group : groups_)
      for (size_t who = 0; who < group.harts.size(); ++who) out.push_back(spin_of(group, who));
    return out;
  }

 private:
  const emu::Hart& hart(size_t h) const { return tile_.hart(static_cast<arch::Hart>(h)); }
  const emu::Hart& hart(arch::Hart h) const { return tile_.hart(h); }

  static void give_up(Followed& group, std::string why) {
    group.found.kind = Recurrence::Kind::Unknown;
    group.why = std::move(why);
  }

  GoingOn::Tile memory() const {
    return {.l1_bytes = static_cast<uint32_t>(l1_.size()),
            .load = [this](arch::Hart h, uint32_t address, uint32_t bytes) -> std::optional<uint32_t> {
              const emu::HartState& state = hart(h).state();
              const uint8_t* const memory = address < l1_.size()        ? l1_.data() + address
                                            : state.is_private(address) ? state.at_private(address)
                                                                        : nullptr;
              if (memory != nullptr) {
                uint32_t value = 0;
                std::memcpy(&value, memory, bytes);
                return value;
              }
              // A register that changes by a load, or by the time, has no such mask.
              const emu::WaitMask watch = tile_.watch_of(h, address);
              if (watch == 0 || (watch & emu::wait::kTime) != 0) return std::nullopt;
              // An observer would be told of a load that nobody has made.
              if (observed_ && address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride) return std::nullopt;
              return peek(tile_, h, address, bytes);
            },
            .is_local = [this](arch::Hart h, uint32_t address) { return hart(h).state().is_private(address); }};
  }

  void follow(Followed& group) {
    std::vector<GoingOn::HartAt> harts;
    for (const arch::Hart h : group.harts) {
      if (hart(h).debug_unit() != nullptr) return give_up(group, "a debugger has used its debug registers");
      harts.push_back({h, hart(h).state().pc, hart(h).state().x});
    }
    group.run = std::make_unique<GoingOn>(memory(), std::move(harts));
    group.harts.size() == 1 ? follow_one(group) : follow_together(group);
    if (group.is_known()) group.sets = sets_of(*group.run, group.found);
  }

  // One hart that is alone goes round whatever the time.
  void follow_one(Followed& group) {
    for (size_t steps = kFewSteps; steps <= kMostSteps && budget_ > 0; steps *= 8) {
      if (!group.run->run(0, steps - group.run->steps().size())) {
        if (!group.is_known()) give_up(group, group.run->obstacle());
        return;
      }
      budget_ -= std::min<uint64_t>(budget_, steps);
      const Recurrence found = recurrence_of_one(*group.run, budget_);
      // A loop that ends may be within another one.
      if (found.kind != Recurrence::Kind::Unknown && (found.is_in || !group.found.is_in)) group.found = found;
      if (found.kind == Recurrence::Kind::ForEver && found.is_in) return;
    }
    if (!group.is_known()) group.why = "no round was found that repeats";
  }

  // As relaxed timing runs them: a quantum of each, in their order.
  void follow_together(Followed& group) {
    if (exact_) return give_up(group, "another hart writes what it reads, and in exact timing that is not followed");
    GoingOn& run = *group.run;
    std::map<std::vector<uint32_t>, std::vector<size_t>> seen;  // steps, when the harts stood there
    while (run.steps().size() < kMostJointSteps && budget_ > 0) {
      std::vector<uint32_t> pcs;
      for (const GoingOn::HartAt& at : run.harts()) pcs.push_back(at.pc);
      std::vector<size_t>& before = seen[pcs];
      const size_t now = run.steps().size();
      // The longer it has gone without, the rarer it is tried.
      const size_t times = before.size();
      if (times > 0 && (times <= 8 || (times & (times - 1)) == 0 || (times % 12 == 0 && times <= 96))) {
        for (const size_t begin : {before.back(), before.front()}) {
          const Recurrence found = recurrence(run, begin, now, budget_);
          if (found.kind != Recurrence::Kind::ForEver || !found.is_in) continue;
          group.found = found;
          return;
        }
      }
      before.push_back(now);
      for (size_t who = 0; who < group.harts.size(); ++who)
        if (!run.run(who, kQuantum)) return give_up(group, run.obstacle());
    }
    give_up(group, "another hart writes what it reads, and no round was found that repeats");
  }

  // Takes together what is not independent. False: all is.
  bool join() {
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].is_known()) continue;
      for (size_t other = 0; other < groups_.size(); ++other) {
        if (g == other || !groups_[other].is_known() || !disturbs(groups_[g].sets, groups_[other].sets)) continue;
        for (const arch::Hart h : groups_[other].harts) groups_[g].harts.push_back(h);
        std::ranges::sort(groups_[g].harts);
        anew(groups_[g]);
        groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(other));
        return true;
      }
      if (const auto woken = parked_reader(groups_[g])) {
        groups_[g].harts.insert(std::ranges::lower_bound(groups_[g].harts, *woken), *woken);
        anew(groups_[g]);
        return true;
      }
    }
    return false;
  }
  void anew(Followed& group) {
    group.found = {};
    group.why.clear();
    // Those that were brought to the present have its time; the others would have to be waited for.
    const bool at_once =
        std::ranges::all_of(group.harts, [&](arch::Hart h) { return hart(h).state().cycle == tile_.time(); });
    if (!at_once && !exact_) return give_up(group, "another hart writes what it reads, and they do not run in step");
    follow(group);
  }

  std::optional<arch::Hart> parked_reader(const Followed& group) const {
    for (size_t h = 0; h < arch::kHarts; ++h) {
      if (!hart(h).state().parked() || std::ranges::find(group.harts, static_cast<arch::Hart>(h)) != group.harts.end())
        continue;
      for (const uint32_t word : group.sets.changed) {
        const uint32_t line = word / emu::L1::kLineBytes;
        if ((hart(h).reads(line) & emu::L1::bytes_of_line(line, word, 4)) != 0) return static_cast<arch::Hart>(h);
      }
    }
    return std::nullopt;
  }

  bool wakes_thread(const Followed& group) const {
    for (int thread = 0; thread < emu::kThreads; ++thread)
      for (const uint32_t word : group.sets.changed)
        if (tile_.coprocessor().waits_for_line(thread, word / emu::L1::kLineBytes)) return true;
    return false;
  }

  Spin spin_of(const Followed& group, size_t who) const {
    Spin spin{.tile = tile_.id(), .hart = group.harts[who], .kind = group.found.kind, .why = group.why};
    for (const arch::Hart h : group.harts)
      if (h != spin.hart) spin.with.push_back(h);
    if (!group.is_known()) return spin;
    const std::vector<Executed>& steps = group.run->steps();
    spin.pc = group.run->first()[who].pc;
    spin.x = group.run->first()[who].x;
    std::set<uint32_t> pcs, read, written;
    for (size_t s = 0; s < group.found.end; ++s) {
      const Executed& step = steps[s];
      if (step.who != who) continue;
      if (step.stores && step.at.of == WordAt::kL1) written.insert(step.at.address);
      if (s < group.found.begin) {
        if (step.instruction.rd != 0) spin.x[step.instruction.rd] = step.result;
        continue;
      }
      if (spin.steps++ == 0) spin.pc = step.pc;
      pcs.insert(step.pc);
      if (step.loads && !step.fixed && step.at.of == WordAt::kL1) read.insert(step.at.address);
    }
    spin.pcs.assign(pcs.begin(), pcs.end());
    spin.read.assign(read.begin(), read.end());
    spin.written.assign(written.begin(), written.end());
    for (const Recurrence::Counter& counter : group.found.counters)
      if (!counter.is_register || counter.who == who) spin.counters.push_back(text_of(counter));
    spin.not_parked = what_keeps(group, who);
    if (spin.kind == Recurrence::Kind::Ends) {
      const Executed& step = steps[group.found.deciding];
      spin.rounds = group.found.rounds;
      spin.deciding_pc = step.pc;
      spin.deciding = ending(step);
      const size_t behind = group.found.deciding + 1;
      const uint32_t next = steps[behind < group.found.end ? behind : group.found.begin].pc;
      const uint32_t target = step.pc + static_cast<uint32_t>(step.instruction.imm);
      spin.leaves = isa::riscv::row(step.instruction.op).kind == isa::riscv::Kind::Branch &&
                    !std::ranges::binary_search(spin.pcs, next == target ? step.pc + 4 : target);
    }
    return spin;
  }

  static std::string name(uint8_t reg) { return std::string(isa::name(isa::Reg{reg})); }
  static std::string number(uint32_t v) { return v < 0x10000 ? fmt::format("{}", v) : fmt::format("{:#x}", v); }
  // What a comparison will find that it does not find yet.
  static std::string ending(const Executed& step) {
    const isa::riscv::Instruction& i = step.instruction;
    const bool is_immediate = i.op == Op::Slti || i.op == Op::Sltiu;
    const uint32_t b = is_immediate ? static_cast<uint32_t>(i.imm) : step.b;
    const bool equality = i.op == Op::Beq || i.op == Op::Bne;
    const bool is_signed = i.op == Op::Blt || i.op == Op::Bge || i.op == Op::Slt || i.op == Op::Slti;
    const bool is_less = is_signed ? static_cast<int32_t>(step.a) < static_cast<int32_t>(b) : step.a < b;
    const char* const relation = equality ? (step.a == b ? "is not" : "=") : is_less ? ">=" : "<";
    const std::string right = is_immediate || i.rs2 == 0 ? number(b) : fmt::format("{} ({})", name(i.rs2), number(b));
    return fmt::format("{} ({}) {} {}", name(i.rs1), number(step.a), relation, right);
  }
  static std::string text_of(const Recurrence::Counter& counter) {
    std::string out = counter.is_register              ? name(counter.reg)
                      : counter.word.of == WordAt::kL1 ? fmt::format("L1 {:#x}", counter.word.address)
                                                       : fmt::format("local {:#x}", counter.word.address);
    if (!counter.even) return out;
    return out + fmt::format(" ({:+})", static_cast<int32_t>(counter.by));
  }

  std::string what_keeps(const Followed& group, size_t who) const {
    constexpr uint64_t kLongestTurn = emu::PollWatch::kLongestTurn;
    uint64_t count = 0;
    for (size_t s = group.found.begin; s < group.found.end; ++s) {
      const Executed& step = group.run->steps()[s];
      if (step.who != who) continue;
      ++count;
      if (step.stores && step.at.of == WordAt::kL1) return fmt::format("it stores to L1 {:#x}", step.at.address);
    }
    for (const Recurrence::Counter& counter : group.found.counters)
      if (counter.is_register ? counter.who == who : counter.word.of == who) return "it counts in " + text_of(counter);
    if (count > kLongestTurn) return fmt::format("a turn is longer than {} instructions", kLongestTurn);
    return {};
  }

  emu::Tile& tile_;
  const bool exact_, observed_;
  uint64_t& budget_;
  std::span<const uint8_t> l1_;
  std::vector<Followed> groups_;
};

}  // namespace

Livelock::Livelock(emu::Machine& machine, bool host_acts) : budget_(kBudget) {
  const bool others = machine.next_event_beside_running() != emu::kNever;
  if (host_acts) beside_ = "something of the host's is under way to the device";
  if (others) beside_ = "packets are under way, a thread of the coprocessor works, or a hart waits for a time";
  if (machine.options().icache != emu::InstructionCaching::Coherent)
    beside_ = "harts may execute what they fetched once";
  for (int c = 0; c < machine.chips(); ++c) {
    emu::TileTable& tiles = machine.chip(c).tiles;
    for (const uint8_t node : tiles.nodes()) look_at(tiles.at_present(node), machine.options());
  }
  proved_ = !spins_.empty() && beside_.empty() &&
            std::ranges::all_of(spins_, [](const Spin& s) { return s.kind == Recurrence::Kind::ForEver; });
}

void Livelock::look_at(emu::Tile& tile, const emu::Options& options) {
  bool runs = false;
  for (size_t h = 0; h < arch::kHarts; ++h) runs = runs || tile.hart(static_cast<arch::Hart>(h)).state().running();
  if (!runs) return;
  tile.counters();  // parked harts are brought to the present
  std::ranges::move(TileLoops(tile, options, budget_).spins(), std::back_inserter(spins_));
}

const Spin* Livelock::find(emu::TileId tile, arch::Hart hart) const {
  const auto found = std::ranges::find_if(spins_, [&](const Spin& s) { return s.tile == tile && s.hart == hart; });
  return found == spins_.end() ? nullptr : &*found;
}

}  // namespace kerr::hang
