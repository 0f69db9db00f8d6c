// The dataflow harts of the multicast arrangement.   docs/hardware/kernels.md 4.3
#include <vector>

#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/multicast.hpp"
#include "kernels/blocks/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

constexpr isa::Reg kArguments = a0, kCommon = a1, kSemaphores = a2, kInterface = a3;
constexpr isa::Reg kCommandBuffer = a4, kPointer = a5, kAcked = a6;
constexpr int kReadBuffer = 1;  // which kCommandBuffer holds in a sender

uint32_t block_tiles(const OperandFeed& s) { return s.block_rows * s.row_tiles; }

// A receiver's buffer only counts pages: their contents come from another core.
DataflowBuffer buffer_of(const OperandFeed& s, const MatmulPlan& p, bool sender) {
  return {s.buffer, 2 * block_tiles(s), sender ? kPointer : zero, kInterface, flow_of_operands(p)};
}

// A K block from DRAM, and `tile`, its first one, on to the next.
void read_block(Stream& a, const OperandFeed& s, const MatmulPlan& p, const DramTiles& dram, isa::Reg tile,
                isa::Reg rows, isa::Reg base, const ShardTable& shards) {
  const bool in_a_row = s.row_stride == s.row_tiles;  // its rows follow each other in the tensor
  const uint32_t rows_read = in_a_row ? 1 : s.block_rows, stride = in_a_row ? block_tiles(s) : s.row_stride;
  a.repeat(rows, rows_read, [&] {
    a.mv(t0, tile);
    dram.read(a, in_a_row ? block_tiles(s) : s.row_tiles, base, kPointer, shards);
    if (rows_read > 1 || p.k_blocks() > 1) add_constant(a, tile, stride);
  });
  if (p.k_blocks() > 1) add_constant(a, tile, s.block_stride - rows_read * stride);
}

// Reads blocks from DRAM into the own buffer and from there to the others'.
void send(Stream& a, const OperandFeed& s, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
          int noc, const ShardTable& shards) {
  constexpr isa::Reg kExpected = a7, kPage = s0, kBase = s1, kTile = s2, kSent = s3, kRows = s4, kBlocks = s5;
  const ZoneMarks zones{p.options.zones, hart};
  const DataflowBuffer buffer = buffer_of(s, p, true);
  const DramTiles dram{layout, hart, noc, p.in_bytes(), kCommandBuffer, kExpected, kPage, p.in_tiles_of_page()};
  const Multicast multicast{noc, kCommandBuffer, kSent, kAcked, kArguments, kReadBuffer};
  std::vector<Receivers> receivers;
  if (s.near != 0) receivers.push_back({kArgNear, s.near});
  if (s.far != 0) receivers.push_back({kArgFar, s.far});
  const uint32_t bytes = block_tiles(s) * p.in_bytes();

  a.lw(kTile, kArguments, kArgStart);
  a.lw(kBase, kCommon, s.common_base);
  add_product(a, p, kTile, s.common_base == kCommonA ? kLocalA : kLocalB);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  if (!receivers.empty()) {
    multicast.open(a);
    a.li(t0, 1);
    a.sw(t0, kSemaphores, semaphore_offset(s.valid));  // where the flag of the others comes from
  }
  a.repeat(kBlocks, p.k_blocks(), [&] {
    buffer.reserve_back(a, block_tiles(s));
    zones.begin(a, Zone::Read);
    read_block(a, s, p, dram, kTile, kRows, kBase, shards);
    dram.read_barrier(a);
    zones.end(a, Zone::Read);
    if (!receivers.empty()) {
      zones.begin(a, Zone::Send);
      a.comment("every receiver has room");
      a.li(t1, s.near + s.far);
      await_semaphore(a, kSemaphores, s.ready, t1, s.near + s.far);
      a.sw(zero, kSemaphores, semaphore_offset(s.ready));
      a.li(t5, bytes);
      a.sub(t5, kPointer, t5);
      multicast.send(a, t5, bytes, receivers, s.buffer);
      multicast.flush(a);
      a.addi(t5, kSemaphores, semaphore_offset(s.valid));
      multicast.send_semaphore(a, t5, receivers, s.valid);
      zones.end(a, Zone::Send);
    }
    buffer.push_back(a, block_tiles(s));
  });
  if (!receivers.empty()) multicast.barrier(a);
}

