#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "emu/tensix/scalar/scalar_unit.hpp"

namespace kerr::emu::tensix {
namespace {

constexpr std::uint32_t kRegisterBase = 0xFFB00000;   // what LOADREG, STOREREG and the register form of STOREIND add to
constexpr std::uint32_t kFirstRegister = 0xFFB11000;  // TDMA-RISC; below it lies local memory, out of their reach

// The tile holds an access back until one of its register files changes.
constexpr WaitMask kAnyRegister =
    wait::kStream | wait::kNiu | wait::kMailbox | wait::kPcBuf | wait::kDebugRegisters | wait::kTdma;

// Sizes by code 0..3.
constexpr unsigned bytes_of(std::uint32_t size_sel) {
  constexpr unsigned kBytes[] = {16, 4, 2, 1};
  return kBytes[size_sel & 3];
}

// Auto-increment of an offset register by code 0..3.
constexpr std::uint16_t step_of(std::uint32_t auto_inc_spec) {
  constexpr std::uint16_t kSteps[] = {0, 2, 4, 16};
  return kSteps[auto_inc_spec & 3];
}

Issue beyond_l1(std::uint64_t address, unsigned bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("{} bytes at L1 address {:#x} lie beyond its end", bytes, address),
                      "L1 ends at 0x180000; address registers count units of 16 bytes.", address);
}

Issue no_such_register(std::uint32_t address) {
  return Issue::fault(FaultCategory::UndefinedBehavior, fmt::format("address {:#010x} is no register", address),
                      "Registers begin at 0xffb11000.", address);
}

}  // namespace

// L1 at register (in units of 16 bytes) + 16-bit offset register, into one register or four.
Issue ScalarUnit::exec(int thread, const isa::tensix::LOADIND& i) {
  const unsigned bytes = bytes_of(i.size_sel);
  const std::uint64_t exact =
      std::uint64_t{gpr_.read(thread, i.addr_reg)} * 16 + gpr_.read_half(thread, i.offset_half_reg);
  const std::uint64_t aligned = exact & ~std::uint64_t{bytes - 1};
  if (!L1::contains(aligned, bytes)) return beyond_l1(aligned, bytes);
  const auto address = static_cast<std::uint32_t>(aligned);
  const std::uint32_t old = gpr_.read(thread, i.result_reg);
  switch (bytes) {
    case 16:
      for (unsigned k = 0; k < 4; ++k)
        gpr_.write(thread, (i.result_reg & ~3u) + k, l1_.load<std::uint32_t>(address + 4 * k));
      break;
    case 4: gpr_.write(thread, i.result_reg, l1_.load<std::uint32_t>(address)); break;
    case 2: gpr_.write(thread, i.result_reg, (old & ~0xFFFFu) | l1_.load<std::uint16_t>(address)); break;
    default: gpr_.write(thread, i.result_reg, (old & ~0xFFu) | l1_.load<std::uint8_t>(address)); break;
  }
  const std::uint16_t offset = gpr_.read_half(thread, i.offset_half_reg);
  gpr_.write_half(thread, i.offset_half_reg, static_cast<std::uint16_t>(offset + step_of(i.auto_inc_spec)));
  return Issue::done();
}

// mode [2]: L1, sizes as LOADIND by [1:0]. mode 01x: a register of the tile. mode 00x: a Src register.
Issue ScalarUnit::exec(int thread, const isa::tensix::STOREIND& i) {
  const std::uint32_t base = gpr_.read(thread, i.addr_reg);
  const std::uint16_t offset = gpr_.read_half(thread, i.offset_half_reg);
  if (i.mode & 4) {
    const unsigned bytes = bytes_of(i.mode);
    const std::uint64_t aligned = (std::uint64_t{base} * 16 + offset) & ~std::uint64_t{bytes - 1};
    if (!L1::contains(aligned, bytes)) return beyond_l1(aligned, bytes);
    store_l1(thread, static_cast<std::uint32_t>(aligned), bytes, i.data_reg);
  } else if (i.mode & 2) {
    const std::uint32_t address = kRegisterBase + ((base + (offset >> 4)) & 0xFFFFC);
    Issue stored = store_register(thread, address, gpr_.read(thread, i.data_reg));
    if (!stored.is_done()) return stored;
  } else {
    return Issue::unsupported("STOREIND to SrcA or SrcB is not modelled", "Fill Src registers with UNPACR.");
  }
  gpr_.write_half(thread, i.offset_half_reg, static_cast<std::uint16_t>(offset + step_of(i.auto_inc_spec)));
  return Issue::done();
}

