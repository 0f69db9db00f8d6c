#include "arch/stream_registers.hpp"
#include "kernels/emit/circular_buffer_layout.hpp"
#include "kernels/emit/dataflow.hpp"

namespace kerr::kernels {

using namespace isa::reg;

void DataflowBuffer::open(Stream& a, int pointer_offset) const {
  a.li(counters, stream_base(id));
  a.lw(pointer, interface, kCbInterfaceStride * id + pointer_offset);
  a.points_into(pointer, id);
  a.note(Effect::Kind::Pages, id, pages);
}

void DataflowBuffer::open_for_writing(Stream& a) const { open(a, kCbWritePointer); }
void DataflowBuffer::open_for_reading(Stream& a) const { open(a, kCbReadPointer); }

void DataflowBuffer::close_writing(Stream& a) const {
  a.sw(pointer, interface, kCbInterfaceStride * id + kCbWritePointer);
}
void DataflowBuffer::close_reading(Stream& a) const {
  a.sw(pointer, interface, kCbInterfaceStride * id + kCbReadPointer);
}

// Loads and a fence only, so that a waiting hart can be parked.
void DataflowBuffer::reserve_back(Stream& a, std::uint32_t n) const {
  a.note(Effect::Kind::Reserve, id, n);
  a.li(t2, pages - n);
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, counters, kReceivedOffset);
  a.lw(t1, counters, kAckedOffset);
  a.sub(t0, t0, t1);
  a.zext_h(t0, t0);
  a.bgtu(t0, t2, top);
}

void DataflowBuffer::wait_front(Stream& a, std::uint32_t n) const {
  a.note(Effect::Kind::Wait, id, n);
  a.li(t2, n);
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, counters, kReceivedOffset);
  a.lw(t1, counters, kAckedOffset);
  a.sub(t0, t0, t1);
  a.zext_h(t0, t0);
  a.bltu(t0, t2, top);
}

void DataflowBuffer::push_back(Stream& a, std::uint32_t n) const {
  a.note(Effect::Kind::Push, id, n);
  wrap(a);
  a.lw(t0, counters, kReceivedOffset);
  a.addi(t0, t0, static_cast<std::int32_t>(n));
  a.sw(t0, counters, kReceivedOffset);
}

void DataflowBuffer::pop_front(Stream& a, std::uint32_t n) const {
  a.note(Effect::Kind::Pop, id, n);
  wrap(a);
  a.lw(t0, counters, kAckedOffset);
  a.addi(t0, t0, static_cast<std::int32_t>(n));
  a.sw(t0, counters, kAckedOffset);
}

void DataflowBuffer::wrap(Stream& a) const {
  const isa::Label inside = a.label();
  a.lw(t0, interface, kCbInterfaceStride * id + kCbLimit);
  a.bltu(pointer, t0, inside);
  a.lw(t0, interface, kCbInterfaceStride * id + kCbSize);
  a.sub(pointer, pointer, t0);
  a.bind(inside);
}

}  // namespace kerr::kernels
