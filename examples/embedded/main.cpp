// On an emulated P100A: a kernel of four cores, then an expression over two matrices.
#include <kerr/graph.hpp>
#include <kerr/host.hpp>
#include <kerr/version.hpp>

#include <cstdio>
#include <cstring>
#include <exception>

using namespace kerr;
using namespace kerr::isa::reg;

image::Image adder() {
  isa::Assembler a;
  a.function("add");
  a.lw(t0, a0, 0);  // address of the word
  a.lw(t1, a0, 4);  // what to add
  a.lw(t2, t0);
  a.add(t2, t2, t1);
  a.sw(t2, t0);
  a.ret();
  return image::Image::from(a.finish(), "add");
}

// Core i adds 10 * i to a word of its own.
bool words(host::Chip& chip) {
  host::CommandQueue queue(chip);
  const auto cores = chip.workers().first(4);
  const host::Buffer words = chip.allocate_sharded(host::Memory::L1, 64, 16, cores);
  std::vector<std::byte> bytes(64);
  queue.write(words, bytes);
  host::Program program("add");
  const auto kernel = program.add_kernel(arch::Hart::Brisc, adder(), cores);
  for (uint32_t i = 0; i < 4; ++i) program.set_args(kernel, cores[i], {words.address(), 10 * i});
  queue.enqueue(program);
  queue.read(words, bytes);
  uint32_t last = 0;
  std::memcpy(&last, bytes.data() + 48, 4);
  std::printf("fourth word: %u\n", last);
  return last == 30;
}

bool product(host::Chip& chip) {
  const graph::Inputs inputs = {{"x", graph::random_tensor(64, 128, graph::Format::Bf16, 1)},
                                {"y", graph::random_tensor(128, 32, graph::Format::Bf16, 2)}};
  const graph::Graph graph = graph::parse("relu(x @ y)", [&](std::string_view name) {
    const graph::Tensor& tensor = inputs.find(name)->second;
    return graph::Matrix{{tensor.rows, tensor.columns}};
  });
  const graph::Tensor result = graph::run(graph, inputs, chip, {});
  const bool right = graph::check(graph, inputs, result, {}).verified();
  std::printf("product: %u x %u, %s\n", result.rows, result.columns, right ? "verified" : "wrong");
  return right;
}

int main() {
  std::printf("Kerr %s\n", KERR_VERSION_STRING);
  try {
    host::EmulatedDevice device;
    host::Chip chip(device);
    return words(chip) && product(chip) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
