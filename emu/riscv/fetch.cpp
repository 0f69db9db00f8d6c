#include "emu/riscv/fetch.hpp"

#include <fmt/format.h>

#include "arch/tile_registers.hpp"

namespace kerr::emu {

const isa::riscv::Instruction* HartCode::cached(uint32_t pc, HartPort& port) {
  const InstructionCache::Block& block = old.block(pc, port.l1);
  const unsigned place = pc / 4 % block.words.size();
  const uint32_t now = port.l1.load<uint32_t>(pc);
  if (caching == InstructionCaching::Checked && block.words[place] != now) [[unlikely]] {
    port.stop(
        FaultCategory::UndefinedBehavior, pc,
        fmt::format("Stale instruction at {:#010x}: the instruction cache holds {:#010x}, L1 by now {:#010x}.", pc,
                    block.words[place], now),
        fmt::format(
            "After code has been written, store a mask with bit {} to RISCV_IC_INVALIDATE_InvalidateAll ({:#010x}) "
            "before this hart runs it, or reset the hart.",
            arch::kIcInvalidateBit[static_cast<size_t>(port.index)], arch::kIcInvalidateAll));
    return nullptr;
  }
  return &block.instructions[place];
}

}  // namespace kerr::emu
