// Runs loop programs by path tiles on a chip, compared with the definition within the bounds of the checks.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "loops/executable.hpp"
#include "loops/interpret.hpp"
#include "loops/scratch.hpp"

namespace kerr::loops::tiles {

/// A chip for all tests of a process.
inline host::Chip& chip() {
  static host::EmulatedDevice device;
  static host::Chip the_chip(device);
  return the_chip;
}
inline Scratch& scratch() {
  static Scratch of_chip;
  return of_chip;
}

/// Numbers for a parameter: floats around 1 in size, other types small.
inline std::vector<std::byte> numbers_for(const Parameter& p, std::mt19937_64& random) {
  std::vector<std::byte> out(p.bytes());
  for (uint64_t k = 0; k < p.count; ++k) {
    const float value = static_cast<float>(static_cast<int64_t>(random() % 4001) - 2000) / 512;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (p.type == Type::Bf16) bits >>= 16;
    if (p.type == Type::F16) bits = (bits >> 16 & 0x8000) | (0x3800 + random() % 2048);
    if (!info(p.type).is_float) bits = random() % 8;
    std::memcpy(out.data() + k * info(p.type).bytes, &bits, std::min<size_t>(4, info(p.type).bytes));
  }
  return out;
}

/// A launch with a buffer for each parameter, and 64 bytes of nobody around each view.
struct OnDevice {
  explicit OnDevice(const std::string& text, const CompileOptions& options = {.path = Path::Tiles})
      : executable("p100a", text, options) {
    std::mt19937_64 random(7);
    for (const Parameter& p : executable.program().parameters) bytes.push_back(numbers_for(p, random));
  }

  /// Throws what the launch throws, differences too.
  Launched launch(Against check = Against::Definition) {
    std::vector<View> views;
    for (const std::vector<std::byte>& b : bytes) {
      const host::Buffer buffer = chip().allocate(host::Memory::Dram, b.size() + 128, kPageBytes);
      chip().write(buffer, std::vector<std::byte>(b.size() + 128, std::byte{0xA5}));
      chip().write(buffer, b, 64);
      views.push_back({buffer, 64, b.size()});
    }
    const Launched launched =
        executable.launch(chip(), views, numbers, {.max_harts = max_harts, .check = check, .scratch = &scratch()});
    for (size_t p = 0; p < views.size(); ++p) {
      std::vector<std::byte> all(bytes[p].size() + 128);
      chip().read(views[p].buffer, all);
      for (size_t at = 0; at < 64; ++at) {
        EXPECT_EQ(all[at], std::byte{0xA5}) << "before p" << p;
        EXPECT_EQ(all[all.size() - 1 - at], std::byte{0xA5}) << "behind p" << p;
      }
      bytes[p].assign(all.begin() + 64, all.end() - 64);
    }
    return launched;
  }

  Executable executable;
  std::vector<std::vector<std::byte>> bytes;  // of the parameters; launch() brings them back
  std::vector<int64_t> numbers;
  uint32_t max_harts = LaunchOptions{}.max_harts;
};

}  // namespace kerr::loops::tiles
