#include "kernels/vector_product/vector_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/shares.hpp"
#include "kernels/stream/checked_program.hpp"
#include "kernels/vector_product/streams.hpp"

namespace kerr::kernels {

namespace {

// Saturates, which is as wrong as overflowing but does not look right.
uint64_t times(uint64_t x, uint64_t y) {
  uint64_t product = 0;
  return __builtin_mul_overflow(x, y, &product) ? UINT64_MAX : product;
}

void check_tensor(const char* name, uint32_t address, uint64_t pages, uint32_t banks) {
  constexpr uint64_t kPage = tile_bytes(vector_product::kFormat), kAlignment = 64;
  if (address % kAlignment != 0) {
    throw std::invalid_argument(
        fmt::format("{} of a vector product is at {:#x}, no multiple of {}", name, address, kAlignment));
  }
  const uint64_t rows = pages / banks + (pages % banks != 0);
  if (rows > (1ull << 32) / kPage || address + rows * kPage > 1ull << 32) {
    throw std::invalid_argument(
        fmt::format("{} of a vector product has {} tiles and begins at {:#x}: its end is beyond 32-bit addresses", name,
                    pages, address));
  }
}

void check(const VectorProductShape& s, const arch::FirmwareLayout& layout, size_t cores,
           const VectorProductBuffers& buffers) {
  if (s.batch == 0 || s.m_tiles == 0 || s.n_tiles == 0 || s.k_tiles == 0) {
    throw std::invalid_argument(fmt::format("a vector product of {} times {} x {} x {} tiles (M, N, K): none may be 0",
                                            s.batch, s.m_tiles, s.n_tiles, s.k_tiles));
  }
  if (cores == 0) throw std::invalid_argument("a vector product without cores");
  const auto pages = [&](uint32_t x, uint32_t y) { return times(times(s.batch, x), y); };
  check_tensor("A", buffers.a, pages(s.m_tiles, s.k_tiles), layout.dram_banks);
  check_tensor("B", buffers.b, pages(s.n_tiles, s.k_tiles), layout.dram_banks);
  check_tensor("C", buffers.c, pages(s.m_tiles, s.n_tiles), layout.dram_banks);
}

}  // namespace

host::Program vector_product_program(const VectorProductShape& shape, const arch::FirmwareLayout& layout,
                                     std::span<const arch::NocCoord> cores, const VectorProductBuffers& buffers) {
  using namespace vector_product;
  check(shape, layout, cores.size(), buffers);
  const uint32_t tiles = shape.batch * shape.m_tiles * shape.n_tiles;
  const auto used = cores.first(std::min<size_t>(tiles, cores.size()));

  CheckedProgram program("vector_product", layout);
  constexpr uint32_t kPage = tile_bytes(kFormat);
  program->add_circular_buffer({.id = kBufferIn, .pages = kPagesIn, .page_bytes = kPage});
  program->add_circular_buffer({.id = kBufferOut, .pages = kPagesOut, .page_bytes = kPage});
  std::vector<host::Program::KernelId> kernels;
  const auto add = [&](arch::Hart hart, const Kernel& kernel, const char* role) {
    kernels.push_back(
        program.add_kernel(hart, kernel, fmt::format("vector_product_{}", role), used, {.noc = kWriterNoc}));
  };
  add(arch::Hart::Ncrisc, reader(layout), "reader");
  add(arch::Hart::Brisc, writer(layout), "writer");
  add(arch::Hart::Trisc0, unpack(), "unpack");
  add(arch::Hart::Trisc1, math(), "math");
  add(arch::Hart::Trisc2, pack(), "pack");
  for (const auto kernel : kernels) {
    program->set_common_args(kernel, {buffers.a, buffers.b, buffers.c});
    for_each_share(tiles, static_cast<uint32_t>(used.size()), [&](uint32_t core, uint32_t first, uint32_t count) {
      program->set_args(
          kernel, used[core],
          {first, count, shape.k_tiles, shape.n_tiles, shape.m_tiles, shape.k_tiles / 2, shape.k_tiles % 2});
    });
  }
  return std::move(program).finish();
}

}  // namespace kerr::kernels
