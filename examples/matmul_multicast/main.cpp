// C = A x B on a rectangle of cores: matmul_multicast [M N K]. Compared with float64 and with generated kernels.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <cstdio>
#include <cstdlib>

using namespace kerr;

int main(int count, char** words) {
  const auto size = [&](int i) { return count == 4 ? static_cast<uint32_t>(std::atoi(words[i])) : 256; };
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact}});
  host::Chip chip(device);
  const auto p = kernels::plan_matmul_multicast({size(1), size(2), size(3)}, kernels::matmul_cores(chip));
  const auto& cores = p.placement;  // a rectangle, row by row
  const graph::Tensor left = graph::random_tensor(p.m, p.k, p.options.in, 1);
  const graph::Tensor right = graph::random_tensor(p.k, p.n, p.options.in, 2);
  const host::Buffer a = graph::upload(chip, left, p.m_tiles, p.k_tiles);
  const host::Buffer b = graph::upload(chip, right, p.k_tiles, p.n_tiles);
  const host::Buffer c = graph::allocate(chip, p.options.out, p.m_tiles * p.n_tiles);

  host::Program program("C++", chip.layout());
  const uint32_t rows = p.core_rows, columns = p.core_columns, depth = p.k_block;  // tiles of a core's block of K
  const uint32_t down = rows / p.sub_rows, across = columns / p.sub_columns;       // sub-blocks
  const uint32_t pages[] = {2 * rows * depth, 2 * depth * columns, rows * columns};
  for (uint8_t id = 0; id < 3; ++id)
    program.add_circular_buffer({.id = id, .pages = pages[id], .page_bytes = p.in_bytes()});
  program.alias_circular_buffer(3, 2);  // the sums between K blocks
  for (int i = 0; i < 4; ++i) program.add_semaphore(0);
  const auto feed_a = program.add_kernel(image::read_elf(KERR_KERNEL_matmul_multicast_feed_a), cores);
  const auto feed_b = program.add_kernel(image::read_elf(KERR_KERNEL_matmul_multicast_feed_b), cores);
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_matmul_multicast_compute), cores);
  program.set_common_args(feed_a, {a.address(), rows, depth, p.k_tiles, p.k_blocks(), depth});
  program.set_common_args(feed_b, {b.address(), depth, columns, p.n_tiles, p.k_blocks(), depth * p.n_tiles, c.address(),
                                   down, across, p.sub_rows, p.sub_columns});
  program.set_common_args(compute, {p.k_blocks(), depth, down, across, p.sub_rows, p.sub_columns});
  for (uint32_t i = 0; i < p.cores(); ++i) {
    const uint32_t y = i / p.grid_columns, x = i % p.grid_columns, row = y * rows, column = x * columns;
    program.set_args(feed_a, cores[i], host::multicast_args(p.row_cores(y), x, 0, {row * p.k_tiles}));
    program.set_args(feed_b, cores[i], host::multicast_args(p.column_cores(x), y, 1, {column, row}));
  }

  const auto multiply = [&](const char* name, const host::Program& which) {
    host::CommandQueue queue(chip);
    queue.enqueue(which);
    const auto time = queue.finish().at(0);
    std::printf("%s: %u cycles\n", name, static_cast<unsigned>(time.end_cycles - time.start_cycles));
    return graph::download(chip, c, {p.m, p.n, p.options.out, {}}, p.n_tiles);
  };
  const auto generated =
      kernels::matmul_program(p, chip.layout(), chip.workers(), {a.address(), b.address(), c.address()});
  const graph::Tensor product = multiply("C++", program);
  const bool same = product.values == multiply("generated", generated).values;
  const bool verified = graph::check_matmul(left, right, product, 0, {}, 1, p.options).verified();
  std::printf("%s on %u cores: %s, %s bits as generated kernels\n", p.requested().text().c_str(), p.cores(),
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
