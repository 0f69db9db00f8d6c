#include "kernels/elementwise/flat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "arch/noc_registers.hpp"
#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/flat_repeat.hpp"
#include "kernels/elementwise/flat_streams.hpp"
#include "kernels/shares.hpp"

namespace kerr::kernels {

using namespace isa::reg;
using elementwise::Traffic;

namespace {

// Common arguments: address and first page of the result, its last page and the bytes there; then what operands
// have.
constexpr int kAddress = 0, kFirstPage = 4, kLastPage = elementwise::kFlatLastPage, kLastBytes = 12;
// The writer alone has it: the byte in its first page where a shifted result begins.
constexpr int kStart = 16;
static_assert(kLastBytes + 4 == elementwise::kFlatOperands);
// Kernels in the order in which they are added.
constexpr host::Program::KernelId kWriterId = 0, kReaderId = 1;

constexpr isa::Reg kInterface = a3, kPage = a2, kPages = s0, kCommon = a1, kBase = a4;

Traffic traffic_of(const FlatShape& shape) {
  return {.format = Format::Int32, .inputs = static_cast<uint32_t>(shape.operands.size())};
}

Stream begin(const char* name) {
  Stream a = begin_kernel(name);
  a.lw(kPage, a0, elementwise::kArgFirst);
  a.lw(kPages, a0, elementwise::kArgTiles);
  return a;
}

// A page of the result lies in two pages of the buffer: what fits the first one, and the rest.
class ShiftedWrites {
 public:
  ShiftedWrites(Stream& a, const DramTiles& dram, isa::Reg pointer) : a_(a), dram_(dram), pointer_(pointer) {
    a_.lw(kRoom, kCommon, kStart);
    a_.add(kInside, kBase, kRoom);
    a_.li(t0, kFlatPageBytes);
    a_.sub(kRoom, t0, kRoom);
  }
  // Page t0 and the next one; `bytes` of the page.
  void write(isa::Reg bytes) {
    const isa::Label done = a_.label();
    a_.mv(kNext, t0);
    a_.minu(t1, bytes, kRoom);
    a_.add(kRest, pointer_, t1);
    a_.sub(kLeft, bytes, t1);
    a_.sw(t1, a0, arch::niu::kAtLenBe);
    dram_.write(a_, 1, kInside, pointer_);
    a_.beqz(kLeft, done);
    dram_.write_barrier(a_);  // its length has been read
    a_.sw(kLeft, a0, arch::niu::kAtLenBe);
    a_.addi(t0, kNext, 1);
    dram_.write(a_, 1, kBase, kRest);
    a_.bind(done);
  }

