// What the generators of instruction cases share: chance, edge values, steps of a program, and copying state to L1.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>

#include "isa/tensix/instructions.hpp"
#include "oracle/instructions/instruction_case.hpp"

namespace kerr::oracle {

constexpr uint32_t kInputA = 0x20000, kInputB = 0x24000, kInputDst = 0x28000, kOutput = 0x40000, kState = 0x60000;

/// The values ORed. A list is evaluated from left to right, the operands of | are not: draws of chance need an order.
constexpr uint32_t joined(std::initializer_list<uint32_t> parts) {
  uint32_t all = 0;
  for (const uint32_t part : parts) all |= part;
  return all;
}

class CaseMaker {
 public:
  /// The program runs on `hart`, a TRISC.
  CaseMaker(std::mt19937& random, InstructionCase& out, Hart hart) : random_(random), out_(out), hart_(hart) {}

  // --- chance
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  uint32_t any() { return static_cast<uint32_t>(random_()); }
  unsigned one_of(std::initializer_list<unsigned> values) { return values.begin()[below(values.size())]; }
  /// 0 .. 2^bits - 1, the ends more often.
  uint32_t field(unsigned bits);
  /// 32 bits of the kinds that go wrong: powers of two and their neighbours, all ones, halves, any.
  uint32_t edge_word();
  /// A datum of `format` (docs/hardware/tensix-datapath.md 7.5), as it lies in L1, in the low bits. `tame`: numbers of
  /// similar size most of the time, so that sums round, cancel and do not saturate.
  uint32_t datum(unsigned format, bool tame);
  /// `count` datums of a format in L1 order, shared exponents in front.
  std::vector<uint8_t> tile_of(unsigned format, unsigned count = 1024);

  // --- steps
  template <class I>
  void push(const I& i) {
    push_word(i.encode());
  }
  void push_word(uint32_t word);
  /// The instruction that the case is about.
  template <class I>
  void execute(const I& i) {
    execute_word(i.encode());
  }
  void execute_word(uint32_t word) {
    ++out_.executions;
    out_.words.push_back(word);
    push_word(word);
  }
  void mop_config(unsigned index, uint32_t value);
  void drain() { program_.drain(); }
  void memory(uint32_t address, std::vector<uint8_t> bytes) { out_.tile.before.push_back({address, std::move(bytes)}); }
  void random_gprs();
  /// Whole tiles for the unpackers of the mask, rows of 16 for the packer; all other counters and Dst become 0.
  void start_of_tile(unsigned unpackers);
  Program& program() { return program_; }
  uint32_t gpr_address(unsigned reg) const { return arch::kGprBase + 4 * reg; }
  void mode(const std::string& text) { out_.mode += (out_.mode.empty() ? "" : ", ") + text; }

  // --- the result
  void show(uint32_t address, uint32_t bytes) { out_.tile.after.push_back({address, bytes}); }
  /// Copies the register at `address` to the next word of the state area.
  void show_register(uint32_t address);
  void show_gprs();
  void show_semaphores();
  /// Address counters of thread 0's unpackers and thread 2's packer, row counters and fidelity of all, bank owners.
  void show_counters();
  void show_config(std::initializer_list<unsigned> words);
  /// Ends the case.
  void finish();

 private:
  std::mt19937& random_;
  InstructionCase& out_;
  Hart hart_;
  Program program_;
  uint32_t shown_ = 0;  // bytes of the state area in use
};

/// Case bodies by unit; each knows the mnemonics listed beside it in instruction_case.cpp.
using MakeBody = void (*)(CaseMaker& m);

}  // namespace kerr::oracle
