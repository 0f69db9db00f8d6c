#include "emu/tile/pc_bufs.hpp"

namespace kerr::emu {

Access PcBufs::push(int thread, uint32_t value, BusReply& reply) {
  Channel& channel = channels_[thread];
  if (channel.fifo.full()) {
    reply.wait = wait::kPcBuf;
    return Access::Wait;
  }
  board_.about_to_change(wait::kPcBuf);
  channel.fifo.push(value);
  return Access::Done;
}

Access PcBufs::pop(int thread, BusReply& reply) {
  Channel& channel = channels_[thread];
  const uint32_t override_bits = overrides_ >> (10 * thread);
  if (!channel.fifo.empty()) {
    board_.about_to_change(wait::kPcBuf);
    channel.trisc_in_load = false;
    reply.value = channel.fifo.pop();
    return Access::Done;
  }
  if (override_bits & 1) {
    channel.trisc_in_load = false;
    reply.value = override_bits >> 2 & 0xFF;
    return Access::Done;
  }
  if (!channel.trisc_in_load) {
    board_.about_to_change(wait::kPcBuf);  // BRISC may wait for just this
    channel.trisc_in_load = true;
  }
  reply.wait = wait::kPcBuf;
  return Access::Wait;
}

Access PcBufs::drained(int thread, BusReply& reply) {
  const Channel& channel = channels_[thread];
  if (released(thread) || (channel.fifo.empty() && channel.trisc_in_load && coprocessor_.idle(thread))) {
    reply.value = 0;
    return Access::Done;
  }
  reply.wait = wait::kPcBuf | wait::thread_idle(thread);
  return Access::Wait;
}

void PcBufs::set_overrides(uint32_t value) {
  board_.about_to_change(wait::kPcBuf);
  overrides_ = value;
}

void PcBufs::trisc_left_reset(int thread) {
  board_.about_to_change(wait::kPcBuf);
  channels_[thread].fifo.clear();
}

void PcBufs::trisc_entered_reset(int thread) { channels_[thread].trisc_in_load = false; }

}  // namespace kerr::emu
