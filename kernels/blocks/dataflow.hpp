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

/// One end of a circular buffer in a dataflow kernel. `pointer` walks through the buffer in bytes; `interface` holds
/// the kernel's a3 of entry. Both are registers of the kernel; `pointer` may be zero where others move what is in the
/// pages. Blocks must divide the buffer's page count, so that a block never wraps inside. Clobbers t0..t3.
struct DataflowBuffer {
  uint8_t id = 0;
  uint32_t pages = 0;
  isa::Reg pointer, interface;
  Flow flow = Flow::Around;

  void open_for_writing(Caller caller) const;  // pointer = the buffer's write pointer
  void open_for_reading(Caller caller) const;
  void close_writing(Caller caller) const;  // the next open_for_writing() continues from here
  void close_reading(Caller caller) const;
  void reserve_back(Caller caller, uint32_t n) const;  // waits until n pages are free
  void push_back(Caller caller, uint32_t n) const;     // pointer has been advanced by n pages
  void wait_front(Caller caller, uint32_t n) const;
  void pop_front(Caller caller, uint32_t n) const;

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
  isa::Reg command_buffer;  // its address
  isa::Reg expected;        // the value of the completion counter when all that was issued has completed
  isa::Reg page;            // page_bytes

  void open_for_reading(Caller caller) const;  // command buffer 1, read responses
  void open_for_writing(Caller caller) const;  // command buffer 0, write acks

  /// Tiles have page_bytes from now on. Nothing is under way.
  void use_page(Stream& a) const;

  /// Issues `count` transfers of consecutive tiles: the first tile's number is in t0, the tensor's base address in
  /// `base`; `pointer` walks through L1. Of a tensor in shards `base` is where each of them begins.
  void read(Caller caller, uint32_t count, isa::Reg base, isa::Reg pointer, const ShardTable& shards = {}) const;
  void write(Caller caller, uint32_t count, isa::Reg base, isa::Reg pointer, const ShardTable& shards = {}) const;

  /// Waits until all reads have arrived, or all writes have been acknowledged.
  void read_barrier(Caller caller) const;
  void write_barrier(Caller caller) const;

 private:
  void open(Stream& a, int buffer, uint32_t counter, uint32_t control) const;
  void transfer(Stream& a, uint32_t count, isa::Reg base, isa::Reg pointer, bool reading,
                const ShardTable& shards) const;
  void barrier(Stream& a, int buffer, uint32_t counter) const;
};

}  // namespace kerr::kernels
