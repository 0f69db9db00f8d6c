// Registers of the NoC overlay by tt-metal's names, and the zeros that base firmware keeps in L1.
#pragma once

#include "arch/stream_registers.hpp"
#include "arch/tile_registers.hpp"
#include "device/access.hpp"

#define STREAM_REG_ADDR(stream_id, reg_id) (kerr::arch::stream_address((stream_id), (reg_id)))
#define NOC_STREAM_READ_REG(stream_id, reg_id) (kerr::device::load(STREAM_REG_ADDR(stream_id, reg_id)))
#define NOC_STREAM_WRITE_REG(stream_id, reg_id, value) \
  (kerr::device::store<uint32_t>(STREAM_REG_ADDR(stream_id, reg_id), (value)))

#define NOC_NUM_STREAMS 64
#define STREAM_REMOTE_DEST_BUF_START_REG_INDEX 8
#define STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX 10
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE_REG_INDEX 270
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_REG_INDEX 297
static_assert(NOC_NUM_STREAMS == kerr::arch::kStreams &&
              STREAM_REMOTE_DEST_BUF_START_REG_INDEX == kerr::arch::stream::kRemoteDestBufStart &&
              STREAM_REMOTE_DEST_BUF_SIZE_REG_INDEX == kerr::arch::stream::kRemoteDestBufSize &&
              STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE_REG_INDEX == kerr::arch::stream::kSpaceAvailableUpdate &&
              STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_REG_INDEX == kerr::arch::stream::kSpaceAvailable);

#define RISCV_DEBUG_REG_WALL_CLOCK_L (kerr::arch::kWallClockL)  // reading it latches the upper half
#define RISCV_DEBUG_REG_WALL_CLOCK_H (kerr::arch::kWallClockH)

#define MEM_ZEROS_BASE 0x3240  // ints, as tt-metal's: kernels take their minimum with an int
#define MEM_ZEROS_SIZE 512
static_assert(MEM_ZEROS_BASE == kerr::device::kLayout.zero_region &&
              MEM_ZEROS_SIZE == kerr::device::kLayout.zero_region_bytes);

FORCE_INLINE uint32_t reg_read(uint32_t address) { return kerr::device::load(address); }
FORCE_INLINE void reg_write(uint32_t address, uint32_t value) { kerr::device::store(address, value); }
