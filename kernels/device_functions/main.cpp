// kerr_device_functions FILE: writes the header that holds the words of all functions.
#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "isa/tensix/instructions.hpp"
#include "kernels/device_functions/functions.hpp"
#include "kernels/vector/emit.hpp"
#include "kernels/vector/functions.hpp"

namespace kerr::kernels {
namespace {

namespace tx = isa::tensix;
using vector::Code;
using vector::DstMode;
using vector::Value;

// What Dst holds, the place of its scratch tiles, and how the device library calls it.
struct DstKind {
  std::string_view name;
  DstMode mode;
  bool wide;
};
constexpr DstKind kDstKinds[] = {
    {"Bf16Dst", DstMode::Bf16, false}, {"Fp16Dst", DstMode::Configured, false}, {"Fp32Dst", DstMode::Fp32, true}};
constexpr DstKind kIntegers{"Int32Dst", DstMode::Int32, true}, kBits{"Fp32Dst", DstMode::Int32, true};

// Sources and result lie in tiles that there are not; where they are is known when the function runs. Parameters are
// constants with these bits, made by two SFPLOADI whose immediates are then replaced.
constexpr uint32_t kFirstTile = 11, kResultTile = 15;
constexpr uint32_t parameter_bits(uint32_t i) { return 0xA5C35A31 + i; }

Code code_of(const DeviceFunction& function, const DstKind& dst) {
  Code code;
  Value sources[3], parameters[3];
  for (uint32_t i = 0; i < function.sources; ++i) sources[i] = code.load(kFirstTile + i, dst.mode);
  for (uint32_t i = 0; i < function.parameters; ++i) parameters[i] = code.constant_bits(parameter_bits(i));
  Value result = function.make(code, sources, parameters);
  if (function.numbers == Numbers::Floats && dst.mode == DstMode::Bf16) result = code.round_to_bf16(result);
  if (function.numbers == Numbers::Floats && dst.mode == DstMode::Configured)
    result = vector::round_to_fp16(code, result);
  code.store(kResultTile, result, dst.mode);
  return code;
}

// The text of a function that issues the words for 32 lanes.
class Text {
 public:
  void word(uint32_t word) {
    const auto opcode = tx::opcode_of(word);
    if (opcode == tx::Opcode::SFPLOAD || opcode == tx::Opcode::SFPSTORE) {
      const uint32_t row = word & 0x3FF, tile = row / vector::kTileRows;
      if (tile >= kFirstTile) {
        const std::string place = tile == kResultTile ? "to" : fmt::format("x{}", tile - kFirstTile);
        return computed(word - vector::kTileRows * tile, place);
      }
    }
    if (opcode == tx::Opcode::SFPLOADI) {
      const auto load = tx::SFPLOADI::decode(word);
      for (uint32_t i = 0; i < 3; ++i) {
        if (load.instr_mod0 == 8 && load.imm16 == parameter_bits(i) >> 16 &&
            (next_ & 0xFFFF) == (parameter_bits(i) & 0xFFFF))
          return computed(word & ~0xFFFFu, fmt::format("p{} >> 16", i));
        if (load.instr_mod0 == 10 && load.imm16 == (parameter_bits(i) & 0xFFFF))
          return computed(word & ~0xFFFFu, fmt::format("(p{} & 0xFFFF)", i));
      }
    }
    constants_ += fmt::format("{}{:#x}", constants_.empty() ? "" : ",", std::rotl(word, 2));
  }
  void next(uint32_t word) { next_ = word; }
  std::string finish() {
    flush();
    return std::move(text_);
  }

 private:
  void computed(uint32_t word, const std::string& what) {
    flush();
    text_ += fmt::format("  push({:#x} | {});\n", word, what);
  }
  void flush() {
    if (!constants_.empty()) text_ += fmt::format("  asm volatile(\".word {}\");\n", constants_);
    constants_.clear();
  }

  std::string text_, constants_;
  uint32_t next_ = 0;
};

std::string text_of(const DeviceFunction& function, const DstKind& dst) {
  const Code code = code_of(function, dst);
  // All of the half is the kernel's: no value can wait there for a register.
  constexpr uint32_t kTiles = 8;
  const vector::DstUse use{.dst32 = dst.wide, .first_spill = kTiles, .tiles = kTiles};
  const vector::Emitted emitted = vector::emit(code, use);
  Text text;
  for (size_t i = 0; i < emitted.words.size(); ++i) {
    text.next(i + 1 < emitted.words.size() ? emitted.words[i + 1].word : 0);
    text.word(emitted.words[i].word);
  }
  std::string operands;
  for (uint32_t i = 0; i < function.sources; ++i) operands += fmt::format("uint32_t x{}, ", i);
  operands += "uint32_t to";
  for (uint32_t i = 0; i < function.parameters; ++i) operands += fmt::format(", uint32_t p{}", i);
  return fmt::format("// {} words\nFORCE_INLINE void {}({}, {}) {{\n{}}}\n", emitted.words.size(), function.name,
                     dst.name, operands, text.finish());
}

std::string header() {
  std::string out =
      "// Written by kerr_device_functions (kernels/device_functions): the words of vector functions, for 32 lanes "
      "each.\n"
      "// x0 and up, to: rows of Dst where sources and result lie. p0 and up: bits of numbers.\n"
      "#pragma once\n\nnamespace kerr::device::lanes {\n\n";
  for (const DeviceFunction& function : device_functions()) {
    switch (function.numbers) {
      case Numbers::Integers: out += text_of(function, kIntegers); break;
      case Numbers::Bits: out += text_of(function, kBits); break;
      case Numbers::Copied: out += text_of(function, kBits); [[fallthrough]];
      case Numbers::Floats:
        for (const DstKind& dst : kDstKinds) {
          if (function.numbers == Numbers::Floats || !dst.wide) out += text_of(function, dst);
        }
    }
  }
  return out + "\n}  // namespace kerr::device::lanes\n";
}

}  // namespace
}  // namespace kerr::kernels

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "kerr_device_functions FILE: writes the words of the device library's vector functions\n";
    return 2;
  }
  const std::string text = kerr::kernels::header();
  std::ofstream file(arguments[1]);
  if (!(file << text).flush()) {
    std::cerr << "cannot write '" << arguments[1] << "'\n";
    return 1;
  }
}
