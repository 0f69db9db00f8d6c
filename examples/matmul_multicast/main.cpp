// C = A x B on a rectangle of cores: matmul_multicast [M N K]. C is compared with float64, and with what generated kernels make.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <cstdio>
#include <cstdlib>

using namespace kerr;

int main(int count, char** words) {
  const auto size = [&](int i) { return count == 4 ? static_cast<uint32_t>(std::atoi(words[i])) : 512; };
  const uint32_t m = size(1), n = size(2), k = size(3), page = 2048;  // a tile of bf16
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact}});
  host::Chip chip(device);
  const auto p = kernels::plan_matmul_multicast({m, n, k}, {chip.workers(), arch::kL1Bytes - chip.layout().unreserved});
  const auto matrix = [&](uint32_t tiles) { return chip.allocate(host::Memory::Dram, uint64_t{tiles} * page, page); };
  const host::Buffer a = matrix(p.m_tiles * p.k_tiles), b = matrix(p.k_tiles * p.n_tiles), c = matrix(p.m_tiles * p.n_tiles);
  const graph::Tensor left = graph::random_tensor(m, k, graph::Format::Bf16, 1);
  const graph::Tensor right = graph::random_tensor(k, n, graph::Format::Bf16, 2);
  chip.write(a, graph::to_tiles(left, p.m_tiles, p.k_tiles));
  chip.write(b, graph::to_tiles(right, p.k_tiles, p.n_tiles));

  host::Program program("matmul_multicast", chip.layout());
  const uint32_t down = p.core_rows / p.sub_rows, across = p.core_columns / p.sub_columns;  // sub-blocks of a core
  const uint32_t pages[] = {2 * p.core_rows * p.k_block, 2 * p.core_columns * p.k_block, p.core_rows * p.core_columns};
  for (uint8_t id = 0; id < 3; ++id) program.add_circular_buffer({.id = id, .pages = pages[id], .page_bytes = page});
  program.alias_circular_buffer(3, 2);  // the sums between K blocks
  for (int i = 0; i < 4; ++i) program.add_semaphore(0);
  const auto feed_a = program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_multicast_feed_a), p.placement);
  const auto feed_b = program.add_kernel(arch::Hart::Ncrisc, image::read_elf(KERR_KERNEL_multicast_feed_b), p.placement);
  const auto compute = image::read_compute(KERR_KERNEL_multicast_compute);
  for (uint8_t i = 0; i < 3; ++i) {
    const auto kernel = program.add_kernel(static_cast<arch::Hart>(2 + i), compute[i], p.placement);
    program.set_common_args(kernel, {p.k_blocks(), p.k_block, down, across, p.sub_rows, p.sub_columns});
  }
  for (uint32_t i = 0; i < p.cores(); ++i) {
    const uint32_t x = i % p.grid_columns, y = i / p.grid_columns, first_row = y * p.core_rows, first_column = x * p.core_columns;
    const auto at = [&](uint32_t column, uint32_t row) { return p.placement[row * p.grid_columns + column]; };
    // A sender has the rectangle that it sends to, on NoC 1 from its far corner; the others have their sender.
    const auto [a0, a1] = std::pair(at(x == 0 && p.grid_columns > 1, y), at(x == 0 ? p.grid_columns - 1 : 0, y));
    const auto [b0, b1] = std::pair(at(x, y == 0 ? p.grid_rows - 1 : 0), at(x, y == 0 && p.grid_rows > 1));
    program.set_args(feed_a, at(x, y), {p.core_rows, p.k_block, p.k_tiles, p.k_block, p.k_blocks(), x == 0, a0.x, a0.y, a1.x, a1.y,
                                        p.grid_columns - 1, a.address(), first_row * p.k_tiles});
    program.set_args(feed_b, at(x, y), {p.k_block, p.core_columns, p.n_tiles, p.k_block * p.n_tiles, p.k_blocks(), y == 0, b0.x, b0.y,
                                        b1.x, b1.y, p.grid_rows - 1, b.address(), first_column, c.address(),
                                        first_row * p.n_tiles + first_column, down, across, p.sub_rows, p.sub_columns});
  }

  std::vector<std::byte> results[2];
  host::Program generated =kernels::matmul_program(p, chip.layout(), chip.workers(), {a.address(), b.address(), c.address()});
  for (host::Program* which : {&program, &generated}) {
    host::CommandQueue queue(chip);
    queue.enqueue(*which);
    const auto time = queue.finish().at(0);
    auto& tiles = results[which == &generated];
    tiles.resize(c.bytes());
    queue.read(c, tiles);
    std::printf("%s: %llu cycles\n", which == &generated ? "generated" : "C++", static_cast<unsigned long long>(time.end_cycles - time.start_cycles));
  }
  graph::Tensor product{m, n, graph::Format::Bf16, {}};
  graph::from_tiles(results[0], p.n_tiles, product);
  const bool right_ = graph::check_matmul(left, right, product, 0, {}, 1, p.options).verdict() == graph::Verdict::Verified;
  std::printf("%u x %u x %u: %s, %s\n", m, n, k, right_ ? "verified" : "wrong", results[0] == results[1] ? "bit for bit what generated kernels make" : "other bits than generated kernels make");
  return right_ && results[0] == results[1] ? 0 : 1;
}
