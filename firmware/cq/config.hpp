#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/cq.hpp"
#include "arch/cq_layout.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "arch/kernel_abi.hpp"
#include "build_id.h"
#include "firmware/common/access.hpp"

// The configuration block that the host wrote, and the diagnostics that this kernel writes.
// docs/hardware/fast-dispatch.md 3.4, 17.4, 20.2
namespace kerr::firmware {

namespace cq = arch::cq;
using cq::CqError;

inline constexpr arch::FirmwareLayout kLayout = arch::kFwB;

// The build's numbers are those of arch/: text where the host puts it, variables above the base firmware's.
static_assert(KERR_IMAGE_BASE == kLayout.kernel_config + cq::kImageTextOffset ||
              KERR_IMAGE_BASE == kLayout.kernel_config + cq::kImageDispatchSTextOffset);
static_assert(KERR_LOCAL_BASE >= arch::kernel_abi(arch::with_bank_counts(kLayout, arch::kDramBanks, arch::kTensixTiles),
                                                  KERR_IMAGE_BASE == kLayout.kernel_config + cq::kImageTextOffset
                                                      ? arch::Hart::Brisc
                                                      : arch::Hart::Ncrisc)
                                     .free_base);

inline uint32_t config_word(uint32_t offset) { return load(cq::kConfigBlock + offset); }
#define KERR_CONFIG(field) ::kerr::firmware::config_word(offsetof(::kerr::arch::cq::ConfigBlock, field))

// Diagnostics of one kernel; `kBlock` is the offset of its record in the configuration block.
template <uint32_t kBlock>
struct Reporter {
  static constexpr uint32_t address(uint32_t field) { return cq::kConfigBlock + kBlock + field; }

  // Stores what went wrong and stops consuming: never a silent spin, never a guess.
  [[noreturn]] static void fail(CqError error, uint32_t argument) {
    store(address(offsetof(cq::Diagnostics, error_argument)), argument);
    store(address(offsetof(cq::Diagnostics, error)), static_cast<uint32_t>(error));
    stop_here();
  }
  static void require(bool condition, CqError error, uint32_t argument) {
    if (!condition) fail(error, argument);
  }

  // Returns the command's id.
  static uint32_t begin_command(uint32_t command) {
    const uint32_t id = load<uint8_t>(command);
    begin_command(command, id);
    return id;
  }
  static void begin_command(uint32_t command, uint32_t id) {
    store(address(offsetof(cq::Diagnostics, last_command_address)), command);
    store(address(offsetof(cq::Diagnostics, heartbeat)), ++taken_up_);
    store(address(offsetof(cq::Diagnostics, last_command_id)), id);
  }
  static void end_command() { store(address(offsetof(cq::Diagnostics, commands_executed)), ++executed_); }

  // Refuses a host of another build: it would speak of other places and other commands.
  static void check_host() {
    static constexpr uint32_t own[4] = {KERR_BUILD_ID_0, KERR_BUILD_ID_1, KERR_BUILD_ID_2, KERR_BUILD_ID_3};
    for (uint32_t i = 0; i < 4; ++i) store(address(4 * i), own[i]);
    check(offsetof(cq::ConfigBlock, magic), cq::kConfigMagic);
    check(offsetof(cq::ConfigBlock, abi), cq::kAbi);
    for (uint32_t i = 0; i < 4; ++i) check(offsetof(cq::ConfigBlock, expected_build_id) + 4 * i, own[i]);
  }
  // Requires a configuration word, and those behind it, to be what this build was compiled for.
  template <class... Words>
  [[gnu::always_inline]] static void check(uint32_t offset, Words... expected) {
    ((require(config_word(offset) == expected, CqError::ConfigMismatch, offset / 4), offset += 4), ...);
  }
  static void ready() { store(address(offsetof(cq::Diagnostics, ready)), cq::kReady); }

 private:
  // Counted here: to count in L1 costs a load of eight cycles each.
  static inline uint32_t taken_up_;
  static inline uint32_t executed_;
};

// What all kernels of a whole queue and its halves were compiled for. `xy_field`: where this kernel's tile stands.
template <class Report>
[[gnu::always_inline]] inline void check_queue(uint32_t xy_field, uint32_t own_xy) {
  Report::check_host();
  Report::check(offsetof(cq::ConfigBlock, region_base_hi), cq::kRegionBaseHi);
  Report::check(xy_field, own_xy);
}

// Bank tables that an interleaved buffer can be found by.
template <class Report>
inline void check_banks() {
  const uint32_t banks = KERR_CONFIG(dram_banks);
  const uint32_t columns = KERR_CONFIG(l1_columns);
  Report::require(banks != 0 && banks <= sizeof(cq::ConfigBlock::dram_xy) / 4, CqError::ConfigMismatch,
                  offsetof(cq::ConfigBlock, dram_banks) / 4);
  Report::require(columns != 0 && columns <= sizeof(cq::ConfigBlock::l1_column_x), CqError::ConfigMismatch,
                  offsetof(cq::ConfigBlock, l1_columns) / 4);
}

constexpr uint32_t align_up(uint32_t value, uint32_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }
constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
// a >= b for free-running counters.
constexpr bool reached(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) >= 0; }

// Clears the kernel's variables; the linker script says where they lie.
extern "C" uint32_t local_begin[];
extern "C" uint32_t local_end[];
inline void clear_variables() {
  for (volatile uint32_t* word = local_begin; word != local_end; ++word) *word = 0;
}

}  // namespace kerr::firmware