void ScalarUnit::store_l1(int thread, std::uint32_t address, unsigned bytes, unsigned data_reg) {
  const std::uint32_t value = gpr_.read(thread, data_reg);
  switch (bytes) {
    case 16:
      for (unsigned k = 0; k < 4; ++k) l1_.store(address + 4 * k, gpr_.read(thread, (data_reg & ~3u) + k));
      break;
    case 4: l1_.store(address, value); break;
    case 2: l1_.store(address, static_cast<std::uint16_t>(value)); break;
    default: l1_.store(address, static_cast<std::uint8_t>(value)); break;
  }
}

Issue ScalarUnit::store_register(int thread, std::uint32_t address, std::uint32_t value) {
  if (address < kFirstRegister) return no_such_register(address);
  switch (bus_.store(thread, address, value)) {
    case Access::Done: return Issue::done();
    case Access::Wait: return Issue::wait(kAnyRegister, "the register does not take the store yet");
    default: return Issue::fault_already_reported();
  }
}

Issue ScalarUnit::exec(int thread, const isa::tensix::STOREREG& i) {
  return store_register(thread, kRegisterBase + (i.reg_addr << 2), gpr_.read(thread, i.tdma_data_reg_index));
}

Issue ScalarUnit::exec(int thread, const isa::tensix::LOADREG& i) {
  const std::uint32_t address = kRegisterBase + (i.reg_addr << 2);
  if (address < kFirstRegister) return no_such_register(address);
  std::uint32_t value = 0;
  switch (bus_.load(thread, address, value)) {
    case Access::Done: gpr_.write(thread, i.tdma_data_reg_index, value); return Issue::done();
    case Access::Wait: return Issue::wait(kAnyRegister, "the register does not answer the load yet");
    default: return Issue::fault_already_reported();
  }
}

// Adds a register to the low WrapVal + 1 bits of a word of L1; the register gets the old word.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATINCGET& i) {
  const std::uint64_t exact = std::uint64_t{gpr_.read(thread, i.addr_reg)} * 16 + i.sel32b * 4;
  if (!L1::contains(exact, 4)) return beyond_l1(exact, 4);
  const auto address = static_cast<std::uint32_t>(exact);
  const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{2} << i.wrap_val) - 1);
  const std::uint32_t old = l1_.load<std::uint32_t>(address);
  l1_.store(address, (old & ~mask) | ((old + gpr_.read(thread, i.in_out_reg)) & mask));
  gpr_.write(thread, i.in_out_reg, old);
  return Issue::done();
}

// Replaces the selected ones of eight 16-bit lanes. With SingleDataReg the other three registers count as zero.
Issue ScalarUnit::exec(int thread, const isa::tensix::ATSWAP& i) {
  const std::uint64_t exact = std::uint64_t{gpr_.read(thread, i.addr_reg)} * 16;
  if (!L1::contains(exact, 16)) return beyond_l1(exact, 16);
  for (unsigned lane = 0; lane < 8; ++lane) {
    if (!(i.swap_mask >> lane & 1)) continue;
    const unsigned reg = (i.data_reg & ~3u) + lane / 2;
    const std::uint32_t data = i.single_data_reg && reg != i.data_reg ? 0 : gpr_.read(thread, reg);
    l1_.store(static_cast<std::uint32_t>(exact) + 2 * lane, static_cast<std::uint16_t>(data >> lane % 2 * 16));
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
