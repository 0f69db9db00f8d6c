// exp(x), tile by tile, on one core. Compared with float64 and with what generated kernels make.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>

#include <cstdio>

using namespace kerr;

int main() {
  constexpr uint32_t kRows = 4, kColumns = 4, kTiles = kRows * kColumns, kPage = 2048;  // tiles of 32 x 32 bf16 numbers
  const graph::Inputs inputs = {{"x", graph::random_tensor(32 * kRows, 32 * kColumns, graph::Format::Bf16, -5, 5, 1)}};
  host::EmulatedDevice device;
  host::Chip chip(device);
  const host::Buffer x = graph::upload(chip, inputs.at("x"));
  const host::Buffer out = graph::allocate(chip, graph::Format::Bf16, kTiles);

  host::Program program("eltwise_sfpu", chip.layout());
  for (const uint8_t id : {0, 16}) program.add_circular_buffer({.id = id, .pages = 2, .page_bytes = kPage});
  const auto core = chip.workers().first(1);
  const auto add = [&](const char* file, const std::vector<uint32_t>& args) {
    program.set_args(program.add_kernel(image::read_elf(file), core), core[0], args);
  };
  add(KERR_KERNEL_eltwise_sfpu_reader, {x.address(), kTiles});
  add(KERR_KERNEL_eltwise_sfpu_writer, {out.address(), kTiles});
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_eltwise_sfpu_compute), core);
  program.set_args(compute, core[0], {kTiles});
  chip.run(program);

  const graph::Tensor result = graph::download(chip, out, {32 * kRows, 32 * kColumns, graph::Format::Bf16, {}});
  const graph::Graph expression = graph::parse("exp(x)", [&](std::string_view) {
    return graph::Matrix{{32 * kRows, 32 * kColumns}};
  });
  const bool verified = graph::check(expression, inputs, result, {}).verified();
  const bool same = graph::run(expression, inputs, chip, {}).values == result.values;
  std::printf("exp(x) of %u x %u: %s, %s bits as generated kernels\n", result.rows, result.columns,
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
