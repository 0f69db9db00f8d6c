// The windows through which harts reach the state of the coprocessor: GPRs, MOP configuration, configuration, Dst.
// docs/hardware/tile.md 4.5 to 4.9
#pragma once

#include <cstdint>

#include "emu/access.hpp"
#include "emu/agent.hpp"
#include "emu/observe/reporter.hpp"

namespace kerr::emu {

struct Coprocessor;

namespace tensix {

/// Stateless: what is behind the windows belongs to the coprocessor. Offsets are from a window's start, and but for Dst
/// multiples of 4.
class Windows {
 public:
  Windows(Coprocessor& coprocessor, Reporter& reporter) : coprocessor_(coprocessor), reporter_(reporter) {}

  /// FFE00000. A TRISC sees its own array again and again, BRISC the three arrays in a row.
  Access load_gpr(arch::Hart hart, uint32_t offset, uint32_t& value);
  Access store_gpr(arch::Hart hart, uint32_t offset, uint32_t value);
  /// FFB80000. `thread` is the one that the accessing TRISC drives.
  Access store_mop_config(int thread, uint32_t offset, uint32_t value);
  /// FFEF0000
  Access load_config(uint32_t offset, uint32_t& value);
  Access store_config(uint32_t offset, uint32_t value);
  /// FFBD8000, dst_window.cpp. `thread` as above.
  Access load_dst(int thread, uint32_t offset, unsigned bytes, uint32_t& value);
  Access store_dst(int thread, uint32_t offset, unsigned bytes, uint32_t value);

 private:
  Access no_such_gpr(uint32_t offset);
  Access no_such_config(uint32_t offset);

  Coprocessor& coprocessor_;
  Reporter& reporter_;
};

}  // namespace tensix
}  // namespace kerr::emu
