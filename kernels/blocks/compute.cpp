#include "kernels/blocks/compute.hpp"

#include "arch/memory_map.hpp"
#include "arch/stream_registers.hpp"
#include "kernels/blocks/circular_buffer_layout.hpp"
#include "kernels/blocks/frame.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

// TTSync, in the window of Windows::sync: this thread has nothing in flight; its MOP expander has nothing to do.
constexpr int kSyncIdle = arch::kTtSyncThreadIdle - arch::kPcBufBase;
constexpr int kSyncMopIdle = arch::kTtSyncMopIdle - arch::kPcBufBase;

// Returns when TTSync has answered. The store keeps the load behind what was pushed before; the last instruction is the
// one that waits, since a hart goes on behind a load until somebody uses its value.   docs/hardware/tile.md 4.3
void wait_until_idle(Stream& a, const Windows& w, int what, isa::Reg temp) {
  a.sw(zero, w.sync, what);
  a.lw(temp, w.sync, what);
  a.andi(temp, temp, 0);
}

}  // namespace

void Windows::open(Caller a) const {
  if (config != zero) a->li(config, arch::kConfigBase);
  if (push != zero) a->li(push, arch::kInstructionPushBase);
  if (sync != zero) a->li(sync, arch::kPcBufBase);
}

void configure_mop(Caller a, const Windows& w, const std::array<uint32_t, 9>& words, isa::Reg temp, isa::Reg address) {
  wait_until_idle(a, w, kSyncMopIdle, temp);
  configure_idle_mop(a, words, temp, address);
}

void configure_idle_mop(Caller a, const std::array<uint32_t, 9>& words, isa::Reg temp, isa::Reg address) {
  a->li(address, arch::kMopConfigBase);
  std::array<bool, 9> stored{};
  for (size_t i = 0; i < words.size(); ++i) {
    if (stored[i]) continue;
    const isa::Reg value = words[i] == 0 ? zero : temp;
    if (words[i] != 0) a->li(temp, words[i]);
    for (size_t same = i; same < words.size(); ++same) {
      if (words[same] != words[i]) continue;
      stored[same] = true;
      a->sw(value, address, static_cast<int32_t>(4 * same));
    }
  }
}

void configure_masked_mop(Caller a, const Windows& w, uint32_t clear, uint32_t set) {
  wait_until_idle(a, w, kSyncMopIdle, t0);
  a->li(t1, arch::kMopConfigBase);
  a->sw(zero, t1, 4 * 1);  // neither B nor A1 to A3
  a->li(t0, clear);
  a->sw(t0, t1, 4 * 3);
  a->li(t0, set);
  a->sw(t0, t1, 4 * 7);
}

void drain(Caller a, const Windows& w) { wait_until_idle(a, w, kSyncIdle, t0); }

void wait_semaphore_below(Caller a, const Windows& w, uint32_t semaphore, uint32_t limit) {
  if (limit > 1) a->li(t1, limit);
  a->closed([&] {
    const isa::Label top = a->here();
    a->lw(t0, w.sync, in_sync_window(semaphore));
    limit > 1 ? a->bgeu(t0, t1, top) : a->bnez(t0, top);
  });
}

void push_with_field(Caller a, const Windows& w, uint32_t base, isa::Reg field, int shift) {
  if (shift != 0) a->slli(t0, field, shift);
  a->li(t1, base);
  a->or_(t0, shift == 0 ? field : t0, t1);
  a->sw(t0, w.push);
}

void post_semaphore(Caller a, uint32_t semaphore) {
  a->note(Effect::Kind::Post, semaphore);
  a->tensix(tx::SEMPOST{.sem_sel = 1u << semaphore});
}
void get_semaphore(Caller a, uint32_t semaphore) {
  a->note(Effect::Kind::Get, semaphore);
  a->tensix(tx::SEMGET{.sem_sel = 1u << semaphore});
}

uint32_t tensix_nop() { return tx::NOP{}.encode(); }

void ComputeBuffer::open(Stream& a, int pointer_offset) const {
  a.note(Effect::Kind::Pages, id, pages);
  if (flow != Flow::Around) a.note(Effect::Kind::Straight, id, pages);
  if (flow != Flow::Once) a.li(moved, 0);
  a.lw(pointer, interface, kCbInterfaceStride * id + pointer_offset);
}

void ComputeBuffer::open_for_reading(Caller a) const { open(a, kCbReadPointer); }
void ComputeBuffer::open_for_writing(Caller a) const { open(a, kCbWritePointer); }

void ComputeBuffer::wait_front(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Wait, id, n);
  a->li(t2, overlay_base(id));
  a->li(t1, n);
  a->closed([&] {
    const isa::Label top = a->here();
    a->lw(t0, t2, kReceivedOffset);
    if (flow != Flow::Once) {
      a->sub(t0, t0, moved);
      a->zext_h(t0, t0);
    }
    a->bltu(t0, t1, top);
  });
}

void ComputeBuffer::reserve_back(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Reserve, id, n);
  if (flow != Flow::Around) return;
  a->li(t2, overlay_base(id));
  a->li(t1, pages - n);
  a->closed([&] {
    const isa::Label top = a->here();
    a->lw(t0, t2, kAckedOffset);
    a->sub(t0, moved, t0);
    a->zext_h(t0, t0);
    a->bgtu(t0, t1, top);
  });
}

void ComputeBuffer::publish(Stream& a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr, uint32_t wait,
                            int counter_register) const {
  if (flow == Flow::Once) {
    check_once(a, id);
    a.tensix(tx::SETDMAREG{.reg_index_16b = 2 * gpr, .payload_sig_sel = n & 0x3FFF, .payload_sig_sel_size = n >> 14});
  } else {
    a.addi(moved, moved, static_cast<int32_t>(n));
    if (flow == Flow::Around) a.zext_h(moved, moved);  // a buffer has no more pages than 16 bits count
    push_with_field(a, w, tx::SETDMAREG{.reg_index_16b = 2 * gpr}.encode(), moved, 8);
  }
  a.tensix(tx::STALLWAIT{.wait_res = wait, .stall_res = stall::kThcon});
  const uint32_t address = arch::stream_address(kFirstCbOverlay + id, counter_register);
  a.tensix(tx::STOREREG{.reg_addr = (address >> 2) & 0x3FFFF, .tdma_data_reg_index = gpr});

  if (flow != Flow::Once) add_constant(a, pointer, n * page16);
  if (flow == Flow::Around) wrap_pointer(a, id, pointer, interface);
}

void ComputeBuffer::pop_front(Caller a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr) const {
  a->note(Effect::Kind::Pop, id, n);
  publish(a, w, n, page16, gpr, until::kUnpack0 | until::kUnpack1, arch::stream::kRemoteDestBufStart);
}

void ComputeBuffer::push_back(Caller a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr) const {
  a->note(Effect::Kind::Push, id, n);
  publish(a, w, n, page16, gpr, until::kPack0, arch::stream::kRemoteDestBufSize);
}

}  // namespace kerr::kernels
