#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/kernel_abi.hpp"
#include "arch/noc_registers.hpp"
#include "kernels/blocks/dataflow.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace niu = arch::niu;

namespace {

// Both ends of a transfer are the same modulo this: of reads from DRAM, of all others (docs/hardware/noc.md 3.4).
constexpr uint32_t kAlignment = 64, kAlignmentInL1 = 16;

// What transfers of a direction use of the NIU.
struct Means {
  int command_buffer;
  uint32_t control, counter;  // of answers

  // The counter's offset from the command buffer.
  constexpr int32_t counter_from_buffer() const {
    return static_cast<int32_t>(counter) - command_buffer * static_cast<int32_t>(niu::kCommandBufferStride);
  }
};
constexpr Means means_of(Direction direction) {
  if (direction == Direction::In) return {1, niu::kCtrlWordRead, niu::counter_offset(niu::kMstRdRespReceived)};
  return {0, niu::kCtrlWordWrite, niu::counter_offset(niu::kMstWrAckReceived)};
}

}  // namespace

void DramTiles::open(Caller a, Direction direction) const {
  if (page_bytes % kAlignment != 0 || page_bytes == 0 || page_bytes > niu::kMaxPacketBytes) {
    throw std::invalid_argument(fmt::format(
        "pages of {} bytes: the NoC moves from DRAM multiples of {} bytes, at most {} at once; {} would fit",
        page_bytes, kAlignment, niu::kMaxPacketBytes,
        std::clamp((page_bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment, niu::kMaxPacketBytes)));
  }
  const Means means = means_of(direction);
  a->note(Effect::Kind::OnHart, static_cast<uint32_t>(hart));
  a->li(command_buffer, arch::niu_address(noc, means.command_buffer, 0));
  a->li(page, page_bytes);
  a->lw(expected, command_buffer, means.counter_from_buffer());
  a->li(t0, means.control);
  a->sw(t0, command_buffer, niu::kCtrl);
  a->sw(page, command_buffer, niu::kAtLenBe);
  a->sw(zero, command_buffer, niu::kTargAddrMid);
  a->sw(zero, command_buffer, niu::kRetAddrMid);
}

void DramTiles::use_page(Stream& a) const {
  a.li(page, page_bytes);
  a.sw(page, command_buffer, niu::kAtLenBe);
}

// page number p: bank p mod D, at base + (p / D) * page_bytes.                    docs/hardware/kernels.md 4.1
// Where a page holds two tiles, tile p is the (p mod 2)-th of page p / 2.
// In shards of S pages: tile p / S, at base + (p mod S) * page_bytes.
void DramTiles::move(Caller a, Direction direction, uint32_t count, isa::Reg base, isa::Reg pointer,
                     const ShardTable& shards) const {
  const bool reading = direction == Direction::In;
  const bool sharded = shards.pages != 0;
  const isa::Reg address = sharded ? t3 : t2, coordinate = sharded ? t2 : t3;
  const uint32_t table = arch::kernel_abi(layout, hart).dram_xy + 2 * layout.dram_banks * static_cast<uint32_t>(noc);
  // A shard may be in L1.
  a->note_transfer(pointer, count * page_bytes, base, reading && !sharded ? kAlignment : kAlignmentInL1);
  a->addi(expected, expected, static_cast<int32_t>(count));
  const bool halves = tiles_of_page == 2;
  a->li(t1, sharded ? shards.pages : layout.dram_banks);
  if (halves) a->srli(t4, t0, 1);
  a->divu(t2, halves ? t4 : t0, t1);
  a->remu(t3, halves ? t4 : t0, t1);
  if (halves) {
    a->slli(address, address, 1);
    a->andi(t4, t0, 1);
    a->add(address, address, t4);
  }
  a->mul(address, address, page);
  a->add(address, address, base);
  if (sharded) {
    a->sh1add(coordinate, coordinate, shards.arguments);
    a->mul(t1, t1, page);
    a->add(t1, t1, base);  // behind a shard
  } else {
    a->li(t6, table);
    a->sh1add(coordinate, coordinate, t6);
    a->sh1add(t1, t1, t6);  // behind the last one
  }
  a->li(t4, count);

  a->closed([&] {
    const isa::Label top = a->here();
    const isa::Label busy = a->here();
    a->lw(t5, command_buffer, niu::kCmdCtrl);
    a->bnez(t5, busy);
    a->lhu(t5, coordinate, shards.offset);
    a->sw(pointer, command_buffer, reading ? niu::kRetAddrLo : niu::kTargAddrLo);
    a->sw(address, command_buffer, reading ? niu::kTargAddrLo : niu::kRetAddrLo);
    a->sw(t5, command_buffer, reading ? niu::kTargAddrHi : niu::kRetAddrHi);
    a->li(t5, niu::kCmdCtrlIssue);
    a->sw(t5, command_buffer, niu::kCmdCtrl);
    a->add(pointer, pointer, page);
    const isa::Label same = a->label();
    if (sharded) {
      a->add(address, address, page);
      a->bne(address, t1, same);
      a->mv(address, base);
      a->addi(coordinate, coordinate, 2);
    } else {
      if (halves) {
        a->addi(t0, t0, 1);
        a->andi(t5, t0, 1);
        a->add(address, address, page);
        a->bnez(t5, same);
        a->sub(address, address, page);
        a->sub(address, address, page);
      }
      a->addi(coordinate, coordinate, 2);
      a->bne(coordinate, t1, same);
      a->mv(coordinate, t6);
      a->add(address, address, page);
      if (halves) a->add(address, address, page);
    }
    a->bind(same);
    a->addi(t4, t4, -1);
    a->bnez(t4, top);
  });
}

void DramTiles::barrier(Caller a, Direction direction) const {
  a->closed([&] {
    const isa::Label top = a->here();
    a->lw(t0, command_buffer, means_of(direction).counter_from_buffer());
    a->bne(t0, expected, top);
  });
  a->fence();
}

void open(Caller a, Direction direction, const DataflowBuffer& buffer, const DramTiles& dram) {
  direction == Direction::In ? buffer.open_for_writing(a) : buffer.open_for_reading(a);
  dram.open(a, direction);
}

}  // namespace kerr::kernels
