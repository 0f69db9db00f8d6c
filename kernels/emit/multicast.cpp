#include "kernels/emit/multicast.hpp"

#include "arch/noc_registers.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace niu = arch::niu;

namespace {

constexpr int kWriteBuffer = 0;
constexpr int kAtomicBuffer = 3;

void open_buffer(Stream& a, int noc, int buffer, isa::Reg address, std::uint32_t control) {
  a.li(address, arch::niu_base(noc) + static_cast<std::uint32_t>(buffer) * niu::kCommandBufferStride);
  a.li(t0, control);
  a.sw(t0, address, niu::kCtrl);
}

constexpr auto kSent =
    static_cast<std::int32_t>(niu::counter_offset(niu::kMstNonpostedWrReqSent));  // from command buffer 0
constexpr auto kAcked = static_cast<std::int32_t>(niu::counter_offset(niu::kMstWrAckReceived));

constexpr std::uint32_t atomic_responses(int noc) {
  return arch::niu_base(noc) + niu::counter_offset(niu::kMstAtomicRespReceived);
}

void wait_until_free(Stream& a, isa::Reg command_buffer) {
  const isa::Label busy = a.here();
  a.lw(t2, command_buffer, niu::kCmdCtrl);
  a.bnez(t2, busy);
}

void issue_command(Stream& a, isa::Reg command_buffer) {
  a.li(t2, niu::kCmdCtrlIssue);
  a.sw(t2, command_buffer, niu::kCmdCtrl);
}

}  // namespace

void Multicast::open(Stream& a) const {
  open_buffer(a, noc, kWriteBuffer, command_buffer, niu::kCtrlWordMulticast);
  a.sw(zero, command_buffer, niu::kTargAddrMid);
  a.sw(zero, command_buffer, niu::kRetAddrMid);
  a.lw(sent, command_buffer, kSent);
  a.lw(acked, command_buffer, kAcked);
}

// From and to the address in t0.
void Multicast::send_packet(Stream& a, std::uint32_t bytes, isa::Reg rectangle, std::uint32_t receivers) const {
  wait_until_free(a, command_buffer);
  a.sw(t0, command_buffer, niu::kTargAddrLo);
  a.sw(t0, command_buffer, niu::kRetAddrLo);
  a.sw(rectangle, command_buffer, niu::kRetAddrHi);
  a.li(t2, bytes);
  a.sw(t2, command_buffer, niu::kAtLenBe);
  issue_command(a, command_buffer);
  a.addi(sent, sent, 1);
  a.addi(acked, acked, static_cast<std::int32_t>(receivers));
}

void Multicast::send_bytes(Stream& a, isa::Reg source, std::uint32_t bytes, isa::Reg rectangle,
                           std::uint32_t receivers) const {
  a.mv(t0, source);
  if (const std::uint32_t full = bytes / niu::kMaxPacketBytes; full != 0) {
    a.li(t1, full);
    const isa::Label top = a.here();
    send_packet(a, niu::kMaxPacketBytes, rectangle, receivers);
    a.li(t2, niu::kMaxPacketBytes);
    a.add(t0, t0, t2);
    a.addi(t1, t1, -1);
    a.bnez(t1, top);
  }
  if (const std::uint32_t rest = bytes % niu::kMaxPacketBytes; rest != 0) send_packet(a, rest, rectangle, receivers);
}

void Multicast::send(Stream& a, isa::Reg source, std::uint32_t bytes, isa::Reg rectangle, std::uint32_t receivers,
                     const RemotePages& pages) const {
  a.note_sent(pages.buffer, bytes, receivers, pages.argument);
  send_bytes(a, source, bytes, rectangle, receivers);
}

void Multicast::send_semaphore(Stream& a, isa::Reg source, isa::Reg rectangle, std::uint32_t receivers,
                               const RemoteSemaphore& semaphore) const {
  a.note(Effect::Kind::Signal, semaphore.id, receivers, semaphore.argument);
  send_bytes(a, source, 4, rectangle, receivers);
}

void Multicast::flush(Stream& a) const { wait_for_word(a, command_buffer, kSent, sent); }

void Multicast::barrier(Stream& a) const { wait_for_word(a, command_buffer, kAcked, acked); }

void RemoteIncrement::open(Stream& a) const {
  open_buffer(a, noc, kAtomicBuffer, command_buffer, niu::kCtrlWordAtomic);
  a.li(t0, niu::atomic_increment(0));
  a.sw(t0, command_buffer, niu::kAtLenBe);
  a.li(t0, 1);
  a.sw(t0, command_buffer, niu::kAtData);
  a.sw(zero, command_buffer, niu::kTargAddrMid);
  a.li(t0, atomic_responses(noc));
  a.lw(acked, t0);
}

void RemoteIncrement::issue(Stream& a, isa::Reg address, isa::Reg tile, const RemoteSemaphore& semaphore) const {
  a.note(Effect::Kind::Signal, semaphore.id, 1, semaphore.argument);
  wait_until_free(a, command_buffer);
  a.sw(address, command_buffer, niu::kTargAddrLo);
  a.sw(tile, command_buffer, niu::kTargAddrHi);
  issue_command(a, command_buffer);
  a.addi(acked, acked, 1);
}

void RemoteIncrement::barrier(Stream& a) const {
  a.li(t2, atomic_responses(noc));
  wait_for_word(a, t2, 0, acked);
}

void wait_for_word(Stream& a, isa::Reg base, std::int32_t offset, isa::Reg value) {
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, base, offset);
  a.bne(t0, value, top);
}

void await_semaphore(Stream& a, isa::Reg semaphores, std::uint32_t id, isa::Reg value, std::uint32_t times) {
  a.note(Effect::Kind::Await, id, times);
  wait_for_word(a, semaphores, semaphore_offset(id), value);
}

}  // namespace kerr::kernels
