#include "hang/going_on.hpp"

#include <fmt/format.h>

#include <utility>

#include "hang/one_step.hpp"
#include "isa/disassembler.hpp"

namespace kerr::hang {

using isa::riscv::Instruction;

GoingOn::GoingOn(Tile tile, std::vector<HartAt> harts)
    : tile_(std::move(tile)), first_(std::move(harts)), harts_(first_) {}

// What a step finds in memory, and does to it.
struct GoingOn::Memory {
  GoingOn& all;
  size_t who;
  Executed& step;
  std::string obstacle{};

  std::optional<uint32_t> load(uint32_t, uint32_t address, uint32_t bytes) {
    step.loads = true;
    const std::optional<WordAt> word = all.word_at(who, address, bytes);
    if (isa::riscv::row(step.instruction.op).kind == isa::riscv::Kind::Amo && (!word || word->of != WordAt::kL1)) {
      obstacle = fmt::format("an atomic accesses {:#x}", address);
      return std::nullopt;
    }
    if (word) {
      step.at = *word;
      step.before = step.after = all.value_of(who, *word);
      const uint32_t value = step.before >> 8 * (address % 4);
      return bytes == 4 ? value : value & ((1u << 8 * bytes) - 1);
    }
    step.fixed = true;
    const bool is_aligned = address % bytes == 0;
    const auto value = is_aligned ? all.tile_.load(all.harts_[who].hart, address, bytes) : std::nullopt;
    if (!value) obstacle = fmt::format("it loads from {:#x}", address);
    return value;
  }
  bool store(uint32_t, uint32_t address, uint32_t bytes, uint32_t value) {
    const std::optional<WordAt> word = all.word_at(who, address, bytes);
    if (!word) {
      obstacle = fmt::format("it stores to {:#x}", address);
      return false;
    }
    step.stores = true;
    step.at = *word;
    step.before = all.value_of(who, *word);
    const uint32_t shift = 8 * (address % 4), mask = (bytes == 4 ? ~0u : (1u << 8 * bytes) - 1) << shift;
    step.after = (step.before & ~mask) | (value << shift & mask);
    all.written_[*word] = step.after;
    return true;
  }
};

std::optional<WordAt> GoingOn::word_at(size_t who, uint32_t address, uint32_t bytes) const {
  if (address % bytes != 0) return std::nullopt;
  if (address < tile_.l1_bytes) return WordAt{WordAt::kL1, address & ~3u};
  if (tile_.is_local(harts_[who].hart, address)) return WordAt{static_cast<uint8_t>(who), address & ~3u};
  return std::nullopt;
}

uint32_t GoingOn::value_of(size_t who, const WordAt& word) const {
  const auto written = written_.find(word);
  if (written != written_.end()) return written->second;
  return tile_.load(harts_[who].hart, word.address, 4).value_or(0);
}

const Instruction* GoingOn::instruction(size_t who, uint32_t pc) {
  if (pc % 4 != 0 || pc >= tile_.l1_bytes) return nullptr;
  const auto found = decoded_.find(pc);
  if (found != decoded_.end()) return &found->second;
  return &decoded_.emplace(pc, isa::riscv::decode(value_of(who, {WordAt::kL1, pc}))).first->second;
}

bool GoingOn::run(size_t who, size_t steps) {
  HartAt& hart = harts_[who];
  for (; steps > 0; --steps) {
    const Instruction* const i = instruction(who, hart.pc);
    if (i == nullptr) {
      obstacle_ = fmt::format("it comes to pc {:#x}", hart.pc);
      return false;
    }
    Executed step{.who = static_cast<uint8_t>(who), .pc = hart.pc, .instruction = *i};
    step.a = hart.x[i->rs1];
    step.b = hart.x[i->rs2];
    Memory memory{*this, who, step};
    const std::optional<uint32_t> next = one_step(*i, hart.pc, hart.x, memory);
    if (!next) {
      obstacle_ = memory.obstacle.empty() ? fmt::format("it executes {}", isa::disassemble(isa::riscv::encode(*i)))
                                          : memory.obstacle;
      return false;
    }
    if (step.stores && step.at.of == WordAt::kL1 && step.before != step.after && decoded_.contains(step.at.address)) {
      obstacle_ = fmt::format("it changes code at {:#x}", step.at.address);
      return false;
    }
    step.result = hart.x[i->rd];
    hart.pc = *next;
    steps_.push_back(step);
  }
  return true;
}

}  // namespace kerr::hang
