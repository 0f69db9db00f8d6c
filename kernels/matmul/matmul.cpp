#include "kernels/matmul/matmul.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/blocks/multicast.hpp"
#include "kernels/matmul/streams.hpp"
#include "kernels/stream/checked_program.hpp"

namespace kerr::kernels {

namespace {

using arch::NocCoord;
using matmul::OperandFeed;

host::Program::KernelId add(CheckedProgram& program, arch::Hart hart, const Kernel& kernel, const char* name,
                            std::span<const NocCoord> cores, int brisc_noc) {
  return program.add_kernel(hart, kernel, name, cores, {.noc = static_cast<uint8_t>(brisc_noc)});
}

struct CommonArguments {
  std::vector<uint32_t> words;
  matmul::ShardTables shards;
};
CommonArguments common_arguments(const MatmulBuffers& buffers) {
  constexpr isa::Reg kCommon = isa::reg::a1;
  CommonArguments all{{buffers.a, buffers.b, buffers.c}, {}};
  all.words.insert(all.words.end(), buffers.operands.begin(), buffers.operands.end());
  all.shards = {append(all.words, buffers.a_shards, kCommon), append(all.words, buffers.b_shards, kCommon),
                append(all.words, buffers.c_shards, kCommon)};
  return all;
}

void check_shards(const MatmulPlan& p, const MatmulBuffers& buffers) {
  const auto tiles = [&](uint32_t rows, uint32_t columns) { return uint64_t{p.batch()} * rows * columns; };
  kernels::check_shards(buffers.a_shards, tiles(p.m_tiles, p.k_tiles), "A");
  kernels::check_shards(buffers.b_shards, tiles(p.k_tiles, p.n_tiles), "B");
  kernels::check_shards(buffers.c_shards, tiles(p.m_tiles, p.n_tiles), "C");
}

// Where a core of the direct dataflow begins, and of a batch, which products are its.
std::vector<uint32_t> direct_args(const MatmulPlan& p, uint32_t core) {
  const uint32_t group = core / p.grid_cores(), i = core % p.grid_cores();
  const uint32_t row = i / p.grid_columns * p.core_rows, column = i % p.grid_columns * p.core_columns;
  return {row * p.n_tiles + column, column, group, (p.batch() - group + p.groups - 1) / p.groups, row};
}

void add_compute(CheckedProgram& program, const MatmulPlan& p, std::span<const NocCoord> cores) {
  const host::Program::KernelId all[] = {
      add(program, arch::Hart::Trisc0, matmul::unpack(p), "matmul_unpack", cores, 0),
      add(program, arch::Hart::Trisc1, matmul::math(p), "matmul_math", cores, 0),
      add(program, arch::Hart::Trisc2, matmul::pack(p), "matmul_pack", cores, 0),
  };
  if (p.multicast() || p.batch() == 1) return;
  for (const host::Program::KernelId id : all) {
    for (uint32_t i = 0; i < p.cores(); ++i) program->set_args(id, cores[i], direct_args(p, i));
  }
}

void add_direct_dataflow(CheckedProgram& program, const MatmulPlan& p, const MatmulBuffers& buffers,
                         std::span<const NocCoord> cores) {
  const auto [common, shards] = common_arguments(buffers);
  const auto reader = add(program, arch::Hart::Ncrisc, matmul::reader(p, program->layout(), shards), "matmul_reader",
                          cores, matmul::kWriterNoc);
  const auto writer = add(program, arch::Hart::Brisc, matmul::writer(p, program->layout(), shards), "matmul_writer",
                          cores, matmul::kWriterNoc);
  for (const auto id : {reader, writer}) {
    program->set_common_args(id, common);
    for (uint32_t i = 0; i < p.cores(); ++i) {
      program->set_args(id, cores[i], direct_args(p, i));
    }
  }
}

// Multicast rectangles of a row's sender: one on this side of the DRAM columns, one beyond.
std::pair<uint32_t, uint32_t> row_rectangles(const MatmulPlan& p, const OperandFeed& s, uint32_t row) {
  const NocCoord* cores = &p.placement[row * p.grid_columns];
  const auto span = [&](uint32_t first, uint32_t count) {
    return count == 0 ? 0 : multicast_rectangle(matmul::kReaderNoc, cores[first], cores[first + count - 1]);
  };
  return {span(1, s.near), span(1 + s.near, s.far)};
}

uint32_t column_rectangle(const MatmulPlan& p, uint32_t column) {
  if (p.grid_rows == 1) return 0;
  return multicast_rectangle(matmul::kWriterNoc, p.placement[p.grid_columns + column],
                             p.placement[(p.grid_rows - 1) * p.grid_columns + column]);
}

void add_multicast_dataflow(CheckedProgram& program, const MatmulPlan& p, const MatmulBuffers& buffers) {
  for (uint32_t i = 0; i < matmul::kSemaphores; ++i) program->add_semaphore(0);
  const OperandFeed feed = matmul::feed_of_a(p);
  const auto [common, shards] = common_arguments(buffers);
  // By hart and role: 0 receives, 1 sends.
  std::vector<NocCoord> feeds_a[2], feeds_b[2];
  for (uint32_t i = 0; i < p.cores(); ++i) {
    feeds_a[i % p.grid_columns == 0].push_back(p.placement[i]);
    feeds_b[i < p.grid_columns].push_back(p.placement[i]);
  }
  host::Program::KernelId a[2] = {}, b[2] = {};
  for (const bool sends : {false, true}) {
    if (!feeds_a[sends].empty()) {
      a[sends] = add(program, arch::Hart::Brisc, matmul::feed_a(p, program->layout(), sends, shards),
                     sends ? "matmul_send_a" : "matmul_receive_a", feeds_a[sends], matmul::kReaderNoc);
      program->set_common_args(a[sends], common);
    }
    if (!feeds_b[sends].empty()) {
      b[sends] =
          add(program, arch::Hart::Ncrisc, matmul::feed_b_and_write(p, program->layout(), sends, shards),
              sends ? "matmul_send_b_and_write" : "matmul_receive_b_and_write", feeds_b[sends], matmul::kReaderNoc);
      program->set_common_args(b[sends], common);
    }
  }
  for (uint32_t i = 0; i < p.cores(); ++i) {
    const uint32_t row = i / p.grid_columns, column = i % p.grid_columns;
    const uint32_t first_row = row * p.core_rows, first_column = column * p.core_columns;
    const uint32_t first_tile = first_row * p.n_tiles + first_column;
    const NocCoord core = p.placement[i];
    if (column == 0) {
      const auto [near, far] = row_rectangles(p, feed, row);
      program->set_args(a[1], core, {first_tile, first_column, first_row * p.k_tiles, near, far});
    } else {
      program->set_args(a[0], core, {first_tile, first_column, p.placement[row * p.grid_columns].packed()});
    }
    if (row == 0) {
      program->set_args(b[1], core, {first_tile, first_column, first_column, column_rectangle(p, column), 0});
    } else {
      program->set_args(b[0], core, {first_tile, first_column, p.placement[column].packed()});
    }
  }
}

}  // namespace

host::Program matmul_program(const MatmulPlan& p, const arch::FirmwareLayout& layout, std::span<const NocCoord> cores,
                             const MatmulBuffers& buffers) {
  if (cores.size() < p.cores()) {
    throw std::invalid_argument(fmt::format("the plan wants {} cores, {} are there", p.cores(), cores.size()));
  }
  if (buffers.operands.size() < p.operands()) {
    throw std::invalid_argument(
        fmt::format("the epilogue takes {} operands, {} are there", p.operands(), buffers.operands.size()));
  }
  check_shards(p, buffers);
  CheckedProgram program("matmul", layout);
  const auto add_buffer = [&](uint8_t id, uint32_t pages, uint32_t page_bytes) {
    program->add_circular_buffer({.id = id, .pages = pages, .page_bytes = page_bytes});
  };
  add_buffer(matmul::kBufferA, matmul::pages_a(p), p.in_bytes());
  add_buffer(matmul::kBufferB, matmul::pages_b(p), p.in_bytes());
  add_buffer(matmul::kBufferC, matmul::pages_c(p), p.out_bytes());
  if (p.operands() != 0)
    add_buffer(matmul::kBufferOperands, matmul::pages_operands(p), tile_bytes(*operand_format(p.options)));
  if (matmul::partials_alias(p)) {
    program->alias_circular_buffer(matmul::kBufferPartial, matmul::kBufferC);
  } else if (p.has_partials()) {
    add_buffer(matmul::kBufferPartial, matmul::pages_partial(p), tile_bytes(*partial_format(p.options)));
  }

  const std::span<const NocCoord> used =
      p.multicast() ? std::span<const NocCoord>(p.placement) : cores.first(p.cores());
  if (p.multicast()) {
    add_multicast_dataflow(program, p, buffers);
  } else {
    add_direct_dataflow(program, p, buffers, used);
  }
  add_compute(program, p, used);
  return std::move(program).finish();
}

}  // namespace kerr::kernels
