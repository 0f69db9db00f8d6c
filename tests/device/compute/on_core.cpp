#include "tests/device/compute/on_core.hpp"

#include "graph/parse.hpp"
#include "image/elf/reader.hpp"

namespace kerr::device_tests {

namespace {

constexpr arch::NocCoord kCore{1, 2};
constexpr uint8_t kOut = 16;

}  // namespace

Operand::Operand(uint8_t id, const Tensor& tensor)
    : Operand(id, kernels::tile_bytes(tensor.format),
              graph::to_tiles(tensor, tensor.tile_rows(), tensor.tile_columns())) {}
Operand::Operand(uint8_t id, uint32_t page, std::vector<std::byte> all)
    : buffer(id), page_bytes(page), bytes(std::move(all)) {}

std::vector<std::byte> OnCore::run(const std::string& kernel, const std::vector<Operand>& operands, uint32_t pages,
                                   uint32_t page_bytes, const std::vector<uint32_t>& arguments) {
  host::Program program(kernel);
  std::vector<uint32_t> pushed{static_cast<uint32_t>(operands.size())};
  for (const Operand& o : operands) {
    const auto count = static_cast<uint32_t>(o.bytes.size() / o.page_bytes);
    const uint32_t address = program.add_circular_buffer({.id = o.buffer, .pages = count, .page_bytes = o.page_bytes});
    chip_.io().write(kCore, address, o.bytes);
    pushed.insert(pushed.end(), {o.buffer, count});
  }
  const uint32_t out = program.add_circular_buffer({.id = kOut, .pages = pages, .page_bytes = page_bytes});

  const auto feed = program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_compute_feed), {&kCore, 1});
  program.set_args(feed, kCore, pushed);
  const auto compute = program.add_compute_kernel(image::read_compute(kernel), {&kCore, 1});
  program.set_args(compute, kCore, arguments);
  chip_.run(program);
  std::vector<std::byte> bytes(size_t{pages} * page_bytes);
  chip_.io().read(kCore, out, bytes);
  return bytes;
}

Tensor OnCore::run(const std::string& kernel, const std::vector<Operand>& operands, Tensor result,
                   const std::vector<uint32_t>& arguments) {
  const auto bytes = run(kernel, operands, result.tiles(), kernels::tile_bytes(result.format), arguments);
  graph::from_tiles(bytes, result.tile_columns(), result);
  return result;
}

Tensor OnCore::generated(const std::string& expression, const graph::Inputs& inputs, const graph::RunOptions& options) {
  const auto matrix_of = [&](std::string_view name) {
    const Tensor& t = inputs.find(name)->second;
    return graph::Matrix{{t.rows, t.columns}, t.format};
  };
  return graph::run(graph::parse(expression, matrix_of), inputs, chip_, options);
}

}  // namespace kerr::device_tests
