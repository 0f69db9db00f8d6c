#include "kernels/reduce/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "arch/noc_registers.hpp"
#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/flat_streams.hpp"
#include "kernels/reduce/row_math.hpp"
#include "kernels/shares.hpp"

namespace kerr::kernels {

using namespace isa::reg;

namespace {

// Common arguments of the writer: address and first page of the result, the last unit and the bytes of its results.
constexpr int kAddress = 0, kFirstPage = 4, kLastUnit = 8, kLastBytes = 12;
constexpr host::Program::KernelId kWriterId = 0, kReaderId = 1;
constexpr uint32_t kUnitBytes = 4 * kRowsOfUnit;

elementwise::Traffic traffic_of(const RowShape& shape) {
  return {.format = Format::Int32,
          .inputs = static_cast<uint32_t>(shape.input.operands.size()),
          .passes = shape.pages_of_unit()};
}

// Result n is the first word of row n of the page. The last unit is the only one that may have fewer rows, and nothing
// follows it on its core.
Kernel writer(const RowShape& shape, const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kInterface = a3, kUnit = a2, kUnits = s0, kCommon = a1, kBase = a4;
  constexpr isa::Reg kFirst = a5, kLast = a6, kBytes = a7, kAt = s4;
  constexpr uint32_t kRowBytes = 64, kUnitsOfPage = kFlatPageBytes / kUnitBytes;
  const DataflowBuffer buffer{elementwise::kBufferOut, traffic_of(shape).pages_out(), s1, kInterface};
  const DramTiles dram{layout, arch::Hart::Brisc, elementwise::kWriterNoc, kFlatPageBytes, a0, s2, s3};
  Stream a = begin_kernel("row_writer");
  a.lw(kUnit, a0, elementwise::kArgFirst);
  a.lw(kUnits, a0, elementwise::kArgTiles);
  a.lw(kBase, kCommon, kAddress);
  a.lw(kFirst, kCommon, kFirstPage);
  a.lw(kLast, kCommon, kLastUnit);
  a.lw(kBytes, kCommon, kLastBytes);
  open(a, Direction::Out, buffer, dram);
  a.li(t0, kUnitBytes);
  a.sw(t0, a0, arch::niu::kAtLenBe);
  a.repeat_argument(kUnits, elementwise::kArgTiles, [&] {
    move_pages(a, Direction::Out, buffer, dram, 1, [&] {
      a.fence();  // what this hart has seen of the page is old
      for (uint32_t row = 1; row < kRowsOfUnit; ++row) {
        const isa::Reg word = row % 2 == 0 ? t0 : t1;
        a.lw(word, buffer.pointer, static_cast<int32_t>(kRowBytes * row));
        a.sw(word, buffer.pointer, static_cast<int32_t>(4 * row));
      }
      a.lw(t0, buffer.pointer, kUnitBytes - 4);  // the NoC comes behind the last store
      a.andi(t0, t0, 0);
      a.fence();
      a.closed([&] {
        const isa::Label whole = a.label();
        a.bne(kUnit, kLast, whole);
        a.sw(kBytes, a0, arch::niu::kAtLenBe);  // all earlier writes are done
        a.bind(whole);
      });
      a.andi(kAt, kUnit, kUnitsOfPage - 1);
      a.slli(kAt, kAt, 6);
      a.add(kAt, kAt, kBase);
      a.srli(t0, kUnit, 6);
      a.add(t0, t0, kFirst);
      static_assert(kUnitBytes == 64 && kUnitsOfPage == 64);
      dram.write(a, 1, kAt, buffer.pointer);
    });
    a.addi(kUnit, kUnit, 1);
  });
  return end_kernel(a);
}

void check(const RowShape& shape, size_t cores) {
  elementwise::check(shape.input, cores);
  if (shape.rows == 0) throw std::invalid_argument("no rows");
  if (shape.words == 0 || shape.words % kRowWords != 0)
    throw std::invalid_argument(fmt::format("rows of {} words; a multiple of {} can be", shape.words, kRowWords));
  if (shape.counted > shape.words || shape.words - shape.counted >= kRowWords)
    throw std::invalid_argument(fmt::format("{} words of rows of {}", shape.counted, shape.words));
  if (uint64_t{shape.rows} * shape.words * 4 != uint64_t{shape.input.elements} * shape.input.element_bytes)
    throw std::invalid_argument(
        fmt::format("{} rows of {} words are not {} elements", shape.rows, shape.words, shape.input.elements));
  if (shape.input.operands.empty() || shape.input.operands.size() > kMostRowTiles)
    throw std::invalid_argument(
        fmt::format("{} operands of rows; 1 to {} can be", shape.input.operands.size(), kMostRowTiles));
  if (shape.reduction == Reduction::Minimum) throw std::invalid_argument("minima of rows: negate them");
  if (shape.reduction != Reduction::Sum && shape.number != RowNumber::Fp32)
    throw std::invalid_argument("integers of rows are only summed up");
}

}  // namespace

host::Program row_program(const std::string& name, const vector::Phases* code, const RowShape& shape,
                          const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores) {
  check(shape, cores.size());
  const elementwise::Traffic traffic = traffic_of(shape);
  const uint32_t units = shape.units();
  const auto used = cores.first(std::min<size_t>(units, cores.size()));
  CheckedProgram program(name, layout);
  const auto repeated = static_cast<uint32_t>(
      std::ranges::count_if(shape.input.operands, [](const FlatOperand& o) { return o.period != 0; }));
  program->add_circular_buffer(
      {.id = elementwise::kBufferIn, .pages = traffic.pages_in(), .page_bytes = kFlatPageBytes});
  program->add_circular_buffer(
      {.id = elementwise::kBufferOut, .pages = traffic.pages_out(), .page_bytes = kFlatPageBytes});
  const uint32_t cached = repeated == 0 ? 0 : program->add_l1(repeated * kFlatPageBytes, 64);
  const auto add = [&](arch::Hart hart, const Kernel& kernel, const char* role) {
    program.add_kernel(hart, kernel, fmt::format("{}_{}", name, role), used, {.noc = elementwise::kWriterNoc});
  };
  add(arch::Hart::Brisc, writer(shape, layout), "writer");
  add(arch::Hart::Ncrisc, elementwise::flat_reader(shape.input, layout, cached, true), "reader");
  add(arch::Hart::Trisc0, elementwise::unpack(traffic), "unpack");
  add(arch::Hart::Trisc1, reduce::row_math(shape, traffic, code), "math");
  add(arch::Hart::Trisc2, elementwise::pack(traffic), "pack");
  for (host::Program::KernelId id = 0; id < program->kernels().size(); ++id) {
    for_each_share(units, static_cast<uint32_t>(used.size()), [&](uint32_t core, uint32_t first, uint32_t count) {
      const uint32_t each = id == kReaderId ? shape.pages_of_unit() : 1;
      program->set_args(id, used[core], {first * each, count * each});
    });
  }
  set_row_views(*program, shape, {}, std::vector<FlatView>(shape.input.operands.size()));
  return std::move(program).finish();
}

void set_row_views(host::Program& program, const RowShape& shape, FlatView result, std::span<const FlatView> operands) {
  const uint32_t last = shape.units() - 1;
  program.set_common_args(kWriterId, std::vector<uint32_t>{result.address, result.offset / kFlatPageBytes, last,
                                                           4 * (shape.rows - kRowsOfUnit * last)});
  std::vector<uint32_t> words{0, 0, shape.input.pages() - 1, 0};
  static_assert(elementwise::kFlatLastPage == 8 && elementwise::kFlatOperands == 16);
  elementwise::append_operands(words, shape.input, operands);
  program.set_common_args(kReaderId, words);
}

}  // namespace kerr::kernels
