#include "loops/scalar/hoist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "loops/scalar/move.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/places.hpp"
#include "loops/scalar/reductions.hpp"
#include "loops/scalar/work.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kMostPasses = 8;               // loops of what was moved may be moved again
constexpr uint64_t kMostTableBytes = 128 * 1024;  // of a hart's memory
constexpr uint64_t kMostRegisters = 224 * 1024;   // of the program's own and these
constexpr double kInstructionsOfAHart = 20'000, kHarts = 236;
constexpr double kHartsAtOnce = 16;  // so much is all work worth beside the time of the slowest hart
constexpr double kMostTurns = 1e12;

class Pass {
 public:
  Pass(const Program& program, std::span<const uint32_t> object, std::vector<std::string>& remarks)
      : program_(program), places_(program, object), nest_(find_nest(program)), remarks_(remarks) {
    for (const Register& reg : program.registers) {
      registers_ += reg.bytes();
      if (reg.settled) tables_ += reg.bytes();
    }
  }

  std::vector<Move> moves() {
    std::vector<Move> out;
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      if (program_.body[at].verb != Verb::Loop || places_.block(at) == kNowhere) continue;
      std::optional<Reduction> reduction = find_reduction(places_, at);
      if (!reduction) continue;
      std::optional<Move> move = choose(*reduction);
      if (!move) continue;
      remark(*move);
      at = move->what.end;
      out.push_back(std::move(*move));
    }
    return out;
  }

  const Places& places() const { return places_; }

 private:
  Places::Turns turns(uint32_t at) const { return places_.turns(program_.body[at].operands[0]); }
  double likely_turns(uint32_t at) const {
    const Places::Turns known = turns(at);
    if (!known.known) return known.condition ? 1 : 16;
    return std::min(static_cast<double>(known.most), kMostTurns);
  }

  // All lines from one to another, once.
  double work(uint32_t from, uint32_t to) const {
    return instructions_of(program_, from, to, [this](uint32_t at) { return likely_turns(at); });
  }

  // The cost of a launch: each hart does what is before the nest, and its part of the nest. That is time on a chip; for
  // the emulator all harts together count.
  static double price(double before, double nest, double iterations) {
    before = std::max(before, 0.0);
    nest = std::max(nest, 0.0);
    const double harts =
        std::clamp((before + nest) / (kInstructionsOfAHart + before), 1.0, std::clamp(iterations, 1.0, kHarts));
    return before + nest / harts + (before * harts + nest) / kHartsAtOnce;
  }

  double iterations(size_t loops) const {
    double out = 1;
    for (size_t k = 0; k < loops; ++k) out *= likely_turns(nest_.loops[k]);
    return out;
  }

  // The place with the lowest price, if that is less than it is now.
  std::optional<Move> choose(const Reduction& reduction) {
    const std::vector<uint32_t>& chain = reduction.chain;
    for (uint32_t at : chain)
      if (turns(at).never()) return std::nullopt;
    const auto uses = [&](size_t k) { return (reduction.need.uses >> k & 1) != 0; };
    // Before the first loop that it does not use, or behind the last that it uses.
    size_t outermost = reduction.need.place, innermost = chain.size();
    while (outermost < chain.size() && uses(outermost)) ++outermost;
    if (outermost == chain.size()) return std::nullopt;
    while (innermost > outermost && !uses(innermost - 1)) --innermost;
    std::vector<size_t> candidates{outermost};
    if (innermost != outermost && innermost != chain.size()) candidates.push_back(innermost);
    const bool in_nest = !nest_.loops.empty() && nest_.loops.front() == chain.front();
    if (in_nest && outermost != 0 && reduction.need.place == 0) candidates.push_back(0);

    if (total_ < 0) {
      total_ = work(0, static_cast<uint32_t>(program_.body.size()));
      const bool one = nest_.loops.empty();
      before_ = one ? total_ : total_ - work(nest_.loops.front(), program_.body[nest_.loops.front()].partner + 1);
    }
    const double once = work(reduction.begin, reduction.end + 1);
    double times = 1;
    for (uint32_t at : chain) times *= likely_turns(at);
    const double nest = total_ - before_;
    double best = price(before_, nest, iterations(nest_.loops.size())) * 0.98;
    std::optional<Move> out;
    for (size_t place : candidates) {
      std::optional<Move> move = to(reduction, place);
      if (!move) continue;
      double again = once;
      for (size_t k = 0; k < place; ++k) again *= likely_turns(chain[k]);
      for (uint64_t most : move->most) again *= static_cast<double>(most);
      again += static_cast<double>(table_bytes(*move)) / 2;  // zeros
      const double here = (move->over.empty() ? 2 : 8) * static_cast<double>(reduction.inits.size());
      const double saved = times * (once - here);
      double now = 0;
      if (!in_nest) {
        now = price(before_ - saved + again, nest, iterations(nest_.loops.size()));
      } else if (place == 0) {
        now = price(before_ + again, nest - saved, iterations(nest_.loops.size()));
      } else {
        now = price(before_, nest - saved + again, iterations(std::min(place, nest_.loops.size())));
      }
      if (now >= best) continue;
      best = now;
      out = std::move(move);
    }
    if (out) {
      registers_ += table_bytes(*out);
      tables_ += table_bytes(*out);
    }
    return out;
  }

  uint64_t table_bytes(const Move& move) const {
    if (move.over.empty()) return 0;
    uint64_t count = 1, bytes = 0;
    for (uint64_t most : move.most) count *= most;
    for (uint32_t init : move.what.inits) bytes += (count * info(program_.body[init].type.type).bytes + 7) & ~7ull;
    return bytes;
  }

  std::optional<Move> to(const Reduction& reduction, size_t place) const {
    const std::vector<uint32_t>& chain = reduction.chain;
    Move out{reduction, static_cast<uint32_t>(place), {}, {}, {}};
    Needs needs(places_, reduction.chain);
    uint64_t count = 1;
    for (size_t k = place; k < chain.size(); ++k) {
      const Places::Turns turns = this->turns(chain[k]);
      if ((reduction.need.uses >> k & 1) != 0) {
        if (turns.most == 0 || turns.most > kMostTableBytes || count * turns.most > kMostTableBytes)
          return std::nullopt;
        count *= turns.most;
        out.over.push_back(static_cast<uint32_t>(k));
        out.most.push_back(turns.most);
      } else if (!turns.surely) {
        const std::optional<Needs::Need> need = needs.of(program_.body[chain[k]].operands[0]);
        if (!need || need->place > place || need->uses >> place != 0) return std::nullopt;
        out.guards.push_back(static_cast<uint32_t>(k));
      }
    }
    const uint64_t bytes = table_bytes(out);
    if (bytes != 0 && (tables_ + bytes > kMostTableBytes || registers_ + bytes > kMostRegisters)) return std::nullopt;
    return out;
  }

  void remark(const Move& move) {
    std::string text =
        fmt::format("the loop of line {} comes before that of line {}", program_.body[move.what.begin].line,
                    program_.body[move.what.chain[move.place]].line);
    for (size_t k = 0; k < move.over.size(); ++k) {
      const uint32_t value = program_.body[move.what.chain[move.over[k]]].result;
      text += fmt::format("{}{} of %{}", k == 0 ? ", and fills a table for " : " and ", move.most[k],
                          program_.values[value].name);
    }
    remarks_.push_back(std::move(text));
  }

  const Program& program_;
  const Places places_;
  const Nest nest_;
  std::vector<std::string>& remarks_;
  uint64_t registers_ = 0, tables_ = 0;  // bytes
  double total_ = -1, before_ = 0;       // instructions
};

}  // namespace

std::optional<Hoisted> hoist(const Program& program, std::span<const uint32_t> object) {
  std::optional<Hoisted> out;
  for (uint32_t pass = 0; pass < kMostPasses; ++pass) {
    std::vector<std::string> remarks;
    const Program& from = out ? out->program : program;
    Pass now(from, object, remarks);
    const std::vector<Move> moves = now.moves();
    if (moves.empty()) break;
    Program next = moved(now.places(), moves);
    if (!out) out.emplace();
    out->program = std::move(next);
    out->remarks.insert(out->remarks.end(), remarks.begin(), remarks.end());
  }
  return out;
}

}  // namespace kerr::loops::scalar
