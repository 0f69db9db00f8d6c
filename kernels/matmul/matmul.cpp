#include "kernels/matmul/matmul.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "image/image.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels {

host::Program matmul_program(const MatmulPlan& p, const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores,
                             const MatmulBuffers& buffers) {
  if (cores.size() < p.cores()) {
    throw std::invalid_argument(fmt::format("the plan wants {} cores, {} are there", p.cores(), cores.size()));
  }
  const std::span<const arch::NocCoord> used = cores.first(p.cores());
  host::Program program("matmul", layout);
  program.add_circular_buffer({.id = matmul::kBufferA, .pages = matmul::pages_a(p), .page_bytes = kBf16TileBytes});
  program.add_circular_buffer({.id = matmul::kBufferB, .pages = matmul::pages_b(p), .page_bytes = kBf16TileBytes});
  program.add_circular_buffer({.id = matmul::kBufferC, .pages = matmul::pages_c(p), .page_bytes = kBf16TileBytes});

  const auto reader = program.add_kernel(arch::Hart::kNcrisc, image::Image::from(matmul::reader(p, layout), "matmul_reader"), used);
  const auto writer = program.add_kernel(arch::Hart::kBrisc, image::Image::from(matmul::writer(p, layout), "matmul_writer"), used,
                                         {.noc = matmul::kWriterNoc});
  program.add_kernel(arch::Hart::kTrisc0, image::Image::from(matmul::unpack(p), "matmul_unpack"), used);
  program.add_kernel(arch::Hart::kTrisc1, image::Image::from(matmul::math(p), "matmul_math"), used);
  program.add_kernel(arch::Hart::kTrisc2, image::Image::from(matmul::pack(p), "matmul_pack"), used);

  for (const auto id : {reader, writer}) {
    program.set_common_args(id, {buffers.a, buffers.b, buffers.c});
    for (std::uint32_t i = 0; i < p.cores(); ++i) {
      const std::uint32_t row = i / p.grid_columns * p.core_rows;
      const std::uint32_t column = i % p.grid_columns * p.core_columns;
      program.set_args(id, used[i], {row, column});
    }
  }
  return program;
}

}  // namespace kerr::kernels
