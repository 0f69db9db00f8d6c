#include "hang/poll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "hang/one_step.hpp"

namespace kerr::hang {

using isa::riscv::Instruction;

std::string text(const Wanted& wanted) {
  const auto number = [](uint32_t v) { return v < 0x10000 ? fmt::format("{}", v) : fmt::format("{:#x}", v); };
  switch (wanted.kind) {
    case Wanted::Kind::Unknown: return "has another value";
    case Wanted::Kind::Nothing: return "has a value that does not exist";
    case Wanted::Kind::Equal: return "= " + number(wanted.value);
    case Wanted::Kind::NotEqual: return "is not " + number(wanted.value);
    case Wanted::Kind::AtLeast: return ">= " + number(wanted.value);
    case Wanted::Kind::AtMost: return "<= " + number(wanted.value);
    case Wanted::Kind::BitSet: return fmt::format("has bit {} set", wanted.value);
    case Wanted::Kind::BitClear: return fmt::format("has bit {} clear", wanted.value);
  }
  return "";
}

Poll::Poll(PollScene scene) : scene_(std::move(scene)) {
  if (run(nullptr, true) != End::Repeats || words_.empty() || words_.size() > kMostWords) {
    words_.clear();
    return;
  }
  known_ = true;
  for (PolledWord& word : words_) word.wanted = wanted_of(word);
}

const Instruction* Poll::instruction(uint32_t pc) {
  const auto found = decoded_.find(pc);
  if (found != decoded_.end()) return &found->second;
  const std::optional<uint32_t> word = scene_.code(pc);
  if (!word) return nullptr;
  return &decoded_.emplace(pc, isa::riscv::decode(*word)).first->second;
}

std::optional<uint32_t> Poll::value_at(uint32_t pc, uint32_t address, uint32_t bytes, const Forced* forced,
                                       bool is_first) {
  if (scene_.is_local(address)) {
    const std::optional<uint32_t> there = scene_.load(address, bytes);
    if (!there) return std::nullopt;
    uint32_t value = *there;
    for (uint32_t i = 0; i < bytes; ++i) {
      const auto changed = overlay_.find(address + i);
      if (changed != overlay_.end()) value = (value & ~(0xFFu << 8 * i)) | uint32_t{changed->second} << 8 * i;
    }
    return value;
  }
  if (forced != nullptr && forced->address == address) return forced->value;
  const std::optional<uint32_t> value = scene_.load(address, bytes);
  if (!is_first || !value) return value;
  const bool is_new = std::ranges::none_of(words_, [&](const PolledWord& w) { return w.address == address; });
  if (is_new) words_.push_back({pc, address, bytes, *value, {}});
  return value;
}

bool Poll::store(uint32_t address, uint32_t bytes, uint32_t value) {
  if (!scene_.is_local(address)) return false;
  for (uint32_t b = 0; b < bytes; ++b) overlay_[address + b] = static_cast<uint8_t>(value >> 8 * b);
  return true;
}

// What a turn finds in memory, and does to it.
struct Poll::Memory {
  Poll& poll;
  const Forced* forced;
  bool is_first;
  std::optional<uint32_t> load(uint32_t pc, uint32_t address, uint32_t bytes) {
    return poll.value_at(pc, address, bytes, forced, is_first);
  }
  bool store(uint32_t, uint32_t address, uint32_t bytes, uint32_t value) { return poll.store(address, bytes, value); }
};

// From where the hart stands until it is there again. As it is (`is_first`) it visits the pcs of the loop; with another
// value it leaves the loop when it comes to another pc, unless it finds back with nothing changed.
Poll::End Poll::run(const Forced* forced, bool is_first) {
  overlay_.clear();
  std::array<uint32_t, 32> x = scene_.x;
  uint32_t pc = scene_.pc;
  bool outside = false;
  int turns = 0;
  const auto unknown = [&] { return outside ? End::Leaves : End::Unknown; };
  for (uint32_t n = 0; n < kMostInstructions; ++n) {
    if (n > 0 && pc == scene_.pc) {
      if (is_first) return End::Repeats;
      for (unsigned r = 1; r < 32; ++r) {
        if (x[r] != scene_.x[r] && (written_ >> r & 1) == 0) return End::Leaves;
      }
      // It may have begun behind the load: what was loaded is tested in the next turn.
      if (x == scene_.x || ++turns == 2) return End::Repeats;
    }
    if (is_first) {
      visited_[pc] = true;
    } else if (!visited_.contains(pc)) {
      outside = true;
    }
    const Instruction* const i = instruction(pc);
    if (i == nullptr) return unknown();
    const isa::riscv::Kind kind = isa::riscv::row(i->op).kind;
    if (kind == isa::riscv::Kind::Csr) {  // a read that a loop makes only to order its loads
      if (outside) return End::Leaves;
      if (i->rd != 0) return End::Unknown;
      pc += 4;
      continue;
    }
    if (is_first && kind == isa::riscv::Kind::Branch) {
      const uint32_t difference = x[i->rs1] - x[i->rs2];
      if (differences_.size() < kMostDifferences && std::ranges::find(differences_, difference) == differences_.end())
        differences_.push_back(difference);
    }
    Memory memory{*this, outside ? nullptr : forced, is_first};
    const std::optional<uint32_t> next = one_step(*i, pc, x, memory);
    if (!next) return unknown();
    if (is_first) written_ |= (1u << i->rd) & ~1u;
    pc = *next;
  }
  return unknown();
}

// Values near the present one, and those at which a branch of the turn would see equal operands.
std::vector<uint32_t> Poll::candidates(const PolledWord& word) const {
  const uint32_t v = word.value;
  std::vector<uint32_t> out{v + 1, v - 1, v + 2, v - 2, 0, 1, 2, ~0u};
  for (const uint32_t d : differences_) {
    for (const uint32_t scaled : {d, d >> 8, d >> 16, d >> 24, d << 8, d << 16, d << 24}) {
      for (const uint32_t c : {v - scaled, v + scaled})
        for (const uint32_t at : {c - 1, c, c + 1}) out.push_back(at);
    }
  }
  return out;
}

Wanted Poll::wanted_of(const PolledWord& word) {
  const uint32_t mask = word.bytes == 4 ? ~0u : (1u << 8 * word.bytes) - 1;
  const uint32_t bits = 8 * word.bytes, v = word.value & mask;
  std::unordered_map<uint32_t, bool> tried;
  bool unknown = false;
  const auto leaves = [&](uint32_t value) {
    value &= mask;
    const auto known = tried.find(value);
    if (known != tried.end()) return known->second;
    const Forced forced{word.address, value};
    const End end = run(&forced, false);
    unknown = unknown || end == End::Unknown;
    return tried[value] = end == End::Leaves;
  };
  using Rule = Wanted::Kind;
  if (leaves(v) || unknown) return {};

  std::vector<uint32_t> flips;  // bits that alone make the difference
  for (uint32_t bit = 0; bit < bits; ++bit)
    if (leaves(v ^ 1u << bit)) flips.push_back(bit);
  if (flips.size() == bits && leaves(v + 1) && leaves(v - 1)) return {Rule::NotEqual, v};
  if (flips.size() == 1 && leaves((v ^ 1u << flips[0]) ^ 1u << (flips[0] == 0 ? 1 : 0)) &&
      leaves((v ^ 1u << flips[0]) ^ 1u << (bits - 1 == flips[0] ? bits - 2 : bits - 1)))
    return {(v >> flips[0] & 1) != 0 ? Rule::BitClear : Rule::BitSet, flips[0]};

  // What is nearest. A counter that wraps is far enough ahead both behind a few more steps and, as it seems, behind
  // some less: steps ahead count first.
  constexpr uint32_t kSteps = 0x8000;
  std::vector<uint32_t> tries = candidates(word);
  for (uint32_t bit = 0; bit < bits; ++bit) tries.insert(tries.end(), {v + (1u << bit), v - (1u << bit)});
  for (uint32_t& t : tries) t &= mask;
  std::ranges::sort(tries, {}, [&](uint32_t t) {
    const uint32_t ahead = (t - v) & mask, behind = (v - t) & mask;
    return std::tuple(ahead > kSteps, std::min(ahead, behind), ahead > behind);
  });
  tries.erase(std::unique(tries.begin(), tries.end()), tries.end());
  for (const uint32_t t : tries) {
    if (!leaves(t)) continue;
    const bool below = leaves(t - 1), above = leaves(t + 1);
    if (!below && !above) return {Rule::Equal, t};
    // The edge lies between the present value and this one.
    const bool ahead = ((t - v) & mask) <= ((v - t) & mask);
    uint32_t stays = 0, goes = ahead ? (t - v) & mask : (v - t) & mask;
    while (goes - stays > 1) {
      const uint32_t middle = stays + (goes - stays) / 2;
      (leaves(ahead ? v + middle : v - middle) ? goes : stays) = middle;
    }
    const uint32_t edge = (ahead ? v + goes : v - goes) & mask;
    if (!leaves(ahead ? edge + 1 : edge - 1)) return {Rule::Equal, edge};
    return {ahead ? Rule::AtLeast : Rule::AtMost, edge};
  }
  return unknown ? Wanted{} : Wanted{Rule::Nothing, 0};
}

}  // namespace kerr::hang
