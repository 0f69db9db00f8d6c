#include "hang/recurrence.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

#include "emu/riscv/evaluate.hpp"
#include "hang/change.hpp"

namespace kerr::hang {

namespace {

using isa::riscv::Instruction;
using isa::riscv::Op;

constexpr int kMostTries = 24;  // until what is assumed holds

// All that the harts of a run write.
struct State {
  std::vector<std::array<Changing, 32>> x;  // of each hart
  std::map<WordAt, Changing> words;         // that the round writes
};

class Round {
 public:
  Round(const GoingOn& run, size_t begin, size_t end, uint64_t& budget)
      : run_(run), begin_(begin), end_(end), budget_(budget) {}

  Recurrence look() {
    Recurrence out{.begin = begin_, .end = end_};
    if (!spend(end_)) return out;
    out.is_in = goes_round_already();
    State first = differences();
    State last;
    // What does not change as assumed changes anyhow, until the assumption holds.
    bool holds = false;
    for (int tries = 0; !holds && tries < kMostTries; ++tries) {
      if (!spend(end_ - begin_) || !go_round(first, last)) return out;
      holds = !give_up_what_differs(first, last);
    }
    if (!holds) return out;
    // Whatever it begins with, it ends with less; and so it begins with no more than that and the first.
    if (narrow(first, last)) {
      if (!go_round(first, last) || give_up_what_differs(first, last)) return out;
    }
    if (undecided_ || changes_code(first)) return out;
    out.kind = until_ == kAlways ? Recurrence::Kind::ForEver : Recurrence::Kind::Ends;
    out.rounds = until_;
    out.deciding = deciding_;
    if (out.kind == Recurrence::Kind::ForEver) list_counters(first, out);
    return out;
  }

 private:
  static constexpr uint64_t kAlways = std::numeric_limits<uint64_t>::max();

  // Otherwise it is on its way there, and what it does on that way may be what somebody waits for.
  bool goes_round_already() const {
    const auto place = [](const Executed& step) { return uint64_t{step.who} << 32 | step.pc; };
    const auto word = [](const Executed& step) { return uint64_t{step.at.of} << 32 | step.at.address; };
    std::unordered_set<uint64_t> places, words;
    for (size_t s = begin_; s < end_; ++s) {
      const Executed& step = run_.steps()[s];
      places.insert(place(step));
      if (step.stores) words.insert(word(step));
    }
    return std::all_of(run_.steps().begin(), run_.steps().begin() + static_cast<ptrdiff_t>(begin_),
                       [&](const Executed& step) {
                         return places.contains(place(step)) && (!step.stores || words.contains(word(step)));
                       });
  }

  // Of an instruction that is another one in the next round this one says nothing.
  bool changes_code(const State& first) const {
    return std::any_of(run_.steps().begin() + static_cast<ptrdiff_t>(begin_),
                       run_.steps().begin() + static_cast<ptrdiff_t>(end_), [&](const Executed& step) {
                         const auto word = first.words.find({WordAt::kL1, step.pc});
                         return word != first.words.end() && !word->second.change.is_none();
                       });
  }

  bool spend(size_t steps) {
    if (budget_ < steps) return false;
    budget_ -= steps;
    return true;
  }

  // The state where the round begins, with what it is short of that where it ends.
  State differences() const {
    State state;
    std::vector<std::array<uint32_t, 32>> x, then;
    for (const GoingOn::HartAt& hart : run_.first()) x.push_back(hart.x);
    for (size_t s = 0; s < begin_; ++s) follow(run_.steps()[s], x);
    then = x;
    for (size_t s = begin_; s < end_; ++s) {
      const Executed& step = run_.steps()[s];
      follow(step, then);
      if (!step.stores) continue;
      Changing& word = state.words.try_emplace(step.at, Changing{step.before, {}}).first->second;
      word.change = Change::every(step.after - word.now);
    }
    state.x.resize(x.size());
    for (size_t h = 0; h < x.size(); ++h)
      for (size_t r = 0; r < 32; ++r) state.x[h][r] = {x[h][r], Change::every(then[h][r] - x[h][r])};
    return state;
  }
  static void follow(const Executed& step, std::vector<std::array<uint32_t, 32>>& x) {
    if (step.instruction.rd != 0) x[step.who][step.instruction.rd] = step.result;
  }