 private:
  static constexpr isa::Reg kRoom = s4, kInside = s5, kNext = s6, kRest = s7, kLeft = s8;
  Stream& a_;
  const DramTiles& dram_;
  const isa::Reg pointer_;
};

// The last page is the only one that may be written in part, and nothing follows it on its core.
Kernel writer(const FlatShape& shape, const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kFirst = a5, kLast = a6, kBytes = a7, kWhole = s9;
  const DataflowBuffer buffer{elementwise::kBufferOut, traffic_of(shape).pages_out(), s1, kInterface};
  const DramTiles dram{layout, arch::Hart::Brisc, elementwise::kWriterNoc, kFlatPageBytes, a0, s2, s3};
  Stream a = begin("flat_writer");
  a.lw(kBase, kCommon, kAddress);
  a.lw(kFirst, kCommon, kFirstPage);
  a.lw(kLast, kCommon, kLastPage);
  a.lw(kBytes, kCommon, kLastBytes);
  open(a, Direction::Out, buffer, dram);
  std::optional<ShiftedWrites> shifted;
  if (shape.shifted) {
    shifted.emplace(a, dram, buffer.pointer);
    a.li(kWhole, kFlatPageBytes);
  }
  a.repeat_argument(kPages, elementwise::kArgTiles, [&] {
    move_pages(a, Direction::Out, buffer, dram, 1, [&] {
      a.closed([&] {
        const isa::Label whole = a.label();
        a.bne(kPage, kLast, whole);
        shape.shifted ? a.mv(kWhole, kBytes) : a.sw(kBytes, a0, arch::niu::kAtLenBe);  // earlier writes are done
        a.bind(whole);
      });
      a.add(t0, kPage, kFirst);
      if (shifted)
        a.closed([&] { shifted->write(kWhole); });
      else
        dram.write(a, 1, kBase, buffer.pointer);
    });
    a.addi(kPage, kPage, 1);
  });
  return end_kernel(a);
}

}  // namespace

Kernel elementwise::flat_reader(const FlatShape& shape, const arch::FirmwareLayout& layout, uint32_t cached_pages,
                                bool clamped) {
  const Traffic traffic = traffic_of(shape);
  const DataflowBuffer buffer{elementwise::kBufferIn, traffic.pages_in(), s1, kInterface};
  const DramTiles dram{layout, arch::Hart::Ncrisc, elementwise::kReaderNoc, kFlatPageBytes, a0, s2, s3};
  Stream a = begin("flat_reader");
  open(a, Direction::In, buffer, dram);
  std::vector<elementwise::RepeatedOperand> repeated;
  for (size_t i = 0; i < shape.operands.size(); ++i) {
    if (shape.operands[i].period == 0) continue;
    const auto nth = static_cast<uint32_t>(repeated.size());
    repeated.push_back({shape.operands[i], shape.element_bytes, cached_pages + nth * kFlatPageBytes, nth});
    repeated.back().open(a);
  }
  a.repeat_argument(kPages, elementwise::kArgTiles, [&] {
    move_pages(a, Direction::In, buffer, dram, traffic.inputs, [&] {
      size_t next = 0;
      for (size_t i = 0; i < shape.operands.size(); ++i) {
        const int at = elementwise::kFlatOperands + elementwise::kFlatOperandBytes * static_cast<int>(i);
        a.lw(kBase, kCommon, at);
        if (shape.operands[i].period != 0) {
          a.lw(elementwise::RepeatedOperand::kOffset, kCommon, at + 4);
          repeated[next++].fill(a, dram, kPage, kBase, buffer.pointer);
          continue;
        }
        a.mv(t0, kPage);
        if (clamped) {
          a.lw(t1, kCommon, elementwise::kFlatLastPage);
          a.minu(t0, t0, t1);
        }
        a.lw(t1, kCommon, at + 4);
        a.add(t0, t0, t1);
        dram.read(a, 1, kBase, buffer.pointer);
      }
    });
    a.addi(kPage, kPage, 1);
  });
  return end_kernel(a);
}

// Two groups at a time lie next to each other: the even and the odd columns of four rows of Dst.
uint32_t FlatShape::groups() const {
  constexpr uint32_t kPairBytes = 256, kGroupsOfPage = kFlatPageBytes / kPairBytes * 2;
  if (pages() != 1 || operands.empty()) return kGroupsOfPage;  // what is packed has been unpacked, or stored
  return (elements * element_bytes + kPairBytes - 1) / kPairBytes * 2;
}

void elementwise::check(const FlatShape& shape, size_t cores) {
  if (shape.element_bytes != 2 && shape.element_bytes != 4)
    throw std::invalid_argument(fmt::format("flat elements of {} bytes: there are 2 and 4", shape.element_bytes));
  if (shape.elements == 0) throw std::invalid_argument("a flat result without elements");
  if (cores == 0) throw std::invalid_argument("no cores");
  if (shape.operands.size() > kMostFlatOperands) {
    throw std::invalid_argument(fmt::format("{} flat operands, and half of Dst holds {}: split the expression",
                                            shape.operands.size(), kMostFlatOperands));
  }
  for (const FlatOperand& operand : shape.operands) {
    if (operand.run == 0) throw std::invalid_argument("a flat operand whose elements are repeated 0 times");
    if (operand.rows.columns > operand.rows.padded || (operand.rows.columns == 0 && operand.rows.padded != 0))
      throw std::invalid_argument(fmt::format("{} elements of rows of {}", operand.rows.columns, operand.rows.padded));
    if (operand.rows.padded != 0 && (operand.run != 1 || operand.lines))
      throw std::invalid_argument("a flat operand of rows that are repeated, or of lines");
    if (operand.lines && (operand.run != 1 || operand.period * shape.element_bytes % kFlatAlignment != 0))
      throw std::invalid_argument("a flat operand of lines that has none");
  }
}

void elementwise::append_operands(std::vector<uint32_t>& words, const FlatShape& shape,
                                  std::span<const FlatView> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    words.push_back(operands[i].address);
    words.push_back(shape.operands[i].period == 0 ? operands[i].offset / kFlatPageBytes : operands[i].offset);
  }
}

