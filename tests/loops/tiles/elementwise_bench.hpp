// Runs a loop program as element-wise tiles and in the interpreter, and compares every byte.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "loops/interpret.hpp"
#include "loops/tiles/elementwise.hpp"
#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {

/// Numbers at which functions turn, and random ones of all sizes.
inline uint32_t operand_bits(std::mt19937_64& random) {
  constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000,
                                   0x80800000, 0x00800001, 0x3F7FFFFF, 0x3F800000, 0xBF800000, 0x3F800001, 0x3FFFFFFF,
                                   0x40000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000,
                                   0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF, 0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x4F800000,
                                   0x43000000, 0xC3000000, 0xC2FC0000, 0xC2FC0001, 0x33000000, 0x32FFFFFF, 0x3F000000,
                                   0x0000FFFF, 0x00010000, 0x00000020, 0x0000001F, 0x4B000000, 0x4B7FFFFF, 0x7F808000};
  switch (random() % 8) {
    case 0: return kSpecial[random() % std::size(kSpecial)];
    case 1: return kSpecial[random() % std::size(kSpecial)] + static_cast<uint32_t>(random() % 5) - 2;
    case 2: return static_cast<uint32_t>(random());
    case 3: return static_cast<uint32_t>(random() % 201) - 100;
    default: {
      const float sizes[] = {1.0f, 4.0f, 100.0f, 1e4f};
      const float part = static_cast<float>(random() % 2'000'001) / 1'000'000.0f - 1.0f;
      return std::bit_cast<uint32_t>(part * sizes[random() % 4]);
    }
  }
}

/// A program on an arena: one buffer on the device, of which parameters are views.
struct Elementwise {
  explicit Elementwise(const std::string& text) : program(parse(text)), plan(plan_flat(program, &why_not)) {
    uint64_t at = kPageBytes;
    for (const Parameter& p : program.parameters) {
      offsets.push_back(at);
      at += (p.bytes() + 2 * kPageBytes - 1) / kPageBytes * kPageBytes;
    }
  }

  Program program;
  std::string why_not;
  std::optional<FlatPlan> plan;
  std::vector<uint64_t> offsets;
  uint64_t seed = 1;

  std::vector<std::byte> arena() const {
    uint64_t end = 0;
    for (size_t p = 0; p < offsets.size(); ++p) end = std::max(end, offsets[p] + program.parameters[p].bytes() + 64);
    std::vector<std::byte> bytes((end + 3) / 4 * 4);
    std::mt19937_64 random(seed);
    for (size_t at = 0; at < bytes.size(); at += 4) {
      const uint32_t word = operand_bits(random);
      std::memcpy(&bytes[at], &word, 4);
    }
    // bf16 gets the special numbers, too.
    for (size_t p = 0; p < offsets.size(); ++p) {
      if (program.parameters[p].type != Type::Bf16) continue;
      for (uint64_t i = 0; i < program.parameters[p].count; ++i) {
        const auto half = static_cast<uint16_t>(operand_bits(random) >> 16);
        std::memcpy(&bytes[offsets[p] + 2 * i], &half, 2);
      }
    }
    return bytes;
  }

  void expect_same(uint32_t cores = 0, int launches = 1) {
    ASSERT_TRUE(plan) << why_not << "\n" << print(program);
    const std::vector<std::byte> before = arena();
    std::vector<std::byte> expected = before;
    std::vector<std::span<std::byte>> spans;
    for (size_t p = 0; p < offsets.size(); ++p)
      spans.push_back(std::span(expected).subspan(offsets[p], program.parameters[p].bytes()));
    for (int i = 0; i < launches; ++i) interpret(program, spans, {});
    const host::Buffer buffer = chip().allocate(host::Memory::Dram, before.size(), kPageBytes);
    chip().write(buffer, before);
    std::vector<View> views;
    for (size_t p = 0; p < offsets.size(); ++p) views.push_back({buffer, offsets[p], program.parameters[p].bytes()});
    for (int i = 0; i < launches; ++i) launch(chip(), *plan, views, {}, cores);
    std::vector<std::byte> got(before.size());
    chip().read(buffer, got);
    int shown = 0;
    for (size_t at = 0; at < got.size() && shown < 4; at += 4) {
      uint32_t is = 0, must = 0;
      std::memcpy(&is, &got[at], 4);
      std::memcpy(&must, &expected[at], 4);
      if (is == must) continue;
      ++shown;
      std::string where;
      for (size_t p = 0; p < offsets.size(); ++p) {
        if (at - offsets[p] >= program.parameters[p].bytes()) continue;
        const uint64_t element = (at - offsets[p]) / info(program.parameters[p].type).bytes;
        where = "p" + std::to_string(program.parameters[p].slot) + " element " + std::to_string(element);
        for (size_t q = 0; q < offsets.size(); ++q) {
          if (q == p || element >= program.parameters[q].count) continue;
          uint32_t operand = 0;
          std::memcpy(&operand, &before[offsets[q] + element * info(program.parameters[q].type).bytes], 4);
          char text[32];
          std::snprintf(text, sizeof text, ", p%u %08x", program.parameters[q].slot, operand);
          where += text;
        }
      }
      char text[64];
      std::snprintf(text, sizeof text, " is %08x, must be %08x", is, must);
      ADD_FAILURE() << (where.empty() ? "between the views" : where) << text << "\n" << print(program);
    }
  }
};

/// One operation on `count` elements: TYPE is that of its operands, RESULT of what is stored.
inline std::string one_operation(const std::string& lines, uint64_t count, const std::string& type,
                                 const std::string& result, int operands) {
  std::string text = "kernel one\n";
  for (int p = 0; p <= operands; ++p)
    text += "param p" + std::to_string(p) + " " + (p == 0 ? result : type) + " " + std::to_string(count) + "\n";
  text += "%i = loop i32 i32:" + std::to_string(count) + " weak\n";
  for (int p = 1; p <= operands; ++p)
    text +=
        "%" + std::string(1, static_cast<char>('a' + p - 1)) + " = load " + type + " p" + std::to_string(p) + "[%i]\n";
  return text + lines + "store " + result + " p0[%i] %r\nend %i\n";
}

}  // namespace kerr::loops::tiles
