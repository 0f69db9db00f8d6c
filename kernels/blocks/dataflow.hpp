// What BRISC and NCRISC kernels are made of: circular buffers and interleaved DRAM tiles.
// docs/hardware/kernels.md 2.6, 4.1, 4.2
#pragma once

#include <cstdint>

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"
#include "kernels/blocks/flow.hpp"
#include "kernels/shards.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

/// Which way pages go: from DRAM into a circular buffer, or from there to DRAM.
enum class Direction : uint8_t { In, Out };

/// One end of a circular buffer in a dataflow kernel. `pointer` walks through the buffer in bytes; `interface` holds
/// the kernel's a3 of entry. Both are registers of the kernel; `pointer` may be zero where others move what is in the
/// pages. Blocks must divide the buffer's page count, so that a block never wraps inside. Clobbers t0..t3.
struct DataflowBuffer {
  uint8_t id = 0;
  uint32_t pages = 0;
  isa::Reg pointer, interface;
  Flow flow = Flow::Around;

  void open_for_writing(Caller a) const;  // pointer = the buffer's write pointer
  void open_for_reading(Caller a) const;
  void close_writing(Caller a) const;  // the next open_for_writing() continues from here
  void close_reading(Caller a) const;
  void reserve_back(Caller a, uint32_t n) const;  // waits until n pages are free
  void push_back(Caller a, uint32_t n) const;     // pointer has been advanced by n pages
  void wait_front(Caller a, uint32_t n) const;
  void pop_front(Caller a, uint32_t n) const;

 private:
  void open(Stream& a, int pointer_offset) const;
  void poll(Stream& a, uint32_t limit, bool below) const;
  void count(Stream& a, int32_t counter, uint32_t n) const;
};

/// Tiles of tensors whose pages go round the DRAM banks, first page to bank 0, read or written by one hart through one
/// command buffer. Owns the registers named here for the whole kernel, and clobbers t0..t6.
struct DramTiles {
  arch::FirmwareLayout layout;
  arch::Hart hart = arch::Hart::Brisc;
  int noc = 0;
  uint32_t page_bytes = 0;
  isa::Reg command_buffer;     // its address
  isa::Reg expected;           // the value of the completion counter when all that was issued has completed
  isa::Reg page;               // page_bytes
  uint32_t tiles_of_page = 1;  // 2: it is pages of two tiles that go round the banks; not in shards

  void open(Caller a, Direction direction) const;  // In: command buffer 1, read responses; Out: 0, write acks
  void open_for_reading(Caller a) const { open(a, Direction::In); }
  void open_for_writing(Caller a) const { open(a, Direction::Out); }

  /// Tiles have page_bytes from now on. Nothing is under way.
  void use_page(Stream& a) const;

  /// Issues `count` transfers of consecutive tiles: the first tile's number is in t0, the tensor's base address in
  /// `base`; `pointer` walks through L1. Of a tensor in shards `base` is where each of them begins.
  void move(Caller a, Direction direction, uint32_t count, isa::Reg base, isa::Reg pointer,
            const ShardTable& shards = {}) const;
  void read(Caller a, uint32_t count, isa::Reg base, isa::Reg pointer, const ShardTable& shards = {}) const {
    move(a, Direction::In, count, base, pointer, shards);
  }
  void write(Caller a, uint32_t count, isa::Reg base, isa::Reg pointer, const ShardTable& shards = {}) const {
    move(a, Direction::Out, count, base, pointer, shards);
  }

  /// Waits until all reads have arrived, or all writes have been acknowledged.
  void barrier(Caller a, Direction direction) const;
  void read_barrier(Caller a) const { barrier(a, Direction::In); }
  void write_barrier(Caller a) const { barrier(a, Direction::Out); }
};

/// Opens both ends of pages that go this way.
void open(Caller a, Direction direction, const DataflowBuffer& buffer, const DramTiles& dram);
/// Moves `pages` pages of a buffer: calls `body` to issue the transfers when there is room for them, or they are there,
/// and hands the pages on when all have ended.
template <class Body>
void move_pages(Stream& a, Direction direction, const DataflowBuffer& buffer, const DramTiles& dram, uint32_t pages,
                Body&& body) {
  const bool in = direction == Direction::In;
  in ? buffer.reserve_back(a, pages) : buffer.wait_front(a, pages);
  body();
  dram.barrier(a, direction);
  in ? buffer.push_back(a, pages) : buffer.pop_front(a, pages);
}

}  // namespace kerr::kernels
