#include <fmt/format.h>

#include <array>

#include "arch/bytes.hpp"
#include "arch/memory_map.hpp"
#include "emu/tensix/scalar/scalar_unit.hpp"

namespace kerr::emu::tensix {
namespace {

constexpr uint32_t kRegisterBase = 0xFFB00000;   // what LOADREG, STOREREG and the register form of STOREIND add to
constexpr uint32_t kFirstRegister = 0xFFB11000;  // TDMA-RISC; below it lies local memory, out of their reach

// Sizes by code 0..3.
constexpr unsigned bytes_of(uint32_t size_sel) {
  constexpr unsigned kBytes[] = {16, 4, 2, 1};
  return kBytes[size_sel & 3];
}

// Auto-increment of an offset register by code 0..3.
constexpr uint16_t step_of(uint32_t auto_inc_spec) {
  constexpr uint16_t kSteps[] = {0, 2, 4, 16};
  return kSteps[auto_inc_spec & 3];
}

Issue no_such_register(uint32_t address) {
  return Issue::fault(FaultCategory::UndefinedBehavior, fmt::format("address {:#010x} is no register", address),
                      "Registers begin at 0xffb11000.", address);
}

}  // namespace

Issue ScalarUnit::beyond_l1(uint64_t address, unsigned bytes) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("{} bytes at L1 address {:#x} lie beyond its end", bytes, address),
                      "L1 ends at 0x180000; address registers count units of 16 bytes.", address);
}

// L1 at register (in units of 16 bytes) + 16-bit offset register, into one register or four.
Issue ScalarUnit::exec(int thread, const isa::tensix::LOADIND& i) {
  const unsigned bytes = bytes_of(i.size_sel);
  const uint64_t exact = uint64_t{gpr_.read(thread, i.addr_reg)} * 16 + gpr_.read_half(thread, i.offset_half_reg);
  const uint64_t aligned = exact & ~uint64_t{bytes - 1};
  if (!L1::contains(aligned, bytes)) return beyond_l1(aligned, bytes);
  const auto address = static_cast<uint32_t>(aligned);
  const uint32_t old = gpr_.read(thread, i.result_reg);
  l1_.will_read(address, bytes);
  switch (bytes) {
    case 16:
      for (unsigned k = 0; k < 4; ++k)
        gpr_.write(thread, (i.result_reg & ~3u) + k, l1_.load<uint32_t>(address + 4 * k));
      break;
    case 4: gpr_.write(thread, i.result_reg, l1_.load<uint32_t>(address)); break;
    case 2: gpr_.write(thread, i.result_reg, (old & ~0xFFFFu) | l1_.load<uint16_t>(address)); break;
    default: gpr_.write(thread, i.result_reg, (old & ~0xFFu) | l1_.load<uint8_t>(address)); break;
  }
  const uint16_t offset = gpr_.read_half(thread, i.offset_half_reg);
  gpr_.write_half(thread, i.offset_half_reg, static_cast<uint16_t>(offset + step_of(i.auto_inc_spec)));
  return Issue::done();
}

// mode [2]: L1, sizes as LOADIND by [1:0]. mode 01x: a register of the tile. mode 00x: SrcA (0) or SrcB (1).
Issue ScalarUnit::exec(int thread, const isa::tensix::STOREIND& i) {
  const uint32_t base = gpr_.read(thread, i.addr_reg);
  const uint16_t offset = gpr_.read_half(thread, i.offset_half_reg);
  if (i.mode & 4) {
    const unsigned bytes = bytes_of(i.mode);
    const uint64_t aligned = (uint64_t{base} * 16 + offset) & ~uint64_t{bytes - 1};
    if (!L1::contains(aligned, bytes)) return beyond_l1(aligned, bytes);
    store_l1(thread, static_cast<uint32_t>(aligned), bytes, i.data_reg);
  } else if (i.mode & 2) {
    const uint32_t address = kRegisterBase + ((base + (offset >> 4)) & 0xFFFFC);
    Issue stored = store_register(address, gpr_.read(thread, i.data_reg));
    if (!stored.is_done()) return stored;
  } else {
    const uint64_t index = uint64_t{base} + (offset >> 4);
    if (index > 0xFFFF) {
      return Issue::undefined(fmt::format("STOREIND to a Src register with index {:#x}", index),
                              "The index, four columns a step, has 16 bits.");
    }
    Issue stored = store_src(thread, static_cast<uint32_t>(index), (i.mode & 1) != 0, i.data_reg & ~3u);
    if (!stored.is_done()) return stored;
  }
  gpr_.write_half(thread, i.offset_half_reg, static_cast<uint16_t>(offset + step_of(i.auto_inc_spec)));
  return Issue::done();
}

