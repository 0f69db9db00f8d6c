#include "tests/check/mutation/subject.hpp"

#include <array>
#include <optional>

#include "graph/parse.hpp"
#include "graph/random.hpp"
#include "graph/run.hpp"
#include "graph/tensor.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "image/elf/reader.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/expression/expression.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/transpose/transpose.hpp"

namespace kerr::mutation {

namespace {

using Bytes = std::vector<std::byte>;
using kernels::Format;

class Bench {
 public:
  Bench(host::PcieDevice& device, host::Deadline deadline, unsigned queues = 1)
      : deadline_(deadline), chip_(device, {.boot_deadline = deadline, .queues = queues}) {}

  host::Chip& chip() { return chip_; }
  host::Buffer operand(uint32_t rows, uint32_t columns, unsigned seed) {
    const graph::Tensor t = graph::random_tensor(32 * rows, 32 * columns, Format::Bf16, seed);
    host::Buffer buffer = result(rows * columns, Format::Bf16);
    chip_.write(buffer, graph::to_tiles(t, rows, columns));
    return buffer;
  }
  host::Buffer result(uint32_t tiles, Format format) {
    const uint32_t page = kernels::tile_bytes(format);
    return chip_.allocate(host::Memory::Dram, uint64_t{tiles} * page, page);
  }
  Bytes run(const host::Program& program, const host::Buffer& out) {
    launch(program);
    return bytes_of(out);
  }
  void launch(const host::Program& program) { chip_.run(program, deadline_, host::Chip::DeadlineOf::All); }
  Bytes bytes_of(const host::Buffer& out) {
    Bytes bytes(out.bytes());
    chip_.read(out, bytes);
    return bytes;
  }