  // False: an address or the target of a jump may differ, or nothing can be said of an instruction.
  bool go_round(const State& first, State& last) {
    last = first;
    until_ = kAlways;
    undecided_ = false;
    for (size_t s = begin_; s < end_; ++s) {
      const Executed& step = run_.steps()[s];
      const Instruction& i = step.instruction;
      std::array<Changing, 32>& x = last.x[step.who];
      const Changing a = x[i.rs1], b = x[i.rs2];
      const uint64_t until = until_;
      Change result = Change::none();
      switch (isa::riscv::row(i.op).kind) {
        case isa::riscv::Kind::Branch: decide(compare(i, a, b)); break;
        case isa::riscv::Kind::Jump:
          if (i.op == Op::Jalr && !a.change.is_none()) return false;
          break;
        case isa::riscv::Kind::Load:
          if (!a.change.is_none()) return false;
          if (!step.fixed) result = loaded(i, word(last, step));
          break;
        case isa::riscv::Kind::Store:
          if (!a.change.is_none()) return false;
          store(last, step, i.op == Op::Sw ? b.change : part(last, step, b));
          break;
        case isa::riscv::Kind::Amo: {
          if (!a.change.is_none()) return false;
          result = word(last, step);
          Instruction add{.op = Op::Add};
          store(last, step, i.op == Op::AmoswapW ? b.change : change_of(add, {step.before, result}, b, until_));
          break;
        }
        case isa::riscv::Kind::Fence: break;
        default: result = change_of(i, a, b, until_); break;
      }
      if (until_ < until) deciding_ = s;
      if (i.rd != 0) x[i.rd] = {step.result, result};
    }
    return true;
  }
  static Change word(const State& state, const Executed& step) {
    const auto found = state.words.find(step.at);
    return found == state.words.end() ? Change::none() : found->second.change;
  }
  // A byte or two of a word are stored.
  static Change part(const State& state, const Executed& step, const Changing& value) {
    return value.change.is_none() && word(state, step).is_none() ? Change::none() : Change::any();
  }
  static void store(State& state, const Executed& step, const Change& change) {
    state.words[step.at] = {step.after, change};
  }
  void decide(const Comparison& comparison) {
    if (comparison.kind == Comparison::Kind::Unknown) undecided_ = true;
    if (comparison.kind == Comparison::Kind::Until) until_ = std::min(until_, comparison.rounds);
  }

  // Whether there was any.
  static bool give_up_what_differs(State& first, const State& last) {
    bool any = false;
    const auto compare = [&](Changing& assumed, const Changing& actual) {
      if (covers(assumed, actual)) return;
      assumed.change = Change::any();
      any = true;
    };
    for (size_t h = 0; h < first.x.size(); ++h)
      for (size_t r = 0; r < 32; ++r) compare(first.x[h][r], last.x[h][r]);
    for (auto& [at, value] : first.words) compare(value, last.words.at(at));
    return any;
  }
  static bool narrow(State& first, const State& last) {
    bool any = false;
    const auto narrow_one = [&](Changing& begin, const Changing& end) {
      if (begin.change.even) return;
      begin.change = Change::within(std::min(begin.now, end.least()), std::max(begin.now, end.most()));
      any = true;
    };
    for (size_t h = 0; h < first.x.size(); ++h)
      for (size_t r = 0; r < 32; ++r) narrow_one(first.x[h][r], last.x[h][r]);
    for (auto& [at, value] : first.words) narrow_one(value, last.words.at(at));
    return any;
  }

  void list_counters(const State& first, Recurrence& out) const {
    // Of registers those that the round reads before it writes them.
    std::vector<uint32_t> written(first.x.size()), read(first.x.size());
    for (size_t s = begin_; s < end_; ++s) {
      const Executed& step = run_.steps()[s];
      const uint32_t reads = 1u << step.instruction.rs1 | 1u << step.instruction.rs2;
      read[step.who] |= reads & ~written[step.who];
      written[step.who] |= 1u << step.instruction.rd;
    }
    for (size_t h = 0; h < first.x.size(); ++h) {
      for (uint8_t r = 1; r < 32; ++r) {
        const Change& change = first.x[h][r].change;
        if (change.is_none() || (read[h] >> r & 1) == 0) continue;
        out.counters.push_back({true, static_cast<uint8_t>(h), r, {}, change.even, change.by});
      }
    }
    for (const auto& [at, value] : first.words)
      if (!value.change.is_none()) out.counters.push_back({false, at.of, 0, at, value.change.even, value.change.by});
  }

  const GoingOn& run_;
  const size_t begin_, end_;
  uint64_t& budget_;
  uint64_t until_ = kAlways;
  size_t deciding_ = 0;
  bool undecided_ = false;
};

}  // namespace

Recurrence recurrence(const GoingOn& run, size_t begin, size_t end, uint64_t& budget) {
  return Round(run, begin, end, budget).look();
}

Recurrence recurrence_of_one(const GoingOn& run, uint64_t& budget) {
  constexpr size_t kMostHeads = 12;
  // What a loop does may alternate.
  constexpr size_t kTurns[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64};
  const std::vector<Executed>& steps = run.steps();
  // Where the hart has jumped back to, those first to which it came least often: of the outermost loops.
  std::map<uint32_t, std::vector<size_t>> visits;
  for (size_t s = 1; s < steps.size(); ++s)
    if (steps[s].pc <= steps[s - 1].pc) visits[steps[s].pc].push_back(s);
  std::vector<const std::vector<size_t>*> heads;
  for (const auto& [pc, at] : visits)
    if (at.size() > 1) heads.push_back(&at);
  std::ranges::stable_sort(heads, {}, [](const auto* at) { return at->size(); });
  if (heads.size() > kMostHeads) heads.resize(kMostHeads);
  Recurrence best;
  const auto takes = [](const Recurrence& r) {
    if (r.kind == Recurrence::Kind::Unknown) return 0.0;
    return (r.is_in ? 1e30 : 1.0) * static_cast<double>(r.rounds) * static_cast<double>(r.end - r.begin);
  };
  for (const size_t turns : kTurns) {
    for (const std::vector<size_t>* at : heads) {
      if (at->size() <= turns) continue;
      for (const size_t first : {size_t{0}, at->size() - 1 - turns}) {
        const Recurrence found = recurrence(run, (*at)[first], (*at)[first + turns], budget);
        if (found.kind == Recurrence::Kind::ForEver && found.is_in) return found;
        if (takes(found) > takes(best)) best = found;
      }
    }
  }
  return best;
}

}  // namespace kerr::hang
