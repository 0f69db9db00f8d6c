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

constexpr int kWriteBuffer = 0;
constexpr int kReadBuffer = 1;
// Both ends of a transfer are the same modulo this: of reads from DRAM, of all others (docs/hardware/noc.md 3.4).
constexpr uint32_t kAlignment = 64, kAlignmentInL1 = 16;

// The offset of a register of the NIU from a command buffer.
constexpr int32_t from_buffer(int buffer, uint32_t offset) {
  return static_cast<int32_t>(offset) - buffer * static_cast<int32_t>(niu::kCommandBufferStride);
}

}  // namespace

void DramTiles::open(Stream& a, int buffer, uint32_t counter, uint32_t control) const {
  constexpr uint32_t kMostBytes = 16384;  // of a packet
  if (page_bytes % kAlignment != 0 || page_bytes == 0 || page_bytes > kMostBytes) {
    throw std::invalid_argument(fmt::format(
        "pages of {} bytes: the NoC moves from DRAM multiples of {} bytes, at most {} at once; {} would fit",
        page_bytes, kAlignment, kMostBytes,
        std::clamp((page_bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment, kMostBytes)));
  }
  a.note(Effect::Kind::OnHart, static_cast<uint32_t>(hart));
  a.li(command_buffer, arch::niu_base(noc) + static_cast<uint32_t>(buffer) * niu::kCommandBufferStride);
  a.li(page, page_bytes);
  a.lw(expected, command_buffer, from_buffer(buffer, counter));
  a.li(t0, control);
  a.sw(t0, command_buffer, niu::kCtrl);
  a.sw(page, command_buffer, niu::kAtLenBe);
  a.sw(zero, command_buffer, niu::kTargAddrMid);
  a.sw(zero, command_buffer, niu::kRetAddrMid);
}

void DramTiles::use_page(Stream& a) const {
  a.li(page, page_bytes);
  a.sw(page, command_buffer, niu::kAtLenBe);
}

void DramTiles::open_for_reading(Caller caller) const {
  Stream& a = caller;
  open(a, kReadBuffer, niu::counter_offset(niu::kMstRdRespReceived), niu::kCtrlWordRead);
}
void DramTiles::open_for_writing(Caller caller) const {
  Stream& a = caller;
  open(a, kWriteBuffer, niu::counter_offset(niu::kMstWrAckReceived), niu::kCtrlWordWrite);
}

// page number p: bank p mod D, at base + (p / D) * page_bytes.                    docs/hardware/kernels.md 4.1
// In shards of S pages: tile p / S, at base + (p mod S) * page_bytes.
void DramTiles::transfer(Stream& a, uint32_t count, isa::Reg base, isa::Reg pointer, bool reading,
                         const ShardTable& shards) const {
  const bool sharded = shards.pages != 0;
  const isa::Reg address = sharded ? t3 : t2, coordinate = sharded ? t2 : t3;
  const uint32_t table =
      arch::kernel_abi(layout, hart).dram_xy + 2 * layout.dram_banks * static_cast<uint32_t>(noc);
  // A shard may be in L1.
  a.note_transfer(pointer, count * page_bytes, base, reading && !sharded ? kAlignment : kAlignmentInL1);
  a.addi(expected, expected, static_cast<int32_t>(count));
  a.li(t1, sharded ? shards.pages : layout.dram_banks);
  a.divu(t2, t0, t1);
  a.remu(t3, t0, t1);
  a.mul(address, address, page);
  a.add(address, address, base);
  if (sharded) {
    a.sh1add(coordinate, coordinate, shards.arguments);
    a.mul(t1, t1, page);
    a.add(t1, t1, base);  // behind a shard
  } else {
    a.li(t6, table);
    a.sh1add(coordinate, coordinate, t6);
    a.sh1add(t1, t1, t6);  // behind the last one
  }
  a.li(t4, count);

  a.closed([&] {
    const isa::Label top = a.here();
    const isa::Label busy = a.here();
    a.lw(t5, command_buffer, niu::kCmdCtrl);
    a.bnez(t5, busy);
    a.lhu(t5, coordinate, shards.offset);
    a.sw(pointer, command_buffer, reading ? niu::kRetAddrLo : niu::kTargAddrLo);
    a.sw(address, command_buffer, reading ? niu::kTargAddrLo : niu::kRetAddrLo);
    a.sw(t5, command_buffer, reading ? niu::kTargAddrHi : niu::kRetAddrHi);
    a.li(t5, niu::kCmdCtrlIssue);
    a.sw(t5, command_buffer, niu::kCmdCtrl);
    a.add(pointer, pointer, page);
    const isa::Label same = a.label();
    if (sharded) {
      a.add(address, address, page);
      a.bne(address, t1, same);
      a.mv(address, base);
      a.addi(coordinate, coordinate, 2);
    } else {
      a.addi(coordinate, coordinate, 2);
      a.bne(coordinate, t1, same);
      a.mv(coordinate, t6);
      a.add(address, address, page);
    }
    a.bind(same);
    a.addi(t4, t4, -1);
    a.bnez(t4, top);
  });
}

void DramTiles::read(Caller caller, uint32_t count, isa::Reg base, isa::Reg pointer,
                      const ShardTable& shards) const {
  Stream& a = caller;
  transfer(a, count, base, pointer, true, shards);
}
void DramTiles::write(Caller caller, uint32_t count, isa::Reg base, isa::Reg pointer,
                       const ShardTable& shards) const {
  Stream& a = caller;
  transfer(a, count, base, pointer, false, shards);
}

void DramTiles::barrier(Stream& a, int buffer, uint32_t counter) const {
  a.closed([&] {
    const isa::Label top = a.here();
    a.lw(t0, command_buffer, from_buffer(buffer, counter));
    a.bne(t0, expected, top);
  });
  a.fence();
}

void DramTiles::read_barrier(Caller caller) const {
  barrier(caller, kReadBuffer, niu::counter_offset(niu::kMstRdRespReceived));
}
void DramTiles::write_barrier(Caller caller) const {
  Stream& a = caller;
  barrier(a, kWriteBuffer, niu::counter_offset(niu::kMstWrAckReceived));
}

}  // namespace kerr::kernels
