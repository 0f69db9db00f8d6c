#include "kernels/vector/phases.hpp"

#include <algorithm>
#include <stdexcept>

#include "isa/tensix/instructions.hpp"

namespace kerr::kernels::vector {

namespace {

constexpr uint32_t kGroupsOfTile = kRowGroups * kColumnGroups, kRowsOfGroup = kTileRows / kGroupsOfTile;
constexpr uint32_t kNobody = ~0u;

bool makeable(const Step& step) { return step.operation == Operation::Load || step.operation == Operation::Constant; }

class Cutter {
 public:
  Cutter(const Code& code, uint32_t operands, uint32_t tiles, DstMode mode, uint32_t groups)
      : operands_(operands),
        tiles_(tiles),
        mode_(mode),
        groups_(groups),
        maker_(code.values()),
        made_at_(code.values(), kNobody),
        last_use_(code.values()),
        row_(code.values(), kNobody),
        last_load_(operands) {
    for (const Step& step : code.steps()) {
      if (step.result != Value{}) maker_[step.result.id] = &step;
      if (!makeable(step)) steps_.push_back(&step);
    }
    for (uint32_t at = 0; at < steps_.size(); ++at) {
      if (steps_[at]->result != Value{}) made_at_[steps_[at]->result.id] = at;
      for (const Value v : steps_[at]->sources) {
        if (v == Value{} || v.id < Code::kFixedValues) continue;
        last_use_[v.id] = at;
        if (maker_[v.id]->operation == Operation::Load) last_load_[static_cast<size_t>(maker_[v.id]->immediate)] = at;
      }
    }
    // Behind the operands, and behind the result, all blocks use the same places.
    const uint32_t rows = kRowsOfGroup * groups;
    for (uint32_t row = first_place(); row + rows <= kTileRows * tiles; row += rows)
      places_.push_back({row, kNobody, 0});
    for (uint32_t tile = 0; tile < operands; ++tile)
      places_.push_back({kTileRows * tile, kNobody, last_load_[tile] + 1});
  }

  std::optional<Phases> run() {
    Phases phases;
    phases.groups = groups_;
    phases.first_place = first_place();
    for (uint32_t first = 0; first < steps_.size();) {
      uint32_t end = std::min<uint32_t>(first + kReplaySlots, static_cast<uint32_t>(steps_.size()));
      std::optional<Emitted> emitted;
      while (end > first && !(emitted = phase(first, end))) --end;
      if (!emitted) return std::nullopt;
      settle(first, end);
      phases.phases.push_back(*std::move(emitted));
      first = end;
    }
    return phases;
  }

 private:
  struct Place {
    uint32_t row;
    uint32_t value;      // that waits there
    uint32_t free_from;  // step: an operand lies there before
  };

  uint32_t first_place() const { return kTileRows * std::max(operands_, 1u); }

  bool waits(uint16_t value, uint32_t first, uint32_t end) const {
    return made_at_[value] >= first && made_at_[value] < end && last_use_[value] >= end;
  }

  // Places for the values of steps from `first` up to `end` that are needed later. A step's value may lie where the
  // last use of another one, or of an operand, was this step or one before: nothing is loaded from there behind it.
  std::optional<std::vector<uint32_t>> rows_for(uint32_t first, uint32_t end) const {
    std::vector<uint32_t> rows;
    std::vector<bool> taken(places_.size());
    for (uint32_t at = first; at < end; ++at) {
      const Value v = steps_[at]->result;
      if (v == Value{} || !waits(v.id, first, end)) continue;
      size_t n = 0;
      while (n < places_.size() && (taken[n] || !is_free(places_[n], at))) ++n;
      if (n == places_.size()) return std::nullopt;
      taken[n] = true;
      rows.push_back(places_[n].row);
    }
    return rows;
  }
  bool is_free(const Place& place, uint32_t at) const {
    return place.free_from <= at + 1 && (place.value == kNobody || last_use_[place.value] <= at);
  }

  void settle(uint32_t first, uint32_t end) {
    const std::vector<uint32_t> rows = *rows_for(first, end);
    size_t next = 0;
    for (uint32_t at = first; at < end; ++at) {
      const Value v = steps_[at]->result;
      if (v == Value{} || !waits(v.id, first, end)) continue;
      row_[v.id] = rows[next++];
      std::ranges::find(places_, row_[v.id], &Place::row)->value = v.id;
    }
  }

  std::optional<Emitted> phase(uint32_t first, uint32_t end) const {
    const auto rows = rows_for(first, end);
    if (!rows) return std::nullopt;
    Code code;
    std::vector<Value> there(maker_.size());
    const auto source = [&](Value v) {
      if (v == Value{} || v.id < Code::kFixedValues) return v;
      if (there[v.id] == Value{})
        there[v.id] = makeable(*maker_[v.id]) ? code.repeat(*maker_[v.id], {}) : code.load_row(row_[v.id], mode_);
      return there[v.id];
    };
    size_t next = 0;
    for (uint32_t at = first; at < end; ++at) {
      const Step& step = *steps_[at];
      std::array<Value, 4> sources{};
      for (size_t i = 0; i < sources.size(); ++i) sources[i] = source(step.sources[i]);
      const Value made = code.repeat(step, sources);
      if (step.result == Value{}) continue;
      there[step.result.id] = made;
      if (waits(step.result.id, first, end)) code.store_row((*rows)[next++], made, mode_);
    }
    if (code.steps().size() > 3 * kReplaySlots) return std::nullopt;
    try {
      Emitted emitted = emit(code, {.dst32 = true, .first_spill = tiles_, .tiles = tiles_});
      if (emitted.replays()) return emitted;
    } catch (const std::length_error&) {
    }
    return std::nullopt;
  }

  const uint32_t operands_, tiles_;
  const DstMode mode_;
  const uint32_t groups_;
  std::vector<const Step*> steps_;  // but for loads and constants, which each phase makes for itself
  std::vector<const Step*> maker_;
  std::vector<uint32_t> made_at_, last_use_;  // by value: steps
  std::vector<uint32_t> row_;                 // by value: where it waits
  std::vector<uint32_t> last_load_;           // by operand: the step that uses it last
  std::vector<Place> places_;
};

}  // namespace

uint32_t Phases::word_for(const Word& word, uint32_t block) const {
  constexpr uint32_t kOpcode = 24, kAddresses = 0x3FF;
  const uint32_t opcode = word.word >> kOpcode;
  const bool accesses =
      opcode == isa::tensix::SFPLOAD{}.encode() >> kOpcode || opcode == isa::tensix::SFPSTORE{}.encode() >> kOpcode;
  if (!accesses || (word.word & kAddresses) < first_place) return word.word;
  return word.word - block * groups * kRowsOfGroup;
}

uint32_t Phases::words() const {
  uint32_t all = 0;
  for (const Emitted& one : phases) all += static_cast<uint32_t>(one.words.size());
  return all;
}

std::optional<Phases> emit_phases(const Code& code, uint32_t operands, uint32_t tiles, DstMode mode) {
  if (code.uses_place()) return std::nullopt;
  for (const uint32_t groups : {32u, 16u, 8u, 4u})
    if (auto phases = Cutter(code, operands, tiles, mode, groups).run()) return phases;
  return std::nullopt;
}

}  // namespace kerr::kernels::vector
