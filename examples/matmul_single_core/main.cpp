// C = A x B on one core: reader, compute kernel and writer in C++. C is compared with float64, and with what generated
// kernels make.
#include <kerr/elf.hpp>
#include <kerr/graph.hpp>
#include <kerr/host.hpp>

#include <cstdio>

using namespace kerr;

int main() {
  constexpr uint32_t kM = 3, kN = 2, kK = 4, kTile = 32, kPage = 2048;  // sizes in tiles of 32 x 32 bf16 numbers
  const graph::Inputs inputs = {{"a", graph::random_tensor(kM * kTile, kK * kTile, graph::Format::Bf16, 1)},
                                {"b", graph::random_tensor(kK * kTile, kN * kTile, graph::Format::Bf16, 2)}};
  host::EmulatedDevice device;
  host::Chip chip(device);
  const host::Buffer a = graph::upload(chip, inputs.at("a")), b = graph::upload(chip, inputs.at("b"));
  const host::Buffer c = graph::allocate(chip, graph::Format::Bf16, kM * kN);

  host::Program program("matmul_single_core", chip.layout());
  for (const uint8_t id : {0, 1, 2}) program.add_circular_buffer({.id = id, .pages = 2, .page_bytes = kPage});
  const auto core = chip.workers().first(1);
  const auto reader = program.add_kernel(image::read_elf(KERR_KERNEL_matmul_single_core_reader), core);
  const auto writer = program.add_kernel(image::read_elf(KERR_KERNEL_matmul_single_core_writer), core);
  for (const auto kernel : {reader, writer}) {
    program.set_args(kernel, core[0], {a.address(), b.address(), c.address(), kM, kN, kK});
  }
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_matmul_single_core_compute), core);
  program.set_args(compute, core[0], {kM * kN, kK});
  chip.run(program);

  const graph::Tensor product = graph::download(chip, c, {kM * kTile, kN * kTile, graph::Format::Bf16, {}});
  const graph::Graph expression = graph::parse("a @ b", [&](std::string_view name) {
    const graph::Tensor& tensor = inputs.find(name)->second;
    return graph::Matrix{{tensor.rows, tensor.columns}};
  });
  const graph::RunOptions options{.cores = 1};
  const bool verified = graph::check(expression, inputs, product, options).verified();
  const bool same = graph::run(expression, inputs, chip, options).values == product.values;
  std::printf("%u x %u: %s, %s bits as generated kernels\n", product.rows, product.columns,
              verified ? "verified" : "wrong", same ? "the same" : "other");
  return verified && same ? 0 : 1;
}