// Code that does not fit phases goes to the vector unit word by word.
vector::Phases flat_code(const vector::Code& code, const FlatShape& shape, uint32_t tiles) {
  const auto operands = static_cast<uint32_t>(shape.operands.size());
  if (auto phases = vector::emit_phases(code, operands, tiles, kFlatMode)) return *std::move(phases);
  const vector::DstUse dst{.dst32 = true, .first_spill = std::max(operands, 1u), .tiles = tiles};
  return {.phases = {vector::emit(code, dst)}};
}

host::Program flat_program(const std::string& name, const vector::Phases& code, const FlatShape& shape,
                           const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores) {
  elementwise::check(shape, cores.size());
  const Traffic traffic = traffic_of(shape);
  const uint32_t pages = shape.pages();
  const auto used = cores.first(std::min<size_t>(pages, cores.size()));
  CheckedProgram program(name, layout);
  const auto repeated =
      static_cast<uint32_t>(std::ranges::count_if(shape.operands, [](const FlatOperand& o) { return o.period != 0; }));
  if (traffic.inputs != 0) {
    program->add_circular_buffer(
        {.id = elementwise::kBufferIn, .pages = traffic.pages_in(), .page_bytes = kFlatPageBytes});
  }
  program->add_circular_buffer(
      {.id = elementwise::kBufferOut, .pages = traffic.pages_out(), .page_bytes = kFlatPageBytes});
  const uint32_t cached = repeated == 0 ? 0 : program->add_l1(repeated * kFlatPageBytes, 64);
  const auto add = [&](arch::Hart hart, const Kernel& kernel, const char* role) {
    program.add_kernel(hart, kernel, fmt::format("{}_{}", name, role), used, {.noc = elementwise::kWriterNoc});
  };
  add(arch::Hart::Brisc, writer(shape, layout), "writer");
  if (traffic.inputs != 0) {
    add(arch::Hart::Ncrisc, elementwise::flat_reader(shape, layout, cached), "reader");
    add(arch::Hart::Trisc0, elementwise::unpack(traffic), "unpack");
  }
  add(arch::Hart::Trisc1, elementwise::flat_math(traffic, code, shape.groups()), "math");
  add(arch::Hart::Trisc2, elementwise::pack(traffic), "pack");
  for (host::Program::KernelId id = 0; id < program->kernels().size(); ++id) {
    for_each_share(pages, static_cast<uint32_t>(used.size()), [&](uint32_t core, uint32_t first, uint32_t count) {
      program->set_args(id, used[core], {first, count});
    });
  }
  set_flat_views(*program, shape, {}, std::vector<FlatView>(shape.operands.size()));
  return std::move(program).finish();
}

void set_flat_views(host::Program& program, const FlatShape& shape, FlatView result,
                    std::span<const FlatView> operands) {
  const uint32_t pages = shape.pages();
  const uint32_t last_bytes = (shape.elements - (pages - 1) * shape.elements_of_page()) * shape.element_bytes;
  std::vector<uint32_t> words{result.address, result.offset / kFlatPageBytes, pages - 1, last_bytes};
  std::vector<uint32_t> of_writer = words;
  of_writer.push_back(result.offset % kFlatPageBytes);
  program.set_common_args(kWriterId, of_writer);
  elementwise::append_operands(words, shape, operands);
  if (!operands.empty()) program.set_common_args(kReaderId, words);
}

}  // namespace kerr::kernels
