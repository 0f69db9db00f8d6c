// C = A x B on a rectangle of cores: matmul_multicast [M N K]. Compared with float64 and with what generated kernels
// make.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <cstdio>
#include <cstdlib>

using namespace kerr;

int main(int count, char** words) {
  const auto size = [&](int i) { return count == 4 ? static_cast<uint32_t>(std::atoi(words[i])) : 256; };
  const uint32_t m = size(1), n = size(2), k = size(3), page = 2048;  // a tile of bf16
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact}});
  host::Chip chip(device);
  const auto p = kernels::plan_matmul_multicast({m, n, k}, {chip.workers(), arch::kL1Bytes - chip.layout().unreserved});
  const auto matrix = [&](uint32_t tiles) { return chip.allocate(host::Memory::Dram, uint64_t{tiles} * page, page); };
  const host::Buffer a = matrix(p.m_tiles * p.k_tiles), b = matrix(p.k_tiles * p.n_tiles),
                     c = matrix(p.m_tiles * p.n_tiles);
  const graph::Tensor left = graph::random_tensor(m, k, graph::Format::Bf16, 1);
  const graph::Tensor right = graph::random_tensor(k, n, graph::Format::Bf16, 2);
  chip.write(a, graph::to_tiles(left, p.m_tiles, p.k_tiles));
  chip.write(b, graph::to_tiles(right, p.k_tiles, p.n_tiles));

  host::Program program("matmul_multicast", chip.layout());
  const uint32_t rows = p.core_rows, columns = p.core_columns, down = rows / p.sub_rows,
                 across = columns / p.sub_columns;
  const uint32_t pages[] = {2 * rows * p.k_block, 2 * columns * p.k_block, rows * columns};
  for (uint8_t id = 0; id < 3; ++id) program.add_circular_buffer({.id = id, .pages = pages[id], .page_bytes = page});
  program.alias_circular_buffer(3, 2);  // the sums between K blocks
  for (int i = 0; i < 4; ++i) program.add_semaphore(0);
  const auto feed_a =
      program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_matmul_multicast_feed_a), p.placement);
  const auto feed_b =
      program.add_kernel(arch::Hart::Ncrisc, image::read_elf(KERR_KERNEL_matmul_multicast_feed_b), p.placement);
  const auto compute =
      program.add_compute_kernel(image::read_compute(KERR_KERNEL_matmul_multicast_compute), p.placement);
  program.set_common_args(compute, {p.k_blocks(), p.k_block, down, across, p.sub_rows, p.sub_columns});
  for (uint32_t i = 0; i < p.cores(); ++i) {
    const uint32_t x = i % p.grid_columns, y = i / p.grid_columns, right_of = p.grid_columns - 1,
                   below = p.grid_rows - 1;
    const auto at = [&](uint32_t column, uint32_t row) { return p.placement[row * p.grid_columns + column]; };
    // A sender has two corners of the others, on NoC 1 the far one first; the others have their sender.
    const auto a0 = at(x == 0 && right_of != 0, y), a1 = at(right_of, y), b0 = at(x, y == 0 ? below : 0),
               b1 = at(x, below != 0);
    const auto from_a = x == 0 ? a0 : at(0, y);
    program.set_args(feed_a, at(x, y),
                     {a.address(), rows, p.k_block, p.k_tiles, p.k_block, p.k_blocks(), x == 0, from_a.x, from_a.y,
                      a1.x, a1.y, right_of, y * rows * p.k_tiles});
    program.set_args(feed_b, at(x, y),
                     {b.address(), p.k_block, columns, p.n_tiles, p.k_block * p.n_tiles, p.k_blocks(), y == 0, b0.x,
                      b0.y, b1.x, b1.y, below, x * columns, c.address(), y * rows * p.n_tiles + x * columns, down,
                      across, p.sub_rows, p.sub_columns});
  }

  const auto multiply = [&](const char* name, const host::Program& which) {
    host::CommandQueue queue(chip);
    queue.enqueue(which);
    const auto time = queue.finish().at(0);
    std::vector<std::byte> tiles(c.bytes());
    queue.read(c, tiles);
    std::printf("%s: %u cycles\n", name, static_cast<unsigned>(time.end_cycles - time.start_cycles));
    return tiles;
  };
  const std::vector<std::byte> tiles = multiply("C++", program);
  const bool same = tiles == multiply("generated", kernels::matmul_program(p, chip.layout(), chip.workers(),
                                                                           {a.address(), b.address(), c.address()}));
  graph::Tensor product{m, n, graph::Format::Bf16, {}};
  graph::from_tiles(tiles, p.n_tiles, product);
  const bool verified =
      graph::check_matmul(left, right, product, 0, {}, 1, p.options).verdict() == graph::Verdict::Verified;
  std::printf("%u x %u x %u on %u cores: %s, %s bits as generated kernels\n", m, n, k, p.cores(),
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
