// The program of the README, and an expression from C++, with checks at their ends.
#include <gtest/gtest.h>

#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "isa/assembler.hpp"

namespace kerr {
namespace {

using namespace isa::reg;

TEST(FirstProgram, AddsOneToAWordOfL1) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const arch::NocCoord core{1, 2};

  isa::Assembler a;
  a.lw(t0, a0);
  a.lw(t1, t0);
  a.addi(t1, t1, 1);
  a.sw(t1, t0);
  a.ret();

  host::Program program("add_one");
  const uint32_t word = program.add_l1(16);
  const auto kernel = program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "add_one"), {&core, 1});
  program.set_args(kernel, core, {word});
  const uint32_t before = 41;
  chip.io().write(core, word, std::as_bytes(std::span(&before, 1)));
  chip.run(program);
  uint32_t after = 0;
  chip.io().read(core, word, std::as_writable_bytes(std::span(&after, 1)));
  EXPECT_EQ(after, 42u);
}

TEST(FirstProgram, ComputesAnExpression) {
  host::EmulatedDevice device;
  host::Chip chip(device);
  const graph::Graph graph = graph::parse("tanh(x) * y + 1", [](std::string_view) { return graph::Shape{100, 200}; });
  graph::Inputs inputs;
  for (const char* name : {"x", "y"}) {
    inputs.emplace(name, graph::random_tensor(100, 200, kernels::Format::Bf16, -1, 1, 1));
  }
  const graph::Tensor result = graph::run(graph, inputs, chip, {});
  EXPECT_TRUE(graph::check(graph, inputs, result, {}).good());
}

}  // namespace
}  // namespace kerr
