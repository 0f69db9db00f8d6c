// One core reads a tile from DRAM and sends it to all cores of a rectangle at once; each writes its copy back.
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace kerr;
using namespace kerr::isa::reg;

constexpr arch::NocCoord kSender{1, 2}, kLeast{2, 2}, kMost{5, 4};  // a rectangle of 4 x 3 receivers beside the sender
constexpr uint32_t kReceivers = 12, kTileBytes = 2048;
constexpr uint8_t kBuffer = 0;              // circular buffer of one page, at the same address on all cores
constexpr uint32_t kReady = 0, kValid = 1;  // semaphores: who has room; the tile has come
constexpr int kArgRectangle = 0, kArgSender = 0, kArgTile = 4;

// NCRISC of the sender.
kernels::Kernel send(const arch::FirmwareLayout& layout) {
  const kernels::DataflowBuffer buffer{kBuffer, 1, s0, a3};
  const kernels::DramTiles dram{layout, arch::Hart::Ncrisc, 0, kTileBytes, s1, s2, s3};
  const kernels::Multicast multicast{0, s4, s5, s6, a0};
  const kernels::Receivers receivers[] = {{kArgRectangle, kReceivers}};
  kernels::Stream a = kernels::begin_kernel("send");
  a.lw(s7, a1, 0);  // common argument 0: where the tile is in DRAM
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  buffer.reserve_back(a, 1);
  a.mv(s8, buffer.pointer);
  a.li(t0, 0);  // its number
  dram.read(a, 1, s7, buffer.pointer);
  dram.read_barrier(a);
  a.li(t1, kReceivers);
  kernels::await_semaphore(a, a2, kReady, t1, kReceivers);  // until all of them have reserved a page
  multicast.open(a);
  multicast.send(a, s8, kTileBytes, receivers, kBuffer);
  a.li(t0, 1);
  a.sw(t0, a2, kernels::semaphore_offset(kValid));
  a.addi(t5, a2, kernels::semaphore_offset(kValid));
  multicast.send_semaphore(a, t5, receivers, kValid);  // arrives behind the tile
  multicast.barrier(a);
  buffer.push_back(a, 1);  // the sender has a copy too
  return kernels::end_kernel(a);
}

// NCRISC of the receivers.
kernels::Kernel receive() {
  const kernels::DataflowBuffer buffer{kBuffer, 1, zero, a3};  // it only counts: the tile comes by itself
  const kernels::RemoteIncrement increment{0, s0, s1, s2};
  kernels::Stream a = kernels::begin_kernel("receive");
  a.lw(s3, a0, kArgSender);
  buffer.open_for_writing(a);
  increment.open(a);
  buffer.reserve_back(a, 1);
  a.addi(s4, a2, kernels::semaphore_offset(kReady));
  increment.issue(a, s4, s3, {kReady, kArgSender});
  a.li(t1, 1);
  kernels::await_semaphore(a, a2, kValid, t1, 1);
  buffer.push_back(a, 1);
  increment.barrier(a);
  return kernels::end_kernel(a);
}

// BRISC of all: from the buffer to tile number kArgTile in DRAM.
kernels::Kernel write_back(const arch::FirmwareLayout& layout) {
  const kernels::DataflowBuffer buffer{kBuffer, 1, s0, a3};
  const kernels::DramTiles dram{layout, arch::Hart::Brisc, 1, kTileBytes, s1, s2, s3};
  kernels::Stream a = kernels::begin_kernel("write_back");
  a.lw(s4, a0, kArgTile);
  a.lw(s5, a1, 0);
  buffer.open_for_reading(a);
  dram.open_for_writing(a);
  kernels::move_pages(a, kernels::Direction::Out, buffer, dram, 1, [&] {
    a.mv(t0, s4);
    dram.write(a, 1, s5, buffer.pointer);
  });
  return kernels::end_kernel(a);
}

int main() try {
  host::EmulatedDevice device;
  host::Chip chip(device);
  std::vector<arch::NocCoord> cores;  // receivers, then the sender
  for (uint8_t y = kLeast.y; y <= kMost.y; ++y)
    for (uint8_t x = kLeast.x; x <= kMost.x; ++x) cores.push_back({x, y});
  cores.push_back(kSender);
  const std::span<const arch::NocCoord> receivers(cores.data(), kReceivers), sender(&cores.back(), 1);
  const host::Buffer source = chip.allocate(host::Memory::Dram, kTileBytes, kTileBytes);
  const host::Buffer target = chip.allocate(host::Memory::Dram, cores.size() * kTileBytes, kTileBytes);
  std::vector<uint32_t> tile(kTileBytes / 4), copies(cores.size() * tile.size());
  for (uint32_t i = 0; i < tile.size(); ++i) tile[i] = i * 2654435761u;
  chip.write(source, std::as_bytes(std::span(tile)));

  kernels::CheckedProgram program("multicast", chip.layout());
  program->add_circular_buffer({.id = kBuffer, .pages = 1, .page_bytes = kTileBytes});
  program->add_semaphore();
  program->add_semaphore();
  const auto sends = program.add_kernel(arch::Hart::Ncrisc, send(chip.layout()), "send", sender);
  const auto receives = program.add_kernel(arch::Hart::Ncrisc, receive(), "receive", receivers);
  const auto writes = program.add_kernel(arch::Hart::Brisc, write_back(chip.layout()), "write_back", cores, {.noc = 1});
  program->set_args(sends, kSender, {kernels::multicast_rectangle(0, kLeast, kMost)});
  program->set_common_args(sends, {source.address()});
  program->set_common_args(writes, {target.address()});
  for (uint32_t i = 0; i < cores.size(); ++i) {
    program->set_args(writes, cores[i], {0, i});
    if (i < kReceivers) program->set_args(receives, cores[i], {kSender.packed()});
  }
  chip.run(std::move(program).finish());
  chip.read(target, std::as_writable_bytes(std::span(copies)));
  size_t right = 0;
  for (auto copy = copies.begin(); copy != copies.end(); copy += tile.size())
    right += std::equal(tile.begin(), tile.end(), copy);
  std::printf("%zu of %zu cores have the tile%s\n", right, cores.size(), right == cores.size() ? ": verified" : "");
  return right == cores.size() ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
