// The five instruction streams of a matmul core.
#pragma once

#include "arch/firmware_layout.hpp"
#include "isa/code.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::kernels::matmul {

// Circular buffers: blocks of A (sub_rows x k_block tiles), of B (k_block x sub_columns), of C (one sub-block); all twice.
inline constexpr std::uint8_t kBufferA = 0;
inline constexpr std::uint8_t kBufferB = 1;
inline constexpr std::uint8_t kBufferC = 16;

constexpr std::uint32_t pages_a(const MatmulPlan& p) { return 2 * p.sub_rows * p.k_block; }
constexpr std::uint32_t pages_b(const MatmulPlan& p) { return 2 * p.sub_columns * p.k_block; }
constexpr std::uint32_t pages_c(const MatmulPlan& p) { return 2 * p.sub_rows * p.sub_columns; }

// Runtime arguments of reader and writer, words. Per core: first row and first column of C, in tiles. Common: DRAM addresses.
inline constexpr int kArgRow = 0;
inline constexpr int kArgColumn = 4;
inline constexpr int kCommonA = 0;
inline constexpr int kCommonB = 4;
inline constexpr int kCommonC = 8;

inline constexpr int kReaderNoc = 0;  // NCRISC
inline constexpr int kWriterNoc = 1;  // BRISC

isa::Code reader(const MatmulPlan& plan, const arch::FirmwareLayout& layout);  // NCRISC: A and B from DRAM
isa::Code writer(const MatmulPlan& plan, const arch::FirmwareLayout& layout);  // BRISC: C to DRAM
isa::Code unpack(const MatmulPlan& plan);                                      // TRISC0
isa::Code math(const MatmulPlan& plan);                                        // TRISC1
isa::Code pack(const MatmulPlan& plan);                                        // TRISC2

}  // namespace kerr::kernels::matmul
