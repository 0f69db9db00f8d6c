#include "check/outcome.hpp"

#include <fmt/format.h>

namespace kerr::check {

namespace {

std::string cycles(emu::Cycle n) { return n == 1 ? "1 cycle" : fmt::format("{} cycles", n); }
std::string before(emu::Cycle n) { return n == 0 ? "just before" : cycles(n) + " before"; }

// Bytes that are on their way: what `then` does with them is done before they come.
RunOutcome before_the_data(std::string_view then_op) {
  if (then_op == "read") return {Outcome::Harmful, "in this run it read what was there before the data came"};
  if (then_op == "write") return {Outcome::Harmful, "in this run the data came behind it, and replaced what it wrote"};
  return {.pending = true};
}

}  // namespace

RunOutcome outcome_of(const Stamp& first, bool reads, const Stamp& then, std::string_view then_op,
                      const Transfer* transfer) {
  // A request that was issued before a read brings its bytes behind it.
  if (is_transfer(then.part) && then.part != Part::Source && then.part != Part::Target && reads &&
      then.cycle < first.cycle) {
    return {Outcome::Harmful,
            fmt::format("in this run the bytes came behind the read, although they were sent {} before",
                        cycles(first.cycle - then.cycle))};
  }
  switch (first.part) {
    case Part::Data:
      if (transfer == nullptr) return {};
      if (transfer->came == 0) return before_the_data(is_transfer(then.part) && then_op == "write" ? "" : then_op);
      return {Outcome::Latent, then.cycle < transfer->came
                                   ? std::string("in this run the data had come")
                                   : "in this run the data had come " + before(then.cycle - transfer->came)};
    case Part::Source: return {Outcome::Latent, "in this run the bytes had been taken when the request was issued"};
    case Part::Agent:
      // One of two writes is lost. Nobody says which one should be.
      if (then.cycle < first.cycle || (!reads && then_op == "write")) return {};
      return {Outcome::Latent, "in this run the first was done " + before(then.cycle - first.cycle)};
    case Part::Target:
    case Part::Arrival:
    case Part::Atomic:
      if (!reads && (then_op == "write" || then_op == "atomic")) return {};
      if (then_op != "return") return {Outcome::Latent, "in this run the first was done before"};
      if (transfer == nullptr) return {};
      if (transfer->came == 0) return {.pending = true};
      return {Outcome::Latent, "in this run it was over " + before(then.cycle - transfer->came)};
    default: return {};
  }
}

RunOutcome outcome_of_answer(const Transfer& transfer, const Stamp& then, std::string_view then_op,
                             const Transfer* second) {
  if (then.part == Part::Data) {
    if (second == nullptr) return {};
    if (second->came != 0 && second->came < transfer.came)
      return {Outcome::Harmful, "in this run the data of the first came last"};
    return {Outcome::Latent, "in this run the data of the first came first"};
  }
  if (transfer.came < then.cycle) return {};
  return {Outcome::Latent,
          fmt::format("in this run {} {} behind the {}", transfer.kind == Class::Read ? "the data came" : "it was over",
                      cycles(transfer.came - then.cycle), then_op)};
}

}  // namespace kerr::check
