// NCRISC brings the operands of tile after tile, BRISC takes the results away.
#include "kernels/blocks/dataflow.hpp"

#include <algorithm>

#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;

namespace {

constexpr isa::Reg kInterface = a3, kTile = a2, kCount = s0, kBase = a4, kRest = a5, kCommon = a1;

// `body(n)` for whole blocks (n = kBlock), then for what is left (n = 1).
template <class Body>
void in_blocks(Stream& a, Body&& body) {
  const isa::Label rest = a.label(), end = a.label();
  a.beqz(kCount, rest);
  a.repeat_argument(kCount, kArgBlocks, [&] { body(kBlock); });
  a.bind(rest);
  a.beqz(kRest, end);
  a.repeat_argument(kRest, kArgRest, [&] { body(1u); });
  a.bind(end);
}

Stream begin(const char* name) {
  Stream a = begin_kernel(name);
  a.lw(kTile, a0, kArgFirst);
  a.lw(kRest, a0, kArgRest);
  a.lw(kCount, a0, kArgBlocks);
  return a;
}

}  // namespace

CommonArguments common_arguments(const ElementwiseBuffers& buffers, uint32_t inputs) {
  CommonArguments all{.words = {buffers.output}, .inputs = {}, .output = {}};
  all.words.insert(all.words.end(), buffers.inputs.begin(), buffers.inputs.begin() + inputs);
  for (uint32_t i = 0; i < std::min<size_t>(inputs, buffers.input_shards.size()); ++i)
    all.inputs.push_back(append(all.words, buffers.input_shards[i], kCommon));
  all.output = append(all.words, buffers.output_shards, kCommon);
  return all;
}

Kernel reader(const Traffic& k, const arch::FirmwareLayout& layout, const ElementwiseShape& shape,
              std::span<const ShardTable> shards) {
  const DataflowBuffer buffer{kBufferIn, k.pages_in(), s1, kInterface};
  const DramTiles dram{layout, arch::Hart::Ncrisc, kReaderNoc, k.in_bytes(), a0, s2, s3};
  constexpr isa::Reg kRow = a6, kColumn = a7;  // of the tile
  Stream a = begin("elementwise_reader");
  open(a, Direction::In, buffer, dram);
  const auto read_tile = [&] {
    if (shape.repeats_any()) {
      a.li(t0, shape.tile_columns);
      a.divu(kRow, kTile, t0);
      a.remu(kColumn, kTile, t0);
    }
    for (uint32_t input = 0; input < k.inputs; ++input) {
      a.lw(kBase, kCommon, kCommonInputs + 4 * static_cast<int32_t>(input));
      const Repeat repeat = shape.repeat(input);
      a.mv(t0, repeat == Repeat::Row       ? kColumn
               : repeat == Repeat::Column  ? kRow
               : repeat == Repeat::Element ? zero
                                           : kTile);
      dram.read(a, 1, kBase, buffer.pointer, input < shards.size() ? shards[input] : ShardTable{});
    }
    a.addi(kTile, kTile, 1);
  };
  in_blocks(a, [&](uint32_t tiles) {
    move_pages(a, Direction::In, buffer, dram, tiles * k.inputs, [&] {
      for (uint32_t tile = 0; tile < tiles; ++tile) read_tile();
    });
  });
  return end_kernel(a);
}

Kernel writer(const Traffic& k, const arch::FirmwareLayout& layout, const ShardTable& shards) {
  const DataflowBuffer buffer{kBufferOut, k.pages_out(), s1, kInterface};
  const DramTiles dram{layout, arch::Hart::Brisc, kWriterNoc, k.out_bytes(), a0, s2, s3};
  Stream a = begin("elementwise_writer");
  a.lw(kBase, kCommon, kCommonOutput);
  open(a, Direction::Out, buffer, dram);
  in_blocks(a, [&](uint32_t tiles) {
    move_pages(a, Direction::Out, buffer, dram, tiles, [&] {
      a.mv(t0, kTile);
      dram.write(a, tiles, kBase, buffer.pointer, shards);
      a.addi(kTile, kTile, static_cast<int32_t>(tiles));
    });
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise
