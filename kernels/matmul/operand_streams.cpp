// The dataflow harts of the multicast arrangement.   docs/hardware/kernels.md 4.3
#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/multicast.hpp"
#include "kernels/emit/zone.hpp"
#include "kernels/matmul/batch.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels::matmul {

using namespace isa::reg;

namespace {

constexpr isa::Reg kInterface = a0, kTile = a2, kRows = a3, kBlock = a4, kFlag = a5, kAcked = a6, kBlocks = a7;
constexpr isa::Reg kNear = s6, kFar = s11, kBase = s8, kStart = s9, kSemaphore = s10;

// Reads blocks from DRAM into the own buffer and from there to the others'.
void send(Stream& a, const OperandStream& s, const MatmulPlan& p, const DataflowBuffer& buffer, const DramTiles& dram,
          const ZoneMarks& zones, const ShardTable& shards) {
  const std::uint32_t tiles = s.block_rows * s.row_tiles;
  const Multicast multicast{dram.noc, s2, s4, kAcked};
  a.lw(kStart, a0, kArgStart);
  a.lw(kNear, a0, kArgNear);
  a.lw(kFar, a0, kArgFar);
  a.lw(kBase, a1, s.common_base);
  a.mv(kSemaphore, a2);
  a.mv(kInterface, a3);
  add_product(a, p, kStart, s.common_base == kCommonA ? kLocalA : kLocalB);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  multicast.open(a);
  a.li(t0, 1);
  a.sw(t0, kSemaphore, semaphore_offset(s.valid));  // where the flag of the others comes from
  a.repeat(kBlocks, p.k_blocks(), [&] {
    buffer.reserve_back(a, tiles);
    zones.begin(a, Zone::Read);
    a.mv(kBlock, buffer.pointer);
    a.mv(kTile, kStart);
    a.repeat(kRows, s.block_rows, [&] {
      a.mv(t0, kTile);
      dram.read(a, s.row_tiles, kBase, buffer.pointer, shards);
      add_constant(a, kTile, s.row_stride);
    });
    dram.read_barrier(a);
    zones.end(a, Zone::Read);
    if (s.near + s.far != 0) {
      zones.begin(a, Zone::Send);
      a.comment("every receiver has room");
      a.li(t1, s.near + s.far);
      await_semaphore(a, kSemaphore, s.ready, t1, s.near + s.far);
      a.sw(zero, kSemaphore, semaphore_offset(s.ready));
      if (s.near != 0) multicast.send(a, kBlock, tiles * dram.page_bytes, kNear, s.near, {s.buffer, kArgNear});
      if (s.far != 0) multicast.send(a, kBlock, tiles * dram.page_bytes, kFar, s.far, {s.buffer, kArgFar});
      multicast.flush(a);
      a.addi(kFlag, kSemaphore, semaphore_offset(s.valid));
      if (s.near != 0) multicast.send_semaphore(a, kFlag, kNear, s.near, {s.valid, kArgNear});
      if (s.far != 0) multicast.send_semaphore(a, kFlag, kFar, s.far, {s.valid, kArgFar});
      zones.end(a, Zone::Send);
    }
    buffer.push_back(a, tiles);
    add_constant(a, kStart, s.block_stride);
  });
  multicast.barrier(a);
}

void receive(Stream& a, const OperandStream& s, const MatmulPlan& p, const DataflowBuffer& buffer, int noc,
             const ZoneMarks& zones) {
  const std::uint32_t tiles = s.block_rows * s.row_tiles;
  const RemoteIncrement increment{noc, s2, kAcked};
  constexpr isa::Reg sender = kNear, ready = kFlag;
  a.lw(sender, a0, kArgSender);
  a.mv(kSemaphore, a2);
  a.mv(kInterface, a3);
  buffer.open_for_writing(a);
  increment.open(a);
  a.addi(ready, kSemaphore, semaphore_offset(s.ready));
  a.li(kRows, 1);
  a.repeat(kBlocks, p.k_blocks(), [&] {
    buffer.reserve_back(a, tiles);
    zones.begin(a, Zone::Receive);
    a.sw(zero, kSemaphore, semaphore_offset(s.valid));
    increment.issue(a, ready, sender, {s.ready, kArgSender});
    await_semaphore(a, kSemaphore, s.valid, kRows, 1);
    zones.end(a, Zone::Receive);
    add_constant(a, buffer.pointer, tiles * p.in_bytes());
    buffer.push_back(a, tiles);
  });
  increment.barrier(a);
}

void feed(Stream& a, const OperandStream& s, const MatmulPlan& p, const arch::FirmwareLayout& layout, arch::Hart hart,
          int noc, bool sender, const ShardTable& shards) {
  const ZoneMarks zones{p.options.zones, hart};
  const DataflowBuffer buffer{s.buffer, 2 * s.block_rows * s.row_tiles, s1, s3, kInterface};
  if (sender) {
    send(a, s, p, buffer, {layout, hart, noc, p.in_bytes(), s0, s7, s5}, zones, shards);
  } else {
    receive(a, s, p, buffer, noc, zones);
  }
  if (p.batch() > 1) buffer.close_writing(a);
}

}  // namespace

OperandStream stream_a(const MatmulPlan& p) {
  std::uint32_t near = 0, far = 0;
  for (std::uint32_t c = 1; c < p.grid_columns; ++c) ++(p.placement[c].x < kFirstFarColumn ? near : far);
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

OperandStream stream_b(const MatmulPlan& p) {
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
  Stream a;
  a.function(sender ? "matmul_send_a" : "matmul_receive_a");
  const ZoneMarks zones{p.options.zones, arch::Hart::kBrisc};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  for_each_product(a, p, [&] {
    if (p.batch() > 1) arguments_again(a, layout, arch::Hart::kBrisc);
    feed(a, stream_a(p), p, layout, arch::Hart::kBrisc, kReaderNoc, sender, shards.a);
    if (p.operands() == 0) return;
    arguments_again(a, layout, arch::Hart::kBrisc);
    read_all_operands(a, p, layout, arch::Hart::kBrisc);
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

Kernel feed_b_and_write(const MatmulPlan& p, const arch::FirmwareLayout& layout, bool sender,
                        const ShardTables& shards) {
  constexpr arch::Hart hart = arch::Hart::kNcrisc;
  Stream a;
  a.function(sender ? "matmul_send_b_and_write" : "matmul_receive_b_and_write");
  const ZoneMarks zones{p.options.zones, hart};
  enter(a);
  zones.begin(a, Zone::Kernel);
  open_products(a, p);
  for_each_product(a, p, [&] {
    if (p.batch() > 1) arguments_again(a, layout, hart);
    feed(a, stream_b(p), p, layout, hart, kWriterNoc, sender, shards.b);
    arguments_again(a, layout, hart);
    write_product(a, p, layout, hart, shards.c);
  });
  close_products(a);
  zones.end(a, Zone::Kernel);
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::matmul