void ScalarUnit::store_l1(int thread, uint32_t address, unsigned bytes, unsigned data_reg) {
  const uint32_t value = gpr_.read(thread, data_reg);
  switch (bytes) {
    case 16: {
      std::array<uint32_t, 4> words;
      for (unsigned k = 0; k < 4; ++k) words[k] = gpr_.read(thread, (data_reg & ~3u) + k);
      l1_.write(address, arch::as_uint8(words));
      break;
    }
    case 4: l1_.store(address, value); break;
    case 2: l1_.store(address, static_cast<uint16_t>(value)); break;
    default: l1_.store(address, static_cast<uint8_t>(value)); break;
  }
}

Issue ScalarUnit::store_register(uint32_t address, uint32_t value) {
  if (address < kFirstRegister) return no_such_register(address);
  BusReply reply;
  switch (bus_.store(address, value, reply)) {
    case Access::Done: return Issue::done();
    case Access::Wait: return Issue::wait(reply.wait, "the register does not take the store yet");
    default: return Issue::fault_already_reported();
  }
}

// Four BF16 cells of two registers to a row of the unpackers' bank. The low half of a register has its mantissa above
// its exponent, as Src stores it; the high half is plain BF16. SrcA rows are biased by four, like those of an unpacker.
Issue ScalarUnit::store_src(int thread, uint32_t index, bool to_b, unsigned data_reg) {
  SrcRegister& src = to_b ? src_b_ : src_a_;
  if (!src.unpacker_may_write()) return Issue::wait(src.what(), "the unpackers' bank still belongs to the matrix unit");
  const unsigned base_row = src.row_base[static_cast<size_t>(thread)];
  const int row = static_cast<int>(index >> 2) - (to_b ? 0 : 4);
  const bool absolute = !to_b && config_.thread(thread).flag(arch::thread_config::SRCA_SET_SetOvrdWithAddr);
  if (row >= static_cast<int>(absolute ? math::kSrcRows : 16)) {
    return Issue::undefined(fmt::format("STOREIND to row {} of {}", row, to_b ? "SrcB" : "SrcA"),
                            absolute ? "Src has 64 rows." : "Without SetOvrdWithAddr it reaches 16 rows.");
  }
  if (row < 0) return Issue::done();
  math::SrcBank& bank = src.unpack_bank();
  math::Cell* cells = bank.cells[(absolute ? 0 : base_row) + static_cast<unsigned>(row)] + 4 * (index & 3);
  for (unsigned k = 0; k < 2; ++k) {
    const uint32_t word = gpr_.read(thread, data_reg + k);
    cells[2 * k] = math::cell_from_hardware_order((word & 0xFF00) << 3 | (word & 0xFF));
    cells[2 * k + 1] = math::cell_from_bf16(static_cast<uint16_t>(word >> 16));
  }
  bank.changed();
  return Issue::done();
}

Issue ScalarUnit::exec(int thread, const isa::tensix::STOREREG& i) {
  return store_register(kRegisterBase + (i.reg_addr << 2), gpr_.read(thread, i.tdma_data_reg_index));
}

Issue ScalarUnit::exec(int thread, const isa::tensix::LOADREG& i) {
  const uint32_t address = kRegisterBase + (i.reg_addr << 2);
  if (address < kFirstRegister) return no_such_register(address);
  BusReply reply;
  switch (bus_.load(address, reply)) {
    case Access::Done: gpr_.write(thread, i.tdma_data_reg_index, reply.value); return Issue::done();
    case Access::Wait: return Issue::wait(reply.wait, "the register does not answer the load yet");
    default: return Issue::fault_already_reported();
  }
}

}  // namespace kerr::emu::tensix
