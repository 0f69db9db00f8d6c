#include "tests/check/mutation/subject.hpp"

#include <array>

#include "graph/random.hpp"
#include "graph/tensor.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
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
  Bench(host::PcieDevice& device, host::Deadline deadline)
      : deadline_(deadline), chip_(device, {.boot_deadline = deadline}) {}

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
    chip_.run(program, deadline_, host::Chip::DeadlineOf::All);
    return bytes_of(out);
  }
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

// Sums by the command queue, whose kernels are mutated too: so many, and so much that is written, that its rings go
// round; and by another queue behind it, which begins only if the kernels of the first have ended.
Bytes queued(host::PcieDevice& device, host::Deadline deadline) {
  Bench bench(device, deadline);
  constexpr uint32_t kTiles = 48;
  const host::Buffer a = bench.operand(kTiles, 1, 1), b = bench.operand(kTiles, 1, 2),
                     c = bench.result(kTiles, Format::Bf16), d = bench.result(kTiles, Format::Bf16);
  const Bytes written = bench.bytes_of(a);
  Bytes out(d.bytes());
  for (const int times : {12, 1}) {
    host::CommandQueue queue(bench.chip(), {.stall = deadline});
    for (int n = 0; n < times; ++n) {
      queue.write(a, written);
      queue.enqueue(sum_of(bench, a, b, c, kTiles));
      queue.enqueue(sum_of(bench, c, b, d, kTiles));
    }
    queue.read(d, out);
    queue.finish();
  }
  return out;
}

}  // namespace

std::span<const Subject> subjects() {
  using host::Deadline;
  using host::PcieDevice;
  static const std::array<Subject, 6> all{{
      {"sum", sum},
      {"matmul direct", [](PcieDevice& d, Deadline t) { return product(d, t, false); }},
      {"matmul multicast", [](PcieDevice& d, Deadline t) { return product(d, t, true); }},
      {"reduce", reduced},
      {"transpose", transposed},
      {"queue", queued},
  }};
  return all;
}

}  // namespace kerr::mutation
