#include "kernels/elementwise/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/elementwise/streams.hpp"
#include "kernels/shares.hpp"

namespace kerr::kernels {

namespace {

void check(const Expression& expression, ElementwiseFormats formats, const ElementwiseShape& shape, size_t cores,
           const ElementwiseBuffers& buffers) {
  const auto holds = [](Format format, Type type) { return is_integer(format) == (type == Type::Integer); };
  const auto name = [](Type type) { return type == Type::Integer ? "an integer" : "a float"; };
  for (uint32_t i = 0; i < expression.inputs(); ++i) {
    const Type type = expression.type_of_input(i);
    if (!is_wide(formats.in) && !holds(formats.in, type)) {
      throw std::invalid_argument(fmt::format("operand {} of {} is {}, which {} does not hold", i, expression.text(),
                                              name(type), info(formats.in).name));
    }
  }
  if (const Type type = expression.type(expression.result()); !holds(formats.out, type)) {
    throw std::invalid_argument(
        fmt::format("{} is {}, which {} does not hold", expression.text(), name(type), info(formats.out).name));
  }
  const uint32_t most = most_operands(formats);
  if (expression.inputs() > most) {
    throw std::invalid_argument(
        fmt::format("{} operands, and half of Dst holds {} tiles of {} beside the result: split the expression",
                    expression.inputs(), most, info(formats.in).name));
  }
  if (buffers.inputs.size() < expression.inputs()) {
    throw std::invalid_argument(fmt::format("{} operands, but {} buffers", expression.inputs(), buffers.inputs.size()));
  }
  for (uint32_t i = 0; i < buffers.input_shards.size(); ++i)
    check_shards(buffers.input_shards[i], shape.repeat(i) == Repeat::Nothing ? shape.tiles : 1, "an operand");
  check_shards(buffers.output_shards, shape.tiles, "the result");
  if (shape.tiles == 0) throw std::invalid_argument("tensors without tiles");
  if ((expression.needs_index() || shape.repeats_any()) && (shape.tile_columns == 0 || shape.columns > 1u << 20)) {
    throw std::invalid_argument(fmt::format("{} tiles and {} elements in a row: at least 1, at most {}",
                                            shape.tile_columns, shape.columns, 1u << 20));
  }
  if (cores == 0) throw std::invalid_argument("no cores");
}

}  // namespace

bool ElementwiseShape::repeats_any() const {
  return std::ranges::any_of(repeats, [](Repeat r) { return r != Repeat::Nothing; });
}

vector::Emitted vector_code(const Expression& expression, ElementwiseFormats formats, uint32_t columns) {
  const elementwise::DstPlaces places = elementwise::dst_places(expression, formats);
  return vector::emit(lower(expression, places.inputs, places.output, columns), places.use);
}

host::Program elementwise_program(const Expression& expression, ElementwiseFormats formats,
                                  const ElementwiseShape& shape, const arch::FirmwareLayout& layout,
                                  std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers) {
  check(expression, formats, shape, cores.size(), buffers);
  const elementwise::Traffic traffic{.format = formats.in, .inputs = expression.inputs(), .result = formats.out};
  const elementwise::CommonArguments arguments = elementwise::common_arguments(buffers, traffic.inputs);
  CheckedProgram program("elementwise", layout);
  elementwise::add_streams(program, traffic, elementwise::reader(traffic, layout, shape, arguments.inputs),
                           elementwise::math(traffic, vector_code(expression, formats, shape.columns), shape),
                           shape.tiles, cores, buffers, elementwise::writer(traffic, layout, arguments.output));
  return std::move(program).finish();
}

host::Program elementwise_program(const Expression& expression, Format format, uint32_t tiles,
                                  const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores,
                                  const ElementwiseBuffers& buffers) {
  return elementwise_program(expression, {format, format}, {.tiles = tiles}, layout, cores, buffers);
}

namespace {

// Kernels of one hart each on the cores that get tiles, and their arguments: core i makes the i-th share.
class Streams {
 public:
  Streams(CheckedProgram& program, uint32_t tiles, std::span<const arch::NocCoord> cores)
      : program_(program), tiles_(tiles), used_(cores.first(std::min<size_t>(tiles, cores.size()))) {}

  void add(arch::Hart hart, const Kernel& stream, const char* role) {
    kernels_.push_back(program_.add_kernel(hart, stream, fmt::format("{}_{}", program_->name(), role), used_,
                                           {.noc = elementwise::kWriterNoc}));
  }

  void set_arguments(const ElementwiseBuffers& buffers, uint32_t inputs) {
    const std::vector<uint32_t> common = elementwise::common_arguments(buffers, inputs).words;
    for (const auto id : kernels_) {
      program_->set_common_args(id, common);
      for_each_share(tiles_, static_cast<uint32_t>(used_.size()), [&](uint32_t core, uint32_t first, uint32_t tiles) {
        program_->set_args(id, used_[core], {first, tiles, tiles / elementwise::kBlock, tiles % elementwise::kBlock});
      });
    }
  }

 private:
  CheckedProgram& program_;
  const uint32_t tiles_;
  const std::span<const arch::NocCoord> used_;
  std::vector<host::Program::KernelId> kernels_;
};

}  // namespace

namespace elementwise {

void add_streams(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code, const Kernel& math_code,
                 uint32_t tiles, std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers,
                 const std::optional<Kernel>& writer_code) {
  Streams streams(program, tiles, cores);
  if (traffic.inputs != 0) {
    program->add_circular_buffer({.id = kBufferIn, .pages = traffic.pages_in(), .page_bytes = traffic.in_bytes()});
    streams.add(arch::Hart::Ncrisc, reader_code, "reader");
  }
  program->add_circular_buffer({.id = kBufferOut, .pages = traffic.pages_out(), .page_bytes = traffic.out_bytes()});
  streams.add(arch::Hart::Brisc, writer_code ? *writer_code : writer(traffic, program->layout()), "writer");
  if (traffic.inputs != 0) streams.add(arch::Hart::Trisc0, unpack(traffic), "unpack");
  streams.add(arch::Hart::Trisc1, math_code, "math");
  streams.add(arch::Hart::Trisc2, pack(traffic), "pack");
  streams.set_arguments(buffers, traffic.inputs);
}

void add_dataflow(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code, uint32_t tiles,
                  std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers) {
  Streams streams(program, tiles, cores);
  program->add_circular_buffer({.id = kBufferOut, .pages = traffic.pages_out(), .page_bytes = traffic.out_bytes()});
  streams.add(arch::Hart::Ncrisc, reader_code, "reader");
  streams.add(arch::Hart::Brisc, writer(traffic, program->layout()), "writer");
  streams.set_arguments(buffers, traffic.inputs);
}

}  // namespace elementwise

}  // namespace kerr::kernels