void receive(Stream& a, const OperandFeed& s, const MatmulPlan& p, arch::Hart hart, int noc) {
  constexpr isa::Reg kResponses = a7, kSender = t4, kBlocks = t5;
  const isa::Reg kReady = semaphore_offset(s.ready) == 0 ? kSemaphores : t6;
  const ZoneMarks zones{p.options.zones, hart};
  const DataflowBuffer buffer = buffer_of(s, p, false);
  const RemoteIncrement increment{noc, kCommandBuffer, kAcked, kResponses};
  a.lw(kSender, kArguments, kArgSender);
  buffer.open_for_writing(a);
  increment.open(a);
  if (kReady != kSemaphores) a.addi(kReady, kSemaphores, semaphore_offset(s.ready));
  a.repeat(kBlocks, p.k_blocks(), [&] {
    buffer.reserve_back(a, block_tiles(s));
    zones.begin(a, Zone::Receive);
    if (p.k_blocks() > 1 || p.batch() > 1) a.sw(zero, kSemaphores, semaphore_offset(s.valid));
    increment.issue(a, kReady, kSender, {s.ready, kArgSender});
    a.li(t1, 1);
    await_semaphore(a, kSemaphores, s.valid, t1, 1);
    zones.end(a, Zone::Receive);
    buffer.push_back(a, block_tiles(s));
  });
  increment.barrier(a);
}

void feed(Stream& a, const OperandFeed& s, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
          int noc, bool sender, const ShardTable& shards) {
  sender ? send(a, s, p, layout, hart, noc, shards) : receive(a, s, p, hart, noc);
  if (p.batch() > 1) buffer_of(s, p, sender).close_writing(a);
}

}  // namespace

OperandFeed feed_of_a(const MatmulPlan& p) {
  uint32_t near = 0, far = 0;
  for (uint32_t c = 1; c < p.grid_columns; ++c) ++(p.placement[c].x < kFirstFarColumn ? near : far);
  return {.buffer = kBufferA,
          .block_rows = p.core_rows,
          .row_tiles = p.k_block,
          .row_stride = p.k_tiles,
          .block_stride = p.k_block,
          .common_base = kCommonA,
          .near = near,
          .far = far,
          .ready = 0,
          .valid = 1};
}

OperandFeed feed_of_b(const MatmulPlan& p) {
  return {.buffer = kBufferB,
          .block_rows = p.k_block,
          .row_tiles = p.core_columns,
          .row_stride = p.n_tiles,
          .block_stride = p.k_block * p.n_tiles,
          .common_base = kCommonB,
          .near = p.grid_rows - 1,
          .far = 0,
          .ready = 2,
          .valid = 3};
}

Kernel feed_a(const MatmulPlan& p, const arch::FirmwareLayout& layout, bool sender, const ShardTables& shards) {
  constexpr arch::Hart hart = arch::Hart::Brisc;
  return kernel_of_products(p, hart, sender ? "matmul_send_a" : "matmul_receive_a", [&](Stream& a) {
    for_each_product(a, p, [&] {
      feed(a, feed_of_a(p), p, layout, hart, kReaderNoc, sender, shards.a);
      if (p.operands() != 0) read_all_operands(a, p, layout, hart);
    });
  });
}

Kernel feed_b_and_write(const MatmulPlan& p, const arch::FirmwareLayout& layout, bool sender,
                        const ShardTables& shards) {
  constexpr arch::Hart hart = arch::Hart::Ncrisc;
  const char* name = sender ? "matmul_send_b_and_write" : "matmul_receive_b_and_write";
  return kernel_of_products(p, hart, name, [&](Stream& a) {
    for_each_product(a, p, [&] {
      feed(a, feed_of_b(p), p, layout, hart, kWriterNoc, sender, shards.b);
      write_product(a, p, layout, hart, shards.c);
    });
  });
}

}  // namespace kerr::kernels::matmul
