// The same small work on any device: a program through the command queue, buffers through it and through windows.
#pragma once

#include <gtest/gtest.h>

#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {

// Stores its second argument where its first one points.
inline Program store_program(std::span<const arch::NocCoord> cores, uint32_t address, uint32_t value) {
  image::Image image;
  image.name = "store";
  image.entry = 0x1000;
  image::Segment segment{.address = 0x1000, .load_address = 0x1000};
  for (uint32_t word : {0x0005'2283u, 0x0045'2303u, 0x0062'A023u, 0x0000'8067u}) {  // lw, lw, sw, ret
    for (int shift = 0; shift < 32; shift += 8) segment.bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  segment.memory_bytes = 16;
  image.segments.push_back(segment);
  Program program("store");
  const auto kernel = program.add_kernel(arch::Hart::Ncrisc, image, cores);
  for (arch::NocCoord core : cores) program.set_args(kernel, core, {address, value});
  return program;
}

inline void run_everything(PcieDevice& device, uint32_t value = 0xCAFE) {
  Chip chip(device);
  const auto cores = chip.workers().first(3);
  chip.run(store_program(cores, 0x150000, value));
  EXPECT_EQ(chip.io().read32(cores[2], 0x150000), value);
  CommandQueue queue(chip, {.region = {512 << 10, 1 << 16, 64, 0}});
  queue.enqueue(store_program(cores, 0x150000, value + 1));
  const Buffer buffer = chip.allocate(Memory::Dram, 100'000, 2048);
  const auto bytes = pattern(100'000);
  queue.write(buffer, bytes);
  std::vector<std::byte> out(bytes.size()), direct(bytes.size());
  queue.read(buffer, out);
  queue.finish();
  chip.read(buffer, direct);
  EXPECT_EQ(chip.io().read32(cores[0], 0x150000), value + 1);
  EXPECT_EQ(out, bytes);
  EXPECT_EQ(direct, bytes);
}

}  // namespace kerr::host