 private:
  host::Deadline deadline_;
  host::Chip chip_;
};

Bytes product(host::PcieDevice& device, host::Deadline deadline, bool multicast) {
  Bench bench(device, deadline);
  // Directly more than two halves of Dst for each core.
  const kernels::ProductShape shape = multicast ? kernels::ProductShape{.m = 128, .n = 128, .k = 512}
                                                : kernels::ProductShape{.m = 256, .n = 256, .k = 128};
  const kernels::MatmulPlan plan = multicast
                                       ? kernels::plan_matmul_multicast(shape, {bench.chip().workers(), 1'000'000})
                                       : kernels::plan_matmul_direct(shape, 2);
  const host::Buffer a = bench.operand(plan.m_tiles, plan.k_tiles, 1), b = bench.operand(plan.k_tiles, plan.n_tiles, 2),
                     c = bench.result(plan.m_tiles * plan.n_tiles, Format::Bf16);
  return bench.run(kernels::matmul_program(plan, bench.chip().layout(), bench.chip().workers(),
                                           {.a = a.address(), .b = b.address(), .c = c.address()}),
                   c);
}

host::Program sum_of(Bench& bench, const host::Buffer& a, const host::Buffer& b, const host::Buffer& c,
                     uint32_t tiles) {
  kernels::Expression sum;
  sum.apply(kernels::Operation::Add, std::array{sum.input(0), sum.input(1)});
  return kernels::elementwise_program(sum, Format::Bf16, tiles, bench.chip().layout(), bench.chip().workers().first(2),
                                      {.inputs = {a.address(), b.address()}, .output = c.address()});
}

Bytes sum(host::PcieDevice& device, host::Deadline deadline) {
  Bench bench(device, deadline);
  constexpr uint32_t kTiles = 40;  // more than the buffers hold
  const host::Buffer a = bench.operand(kTiles, 1, 1), b = bench.operand(kTiles, 1, 2),
                     c = bench.result(kTiles, Format::Bf16);
  bench.run(sum_of(bench, a, b, c, kTiles), c);
  return bench.run(sum_of(bench, c, a, b, kTiles), b);  // again, behind itself
}

Bytes reduced(host::PcieDevice& device, host::Deadline deadline) {
  Bench bench(device, deadline);
  const kernels::ReduceShape shape{kernels::Reduction::Sum, kernels::Along::Row, 8, 6};
  const host::Buffer in = bench.operand(8, 6, 1), out = bench.result(8, kernels::reduced_format(Format::Bf16));
  return bench.run(kernels::reduce_program(shape, Format::Bf16, bench.chip().layout(), bench.chip().workers().first(2),
                                           in.address(), out.address()),
                   out);
}

Bytes transposed(host::PcieDevice& device, host::Deadline deadline) {
  Bench bench(device, deadline);
  const host::Buffer in = bench.operand(6, 6, 1), out = bench.result(36, Format::Bf16);
  return bench.run(kernels::transpose_program(6, 6, bench.chip().layout(), bench.chip().workers().first(2),
                                              in.address(), out.address()),
                   out);
}

// Kernels in C++, by tt-metal's names: exp of each element.
Bytes compiled(host::PcieDevice& device, host::Deadline deadline) {
  Bench bench(device, deadline);
  constexpr uint32_t kTiles = 6;
  const host::Buffer in = bench.operand(kTiles, 1, 1), out = bench.result(kTiles, Format::Bf16);
  host::Program program("compiled", bench.chip().layout());
  for (const uint8_t id : {0, 16})
    program.add_circular_buffer({.id = id, .pages = 2, .page_bytes = kernels::tile_bytes(Format::Bf16)});
  const auto core = bench.chip().workers().first(1);
  const auto add = [&](const char* file, uint32_t address) {
    program.set_args(program.add_kernel(image::read_elf(file), core), core[0], {address, kTiles});
  };
  add(KERR_KERNEL_mutation_reader, in.address());
  add(KERR_KERNEL_mutation_writer, out.address());
  const auto compute = program.add_compute_kernel(image::read_compute(KERR_KERNEL_mutation_compute), core);
  program.set_args(compute, core[0], {kTiles});
  return bench.run(program, out);
}

// Several programs, each made of what the one before has left.
Bytes evaluated(host::PcieDevice& device, host::Deadline deadline, std::string_view expression) {
  Bench bench(device, deadline);
  constexpr uint32_t kRows = 160, kColumns = 96;  // several tiles, for two cores
  const graph::Graph graph = graph::parse(expression, [](std::string_view) {
    return graph::Matrix{{kRows, kColumns}};
  });
  graph::Inputs inputs;
  for (unsigned seed = 1; const char* name : {"a", "b", "c"})
    inputs.emplace(name, graph::random_tensor(kRows, kColumns, Format::Bf16, seed++));
  std::erase_if(inputs, [&](const auto& input) { return expression.find(input.first) == std::string_view::npos; });
  const graph::Tensor result =
      graph::run(graph, inputs, bench.chip(),
                 {.cores = 2, .launch = [&](const host::Program& program) { bench.launch(program); }});
  const auto bytes = std::as_bytes(std::span(result.values));
  return {bytes.begin(), bytes.end()};
}

// Sums by the command queue, whose kernels are mutated too: so many, and so much that is written, that its rings go
// round; and by another queue behind it, which begins only if the kernels of the first have ended.
Bytes queued(host::PcieDevice& device, host::Deadline deadline, const host::QueueOptions& options) {
  Bench bench(device, deadline, options.split ? 2 : 1);
  constexpr uint32_t kTiles = 48;
  const host::Buffer a = bench.operand(kTiles, 1, 1), b = bench.operand(kTiles, 1, 2),
                     c = bench.result(kTiles, Format::Bf16), d = bench.result(kTiles, Format::Bf16);
  const Bytes written = bench.bytes_of(a);
  Bytes out(d.bytes());
  std::optional<host::DeviceError> stuck;
  host::QueueOptions watched = options;
  watched.stall = deadline;
  const std::function<void(const host::DeviceError&)> tell = [&](const host::DeviceError& e) { stuck = e; };
  watched.when_stuck = &tell;
  for (const int times : {12, 1}) {
    {
      host::CommandQueue queue(bench.chip(), watched);
      for (int n = 0; n < times; ++n) {
        queue.write(a, written);
        queue.enqueue(sum_of(bench, a, b, c, kTiles));
        queue.enqueue(sum_of(bench, c, b, d, kTiles));
      }
      queue.read(d, out);
      queue.finish();
    }
    if (stuck) throw host::DeviceError(*stuck);
  }
  return out;
}

}  // namespace

std::span<const Subject> subjects() {
  using host::Deadline;
  using host::PcieDevice;
  static const std::array<Subject, 10> all{{
      {"sum", sum},
      {"matmul direct", [](PcieDevice& d, Deadline t) { return product(d, t, false); }},
      {"matmul multicast", [](PcieDevice& d, Deadline t) { return product(d, t, true); }},
      {"reduce", reduced},
      {"transpose", transposed},
      {"queue", [](PcieDevice& d, Deadline t) { return queued(d, t, {}); }},
      {"queue of parts", [](PcieDevice& d, Deadline t) { return queued(d, t, {.subordinate = true, .split = true}); }},
      {"compiled", compiled},
      {"layer norm", [](PcieDevice& d, Deadline t) { return evaluated(d, t, "layernorm(a)"); }},
      {"attention", [](PcieDevice& d, Deadline t) { return evaluated(d, t, "softmax(a @ b.T) @ c"); }},
  }};
  return all;
}

}  // namespace kerr::mutation
