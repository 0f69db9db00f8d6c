// Runs a loop program on harts and in the interpreter, and compares every byte.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "loops/interpret.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/launch.hpp"

namespace kerr::loops::scalar {

/// A chip for all tests of a process.
inline host::Chip& chip() {
  static host::EmulatedDevice device;
  static host::Chip the_chip(device);
  return the_chip;
}

/// Bytes of an arena, one buffer on the device, that a parameter is a view of.
struct Range {
  uint64_t offset, bytes;
};

struct Both {
  explicit Both(std::string source) : text(std::move(source)), program(parse(text)) {}

  std::string text;
  Program program;
  std::vector<Range> views;  // empty: one behind the other, 64 bytes apart
  std::vector<int64_t> numbers;
  std::vector<std::byte> arena;  // what it holds before; empty: random
  uint64_t seed = 1;
  CompileOptions options{};

  // Random bytes are poor floats and indices: small numbers of the parameter's type.
  void fill(std::span<std::byte> bytes, Type type, std::mt19937_64& random) const {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    if (type == Type::F32) {
      for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        if (random() % 8 == 0) continue;
        const float value = static_cast<float>(static_cast<int64_t>(random() % 20001) - 10000) / 256;
        std::memcpy(bytes.data() + at, &value, 4);
      }
    }
  }

  void prepare() {
    if (views.empty()) {
      uint64_t at = 64;
      for (const Parameter& p : program.parameters) {
        views.push_back({at, p.bytes()});
        at += (p.bytes() + 127) / 64 * 64;
      }
    }
    if (!arena.empty()) return;
    uint64_t end = 64;
    for (const Range& view : views) end = std::max(end, view.offset + view.bytes + 64);
    arena.resize(end);
    std::mt19937_64 random(seed);
    for (std::byte& b : arena) b = static_cast<std::byte>(random());
    for (size_t p = 0; p < views.size(); ++p)
      fill(std::span(arena).subspan(views[p].offset, views[p].bytes), program.parameters[p].type, random);
  }

  /// What the arena holds after the interpreter, and after `code` with at most so many harts.
  std::vector<std::byte> interpreted() {
    prepare();
    std::vector<std::byte> after = arena;
    std::vector<std::span<std::byte>> spans;
    for (const Range& view : views) spans.push_back(std::span(after).subspan(view.offset, view.bytes));
    interpret(program, spans, numbers);
    return after;
  }
  std::vector<std::byte> launched(uint32_t harts) {
    prepare();
    CompileOptions with = options;
    with.max_harts = harts;
    Code code = compile(program, chip().harvesting(), with);
    code.instructions_worth_a_hart = 0;
    const host::Buffer buffer = chip().allocate(host::Memory::Dram, arena.size(), kPageBytes);
    chip().write(buffer, arena);
    std::vector<View> on_device;
    for (const Range& view : views) on_device.push_back({buffer, view.offset, view.bytes});
    launch(chip(), program, code, on_device, numbers);
    std::vector<std::byte> after(arena.size());
    chip().read(buffer, after);
    return after;
  }

  /// Compares every byte of the arena, what lies between the views too.
  void expect_same(std::initializer_list<uint32_t> harts = {1, 2, 7, 236}) {
    const std::vector<std::byte> expected = interpreted();
    for (uint32_t h : harts) {
      const std::vector<std::byte> got = launched(h);
      for (size_t at = 0; at < expected.size(); ++at) {
        if (got[at] == expected[at]) continue;
        std::string where = "between views";
        for (size_t p = 0; p < views.size(); ++p) {
          if (at - views[p].offset >= views[p].bytes) continue;
          where = "p" + std::to_string(program.parameters[p].slot) + " byte " + std::to_string(at - views[p].offset);
        }
        ADD_FAILURE() << text << "\nwith at most " << h << " harts, seed " << seed << ": " << where << " is "
                      << static_cast<int>(got[at]) << ", expected " << static_cast<int>(expected[at]);
        return;
      }
    }
  }
};

}  // namespace kerr::loops::scalar
