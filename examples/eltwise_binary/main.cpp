// a + b, tile by tile, on one core. Compared with float64 and with what generated kernels make.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>

#include <cstdio>

using namespace kerr;

int main() {
  constexpr uint32_t kRows = 4, kColumns = 4, kTiles = kRows * kColumns, kPage = 2048;  // tiles of 32 x 32 bf16 numbers
  // The matrix unit does not round each sum to the nearest number; those of eighths are exact.
  const auto eighths = [](uint64_t seed) {
    graph::Tensor t = graph::random_tensor(32 * kRows, 32 * kColumns, graph::Format::Bf16, seed);
    for (float& value : t.values) value = static_cast<float>(static_cast<int>(value * 64)) / 8;
    return t;
  };
  const graph::Inputs inputs = {{"a", eighths(1)}, {"b", eighths(2)}};
  host::EmulatedDevice device;
  host::Chip chip(device);
  const auto matrix = [&] { return chip.allocate(host::Memory::Dram, kTiles * kPage, kPage); };
  const host::Buffer a = matrix(), b = matrix(), out = matrix();
  chip.write(a, graph::to_tiles(inputs.at("a"), kRows, kColumns));
  chip.write(b, graph::to_tiles(inputs.at("b"), kRows, kColumns));

  host::Program program("eltwise_binary", chip.layout());
  for (const uint8_t id : {0, 1, 16}) program.add_circular_buffer({.id = id, .pages = 2, .page_bytes = kPage});
  const auto core = chip.workers().first(1);
  const auto add = [&](arch::Hart hart, image::Image image, const std::vector<uint32_t>& args) {
    const auto kernel = program.add_kernel(hart, std::move(image), core, {.noc = 1});
    program.set_args(kernel, core[0], args);
  };
  add(arch::Hart::Ncrisc, image::read_elf(KERR_KERNEL_eltwise_binary_reader), {a.address(), b.address(), kTiles});
  add(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_eltwise_binary_writer), {out.address(), kTiles});
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_eltwise_binary_compute), core);
  program.set_args(compute, core[0], {kTiles});
  chip.run(program);

  std::vector<std::byte> tiles(out.bytes());
  chip.read(out, tiles);
  graph::Tensor result{32 * kRows, 32 * kColumns, graph::Format::Bf16, {}};
  graph::from_tiles(tiles, kColumns, result);
  const graph::Graph expression = graph::parse("a + b", [&](std::string_view) {
    return graph::Matrix{{32 * kRows, 32 * kColumns}};
  });
  const bool verified = graph::check(expression, inputs, result, {}).verdict() == graph::Verdict::Verified;
  const bool same = graph::run(expression, inputs, chip, {}).values == result.values;
  std::printf("a + b of %u x %u: %s, %s bits as generated kernels\n", result.rows, result.columns,
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
