#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/stream_registers.hpp"
#include "kernels/blocks/circular_buffer_layout.hpp"
#include "kernels/blocks/dataflow.hpp"

namespace kerr::kernels {

using namespace isa::reg;

void check_once(const Stream& a, uint32_t id) {
  const auto moves = [&](const Effect& e) {
    return e.id == id && (e.kind == Effect::Kind::Push || e.kind == Effect::Kind::Pop);
  };
  if (a.times().constant != 1 || !a.times().arguments.empty() || std::ranges::count_if(a.effects(), moves) != 1)
    throw std::logic_error(fmt::format("circular buffer {} is used more often than once", id));
}

void wrap_pointer(Stream& a, unsigned id, isa::Reg pointer, isa::Reg interface) {
  const int32_t at = kCbInterfaceStride * static_cast<int32_t>(id);
  a.closed([&] {
    const isa::Label inside = a.label();
    a.lw(t0, interface, at + kCbLimit);
    a.bltu(pointer, t0, inside);
    a.lw(t0, interface, at + kCbSize);
    a.sub(pointer, pointer, t0);
    a.bind(inside);
  });
}

void DataflowBuffer::open(Stream& a, int pointer_offset) const {
  if (pointer != zero) {
    a.lw(pointer, interface, kCbInterfaceStride * id + pointer_offset);
    a.points_into(pointer, id);
  }
  a.note(Effect::Kind::Pages, id, pages);
  if (flow != Flow::Around) a.note(Effect::Kind::Straight, id, pages);
}

void DataflowBuffer::open_for_writing(Caller a) const { open(a, kCbWritePointer); }
void DataflowBuffer::open_for_reading(Caller a) const { open(a, kCbReadPointer); }

void DataflowBuffer::close_writing(Caller a) const {
  if (pointer != zero) a->sw(pointer, interface, kCbInterfaceStride * id + kCbWritePointer);
}
void DataflowBuffer::close_reading(Caller a) const {
  a->sw(pointer, interface, kCbInterfaceStride * id + kCbReadPointer);
}

// Until there are at most `limit` pages, or at least. Loads and a fence only, so that a waiting hart can be parked.
void DataflowBuffer::poll(Stream& a, uint32_t limit, bool below) const {
  a.li(t3, overlay_base(id));
  a.li(t2, limit);
  a.closed([&] {
    const isa::Label top = a.here();
    a.fence();
    a.lw(t0, t3, kReceivedOffset);
    a.lw(t1, t3, kAckedOffset);
    a.sub(t0, t0, t1);
    a.zext_h(t0, t0);
    below ? a.bgtu(t0, t2, top) : a.bltu(t0, t2, top);
  });
}

void DataflowBuffer::reserve_back(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Reserve, id, n);
  if (flow == Flow::Around) poll(a, pages - n, true);
}

void DataflowBuffer::wait_front(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Wait, id, n);
  poll(a, n, false);
}

void DataflowBuffer::count(Stream& a, int32_t counter, uint32_t n) const {
  if (flow == Flow::Around && pointer != zero) wrap_pointer(a, id, pointer, interface);
  a.li(t3, overlay_base(id));
  if (flow == Flow::Once) {
    check_once(a, id);
    a.li(t0, n);
  } else {
    a.lw(t0, t3, counter);
    a.addi(t0, t0, static_cast<int32_t>(n));
  }
  a.sw(t0, t3, counter);
}

void DataflowBuffer::push_back(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Push, id, n);
  count(a, kReceivedOffset, n);
}

void DataflowBuffer::pop_front(Caller a, uint32_t n) const {
  a->note(Effect::Kind::Pop, id, n);
  count(a, kAckedOffset, n);
}

}  // namespace kerr::kernels
