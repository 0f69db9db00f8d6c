#include "kernels/blocks/multicast.hpp"

#include <stdexcept>

#include "arch/noc_registers.hpp"
#include "kernels/blocks/frame.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace niu = arch::niu;

namespace {

constexpr int kAtomicBuffer = 3;

// From command buffer 0.
constexpr uint32_t kSent = niu::counter_offset(niu::kMstNonpostedWrReqSent);
constexpr uint32_t kAcked = niu::counter_offset(niu::kMstWrAckReceived);

void wait_until_free(Stream& a, isa::Reg command_buffer, int32_t control) {
  a.closed([&] {
    const isa::Label busy = a.here();
    a.lw(t2, command_buffer, control);
    a.bnez(t2, busy);
  });
}

void issue_command(Stream& a, isa::Reg command_buffer, int32_t control) {
  a.li(t2, niu::kCmdCtrlIssue);
  a.sw(t2, command_buffer, control);
}

}  // namespace

// The offset of a register of command buffer 0 from the buffer whose address is held in a register.
int32_t Multicast::at(uint32_t offset) const {
  return static_cast<int32_t>(offset) - held * static_cast<int32_t>(niu::kCommandBufferStride);
}

void Multicast::open(Caller a) const {
  a->li(command_buffer, arch::niu_address(noc, held, 0));
  a->li(t0, niu::kCtrlWordMulticast);
  a->sw(t0, command_buffer, at(niu::kCtrl));
  a->sw(zero, command_buffer, at(niu::kTargAddrMid));
  a->sw(zero, command_buffer, at(niu::kRetAddrMid));
  a->lw(sent, command_buffer, at(kSent));
  a->lw(acked, command_buffer, at(kAcked));
}

// From and to the address in t0, to the rectangle in t3. Leaves `bytes` in t4.
void Multicast::send_packet(Stream& a, uint32_t bytes) const {
  wait_until_free(a, command_buffer, at(niu::kCmdCtrl));
  a.sw(t0, command_buffer, at(niu::kTargAddrLo));
  a.sw(t0, command_buffer, at(niu::kRetAddrLo));
  a.sw(t3, command_buffer, at(niu::kRetAddrHi));
  a.li(t4, bytes);
  a.sw(t4, command_buffer, at(niu::kAtLenBe));
  issue_command(a, command_buffer, at(niu::kCmdCtrl));
}

void Multicast::send_bytes(Stream& a, isa::Reg source, uint32_t bytes, std::span<const Receivers> receivers) const {
  if (receivers.empty() || receivers.size() > 2 ||
      (receivers.size() == 2 && receivers[0].argument == receivers[1].argument))
    throw std::logic_error("a multicast goes to one rectangle, or to two different ones");
  const uint32_t full = bytes / niu::kMaxPacketBytes, rest = bytes % niu::kMaxPacketBytes;
  a.lw(t3, arguments, receivers[0].argument);
  a.closed([&] {
    const isa::Label next_rectangle = a.here();
    a.mv(t0, source);
    if (full != 0) {
      a.repeat(t1, full, [&] {
        send_packet(a, niu::kMaxPacketBytes);
        a.add(t0, t0, t4);
      });
    }
    if (rest != 0) send_packet(a, rest);
    if (receivers.size() == 1) return;
    a.mv(t4, t3);
    a.lw(t3, arguments, receivers[1].argument);
    a.bne(t3, t4, next_rectangle);
  });
  const uint32_t packets = full + (rest != 0 ? 1 : 0);
  uint32_t tiles = 0;
  for (const Receivers& r : receivers) tiles += r.count;
  add_constant(a, sent, packets * static_cast<uint32_t>(receivers.size()));
  add_constant(a, acked, packets * tiles);
}

void Multicast::send(Caller a, isa::Reg source, uint32_t bytes, std::span<const Receivers> receivers,
                     uint32_t buffer) const {
  for (const Receivers& r : receivers) a->note_sent(buffer, bytes, r.count, r.argument);
  send_bytes(a, source, bytes, receivers);
}

void Multicast::send_semaphore(Caller a, isa::Reg source, std::span<const Receivers> receivers, uint32_t id) const {
  for (const Receivers& r : receivers) a->note(Effect::Kind::Signal, id, r.count, r.argument);
  send_bytes(a, source, 4, receivers);
}

void Multicast::flush(Caller a) const { wait_for_word(a, command_buffer, at(kSent), sent); }

void Multicast::barrier(Caller a) const { wait_for_word(a, command_buffer, at(kAcked), acked); }

void RemoteIncrement::open(Caller a) const {
  a->li(command_buffer, arch::niu_address(noc, kAtomicBuffer, 0));
  a->li(t0, niu::kCtrlWordAtomic);
  a->sw(t0, command_buffer, niu::kCtrl);
  a->li(t0, niu::atomic_increment(0));
  a->sw(t0, command_buffer, niu::kAtLenBe);
  a->li(t1, 1);
  a->sw(t1, command_buffer, niu::kAtData);
  a->sw(zero, command_buffer, niu::kTargAddrMid);
  a->li(responses, arch::niu_counter_address(noc, niu::kMstAtomicRespReceived));
  a->lw(acked, responses);
}

void RemoteIncrement::issue(Caller a, isa::Reg address, isa::Reg tile, const RemoteSemaphore& semaphore) const {
  a->note(Effect::Kind::Signal, semaphore.id, 1, semaphore.argument);
  wait_until_free(a, command_buffer, niu::kCmdCtrl);
  a->sw(address, command_buffer, niu::kTargAddrLo);
  a->sw(tile, command_buffer, niu::kTargAddrHi);
  issue_command(a, command_buffer, niu::kCmdCtrl);
  a->addi(acked, acked, 1);
}

void RemoteIncrement::barrier(Caller a) const { wait_for_word(a, responses, 0, acked); }

void wait_for_word(Caller a, isa::Reg base, int32_t offset, isa::Reg value) {
  a->closed([&] {
    const isa::Label top = a->here();
    a->fence();
    a->lw(t0, base, offset);
    a->bne(t0, value, top);
  });
}

void await_semaphore(Caller a, isa::Reg semaphores, uint32_t id, isa::Reg value, uint32_t times) {
  a->note(Effect::Kind::Await, id, times);
  wait_for_word(a, semaphores, semaphore_offset(id), value);
}

}  // namespace kerr::kernels
