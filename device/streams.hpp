// Registers of the NoC overlay by tt-metal's names, and the zeros that base firmware keeps in L1.
#pragma once

#include "arch/stream_registers.hpp"
#include "arch/tile_registers.hpp"
#include "device/access.hpp"

#define STREAM_REG_ADDR(stream_id, reg_id) (kerr::arch::stream_address((stream_id), (reg_id)))
#define NOC_STREAM_READ_REG(stream_id, reg_id) (kerr::device::load(STREAM_REG_ADDR(stream_id, reg_id)))
#define NOC_STREAM_WRITE_REG(stream_id, reg_id, value) (kerr::device::store<uint32_t>(STREAM_REG_ADDR(stream_id, reg_id), (value)))

#define RISCV_DEBUG_REG_WALL_CLOCK_L (kerr::arch::kWallClockL)  // reading it latches the upper half
#define RISCV_DEBUG_REG_WALL_CLOCK_H (kerr::arch::kWallClockH)

#define MEM_ZEROS_BASE (kerr::device::kLayout.zero_region)
#define MEM_ZEROS_SIZE (kerr::device::kLayout.zero_region_bytes)

FORCE_INLINE uint32_t reg_read(uint32_t address) { return kerr::device::load(address); }
FORCE_INLINE void reg_write(uint32_t address, uint32_t value) { kerr::device::store(address, value); }
