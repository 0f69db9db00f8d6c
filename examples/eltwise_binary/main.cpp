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
  const host::Buffer a = graph::upload(chip, inputs.at("a")), b = graph::upload(chip, inputs.at("b"));
  const host::Buffer out = graph::allocate(chip, graph::Format::Bf16, kTiles);

  host::Program program("eltwise_binary", chip.layout());
  for (const uint8_t id : {0, 1, 16}) program.add_circular_buffer({.id = id, .pages = 2, .page_bytes = kPage});
  const auto core = chip.workers().first(1);
  const auto add = [&](const char* file, const std::vector<uint32_t>& args) {
    program.set_args(program.add_kernel(image::read_elf(file), core), core[0], args);
  };
  add(KERR_KERNEL_eltwise_binary_reader, {a.address(), b.address(), kTiles});
  add(KERR_KERNEL_eltwise_binary_writer, {out.address(), kTiles});
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_eltwise_binary_compute), core);
  program.set_args(compute, core[0], {kTiles});
  chip.run(program);

  const graph::Tensor result = graph::download(chip, out, {32 * kRows, 32 * kColumns, graph::Format::Bf16, {}});
  const graph::Graph expression = graph::parse("a + b", [&](std::string_view) {
    return graph::Matrix{{32 * kRows, 32 * kColumns}};
  });
  const bool verified = graph::check(expression, inputs, result, {}).verified();
  const bool same = graph::run(expression, inputs, chip, {}).values == result.values;
  std::printf("a + b of %u x %u: %s, %s bits as generated kernels\n", result.rows, result.columns,
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
