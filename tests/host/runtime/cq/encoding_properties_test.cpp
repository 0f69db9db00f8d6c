// Every command with random fields: each field is found again at the offset that the tables of
// docs/hardware/fast-dispatch.md 6.2 and 7.2 give, whatever the structs say, and the decoder agrees.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

#include "arch/cq_layout.hpp"
#include "host/error.hpp"
#include "host/runtime/cq/decode.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "host/runtime/cq/queue_config.hpp"
#include "tests/host/runtime/cq/other_commands.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

uint64_t at(const Bytes& b, size_t offset, size_t bytes) {
  RC_ASSERT(offset + bytes <= b.size());
  uint64_t value = 0;
  std::memcpy(&value, b.data() + offset, bytes);
  return value;
}
uint64_t u8(const Bytes& b, size_t offset) { return at(b, offset, 1); }
uint64_t u16(const Bytes& b, size_t offset) { return at(b, offset, 2); }
uint64_t u32(const Bytes& b, size_t offset) { return at(b, offset, 4); }
uint64_t u64(const Bytes& b, size_t offset) { return at(b, offset, 8); }

template <class T = uint32_t>
T any() {
  return *rc::gen::arbitrary<T>();
}
uint32_t in(uint32_t first, uint32_t last) { return *rc::gen::inRange<uint32_t>(first, last + 1); }
uint32_t multiple(uint32_t of, uint32_t most = 0xFFFF'FF00) { return in(0, most / of) * of; }

arch::NocCoord tile() {
  const uint32_t column = in(0, 13);
  return {static_cast<uint8_t>(column < 7 ? 1 + column : 3 + column), static_cast<uint8_t>(in(2, 11))};
}
std::vector<arch::NocCoord> tiles(uint32_t most) {
  std::vector<arch::NocCoord> out(in(1, most));
  for (arch::NocCoord& t : out) t = tile();
  return out;
}
Rectangle rectangle() {
  const bool right = any<bool>(), across = any<bool>();  // columns 8 and 9 may lie inside
  const uint32_t x0 = right ? in(10, 16) : in(1, 7), x1 = right ? in(x0, 16) : across ? in(10, 16) : in(x0, 7);
  const uint32_t y0 = in(2, 11), y1 = in(y0, 11);
  return {{static_cast<uint8_t>(x0), static_cast<uint8_t>(y0)}, {static_cast<uint8_t>(x1), static_cast<uint8_t>(y1)}};
}
uint64_t corners(const Rectangle& r) {  // NoC 0: x_end, y_end, x_start, y_start from bit 0
  return r.last.x | r.last.y << 6 | r.first.x << 12 | r.first.y << 18;
}
std::vector<Rectangle> rectangles(uint32_t most) {
  std::vector<Rectangle> out(in(1, most));
  for (Rectangle& r : out) r = rectangle();
  return out;
}
Bytes data(size_t n) {
  Bytes out(n);
  auto state = any<uint32_t>();
  for (std::byte& b : out) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}
bool holds(const Bytes& b, size_t offset, std::span<const std::byte> what) {
  return offset + what.size() <= b.size() &&
         std::equal(what.begin(), what.end(), b.begin() + static_cast<long>(offset));
}
size_t up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The decoder sees one dispatch command of this name, with nothing left over.
void dispatch_is(const Bytes& command, const char* name) {
  const auto all = decode_stream(record(command));
  RC_ASSERT(all.size() == 1u);
  RC_ASSERT(all[0].payload.size() == 1u);
  RC_ASSERT(all[0].payload[0].name == name);
  RC_ASSERT(up(all[0].payload[0].bytes, 16) == up(command.size(), 16));
}
void prefetch_is(const Bytes& command, const char* name) {
  RC_ASSERT(command.size() % 64 == 0u);
  const DecodedCommand c = decode_prefetch(command, 0);
  RC_ASSERT(c.name == name);
  RC_ASSERT(c.bytes == command.size());
}

RC_GTEST_PROP(Encoding, WriteLinear, ()) {
  const auto address = any<uint64_t>() & ~15ull;
  const auto xy = any<uint32_t>();
  const uint32_t offset = in(0, 3);
  const Bytes d = data(in(1, 3000));
  const Bytes c = write_linear(xy, address, d, static_cast<uint8_t>(offset));
  RC_ASSERT(u8(c, 0) == 1 && u8(c, 1) == 0 && u8(c, 2) == offset && u32(c, 4) == xy && u64(c, 8) == address);
  RC_ASSERT(u64(c, 16) == d.size() && u64(c, 24) == 0 && holds(c, 32, d) && c.size() == 32 + d.size());
  dispatch_is(c, "WRITE_LINEAR");
  Bytes h = write_linear_h(xy, address, d);
  RC_ASSERT(u8(h, 0) == 2);
  dispatch_is(h, "WRITE_LINEAR_H");
  const Rectangle r = rectangle();
  const Bytes m = write_linear_multicast(r, static_cast<uint32_t>(address), d, 0);
  RC_ASSERT(u8(m, 1) == r.tiles() && u32(m, 4) == corners(r) && u64(m, 8) == static_cast<uint32_t>(address));
  const uint64_t much = any<uint64_t>() | 1;
  RC_ASSERT(u64(write_linear_header(xy, address, much), 16) == much);
}

RC_GTEST_PROP(Encoding, WriteLinearHHost, ()) {
  const auto id = any<uint32_t>();
  const Bytes e = host_event(id);
  RC_ASSERT(e.size() == 32 && u8(e, 0) == 3 && u8(e, 1) == 1 && u64(e, 8) == 32 && u32(e, 16) == id && u32(e, 20) == 0);
  dispatch_is(e, "WRITE_LINEAR_H_HOST");
  const uint32_t length = in(1, 0xFFFFFFE0), tag = any<uint32_t>();
  const Bytes d = host_data_header(length, tag);
  RC_ASSERT(d.size() == 16 && u8(d, 0) == 3 && u8(d, 1) == 0 && u32(d, 4) == tag && u64(d, 8) == length + 16ull);
}

RC_GTEST_PROP(Encoding, WritePaged, ()) {
  const uint32_t page = 16 * in(1, 300), pages = in(1, 12), base = multiple(16), start = in(0, 0xFFFF);
  const bool dram = any<bool>();
  const Bytes d = data(page * pages);
  const Bytes c = write_paged(dram, static_cast<uint16_t>(start), base, page, d);
  RC_ASSERT(u8(c, 0) == 4 && u8(c, 1) == dram && u16(c, 2) == start && u32(c, 4) == base && u32(c, 8) == page);
  RC_ASSERT(u32(c, 12) == pages && holds(c, 16, d));
  dispatch_is(c, "WRITE_PAGED");
}

RC_GTEST_PROP(Encoding, WritePacked, ()) {
  const auto cores = tiles(140);
  const uint32_t address = multiple(16), offset = in(0, 3), size = in(1, 500);
  const Bytes d = data(size * cores.size());
  const auto type = static_cast<wire::PackedType>(in(0, 5));
  const Bytes c = write_packed(type, address, cores, d, static_cast<uint16_t>(offset));
  const size_t begin = up(16 + 4 * cores.size(), 16);
  RC_ASSERT(u8(c, 0) == 5 && u8(c, 1) == static_cast<uint32_t>(type) << 4 && u16(c, 2) == cores.size());
  RC_ASSERT(u16(c, 4) == offset && u16(c, 6) == size && u32(c, 8) == address && u32(c, 12) == 0);
  for (size_t i = 0; i < cores.size(); ++i) {
    RC_ASSERT(u32(c, 16 + 4 * i) == (cores[i].y << 6 | cores[i].x));
    RC_ASSERT(holds(c, begin + i * up(size, 16), std::span(d).subspan(i * size, size)));
  }
  dispatch_is(c, "WRITE_PACKED");
  const Bytes shared = write_packed_shared(type, address, cores, std::span(d).first(size), 1);
  RC_ASSERT(u8(shared, 1) == (static_cast<uint32_t>(type) << 4 | 2) && holds(shared, begin, std::span(d).first(size)));
  dispatch_is(shared, "WRITE_PACKED");
}

RC_GTEST_PROP(Encoding, WritePackedMulticast, ()) {
  const auto to = rectangles(70);
  const uint32_t address = multiple(16), size = in(1, 300);
  const Bytes d = data(size * to.size());
  const Bytes c = write_packed_multicast(wire::PackedType::Launch, address, to, d);
  RC_ASSERT(u8(c, 1) == 0x21 && u16(c, 2) == to.size() && u16(c, 6) == size);
  for (size_t i = 0; i < to.size(); ++i) {
    RC_ASSERT(u32(c, 16 + 8 * i) == corners(to[i]) && u32(c, 20 + 8 * i) == to[i].tiles());
    RC_ASSERT(holds(c, up(16 + 8 * to.size(), 16) + i * up(size, 16), std::span(d).subspan(i * size, size)));
  }
  dispatch_is(c, "WRITE_PACKED");
}

RC_GTEST_PROP(Encoding, WritePackedLarge, ()) {
  const auto to = rectangles(35);
  const uint32_t address = multiple(16), size = in(1, std::min(2000u, packed_large_capacity(to.size()))),
                 offset = in(0, 3);
  const Bytes d = data(size);
  const Bytes c = write_packed_large(wire::PackedLargeType::Binaries, address, to, d, 0, static_cast<uint16_t>(offset));
  RC_ASSERT(u8(c, 0) == 6 && u8(c, 1) == 2 && u16(c, 2) == to.size() && u16(c, 4) == 16 && u16(c, 6) == offset);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t sub = 16 + 12 * i;
    RC_ASSERT(u32(c, sub) == corners(to[i]) && u32(c, sub + 4) == address && u16(c, sub + 8) == size - 1);
    RC_ASSERT(u8(c, sub + 10) == to[i].tiles() && u8(c, sub + 11) == 1);
    RC_ASSERT(holds(c, up(16 + 12 * to.size(), 16) + i * up(size, 16), d));
  }
  dispatch_is(c, "WRITE_PACKED_LARGE");
}

RC_GTEST_PROP(Encoding, WritePackedLargeInPieces, ()) {
  const auto to = rectangles(8);
  std::vector<Bytes> bytes(in(1, 4));
  std::vector<MulticastPiece> pieces;
  for (Bytes& b : bytes) {
    b = data(in(1, 900));
    pieces.push_back({multiple(16), b});
  }
  const Bytes c = write_packed_large_pieces(wire::PackedLargeType::Config, to, pieces);
  RC_ASSERT(u16(c, 2) == to.size() * pieces.size());
  size_t sub = 16, from = up(16 + 12 * to.size() * pieces.size(), 16);
  for (const Rectangle& r : to) {
    for (const MulticastPiece& piece : pieces) {
      RC_ASSERT(u32(c, sub) == corners(r) && u32(c, sub + 4) == piece.address && u8(c, sub + 10) == r.tiles());
      RC_ASSERT(u16(c, sub + 8) == piece.data.size() - 1);
      RC_ASSERT(u8(c, sub + 11) == (&piece == &pieces.back()));  // the last piece frees the path
      RC_ASSERT(holds(c, from, piece.data));
      sub += 12;
      from += up(piece.data.size(), 16);
    }
  }
  dispatch_is(c, "WRITE_PACKED_LARGE");
}

RC_GTEST_PROP(Encoding, WritePackedLargeUnicast, ()) {
  std::vector<Bytes> bytes(in(1, 35));
  std::vector<UnicastPiece> pieces;
  for (Bytes& b : bytes) {
    b = data(in(1, 900));
    pieces.push_back({tile(), in(0, 3) == 0 ? wire::kDiscardAddress : multiple(16), b});
  }
  const Bytes c = write_packed_large_unicast(pieces, 2);
  RC_ASSERT(u8(c, 0) == 19 && u16(c, 2) == pieces.size() && u16(c, 4) == 16 && u16(c, 6) == 2);
  size_t from = up(16 + 12 * pieces.size(), 16);
  for (size_t i = 0; i < pieces.size(); ++i) {
    RC_ASSERT(u32(c, 16 + 12 * i) == (pieces[i].core.y << 6 | pieces[i].core.x) &&
              u32(c, 20 + 12 * i) == pieces[i].address);
    RC_ASSERT(u32(c, 24 + 12 * i) == pieces[i].data.size() && holds(c, from, pieces[i].data));
    from += up(pieces[i].data.size(), 16);
  }
  dispatch_is(c, "WRITE_PACKED_LARGE_UNICAST");
}

RC_GTEST_PROP(Encoding, Wait, ()) {
  const uint32_t flags = in(1, 31), stream = in(48, 55), count = in(0, 65535), address = any<uint32_t>();
  const Bytes c = wait(static_cast<uint8_t>(flags), static_cast<uint16_t>(stream), count, address);
  RC_ASSERT(c.size() == 16 && u8(c, 0) == 7 && u8(c, 1) == flags && u16(c, 2) == stream && u32(c, 4) == address);
  RC_ASSERT(u32(c, 8) == count && u32(c, 12) == 0);
  dispatch_is(c, "WAIT");
}

RC_GTEST_PROP(Encoding, SmallDispatchCommands, ()) {
  const uint32_t n = any<uint32_t>();
  const Bytes d = delay(n);
  RC_ASSERT(d.size() == 16 && u8(d, 0) == 10 && u32(d, 4) == n);
  dispatch_is(d, "DELAY");
  std::vector<uint32_t> offsets(in(1, 4));
  for (uint32_t& o : offsets) o = any<uint32_t>();
  const auto host_id = any<uint16_t>();
  const Bytes o = set_write_offset(offsets, host_id);
  RC_ASSERT(u8(o, 0) == 12 && u8(o, 1) == offsets.size() && u16(o, 2) == host_id &&
            holds(o, 16, std::as_bytes(std::span(offsets))));
  dispatch_is(o, "SET_WRITE_OFFSET");
  const uint32_t mask = in(0, 255);
  const bool barrier = any<bool>();
  const Bytes s = notify_subordinate_go_signal(barrier, static_cast<uint16_t>(mask));
  RC_ASSERT(s.size() == 16 && u8(s, 0) == 15 && u8(s, 1) == barrier && u16(s, 2) == mask);
  dispatch_is(s, "NOTIFY_SUBORDINATE_GO_SIGNAL");
  const uint32_t sems = in(0, 8);
  const Bytes w = set_num_worker_sems(sems);
  RC_ASSERT(w.size() == 16 && u8(w, 0) == 16 && u32(w, 4) == sems);
  dispatch_is(w, "SET_NUM_WORKER_SEMS");
  const uint32_t address = multiple(16);
  const Bytes t = timestamp(address);
  RC_ASSERT(t.size() == 16 && u8(t, 0) == 18 && u32(t, 4) == 0x01000613 && u32(t, 8) == address);
  dispatch_is(t, "TIMESTAMP");
  const Bytes end = terminate();
  RC_ASSERT(end.size() == 16 && u8(end, 0) == 13);
  dispatch_is(end, "TERMINATE");
  const auto key = any<uint16_t>();
  const Bytes note = data(in(0, 700));
  const Bytes g = debug(key, note, end);
  RC_ASSERT(u8(g, 0) == 9 && u16(g, 2) == key && u32(g, 4) == note.size() && u32(g, 8) == up(16 + note.size(), 16));
  RC_ASSERT(holds(g, 16, note) && holds(g, up(16 + note.size(), 16), end));
  RC_ASSERT(decode_stream(record(g)).at(0).payload.size() == 2u);
  const Bytes away = sink(note);
  RC_ASSERT(u8(away, 0) == 8 && u32(away, 4) == note.size() && holds(away, 16, note) &&
            away.size() == 16 + note.size());
  dispatch_is(away, "SINK");
  RC_ASSERT(u32(sink_header(n), 4) == n && sink_header(n).size() == 16);
}

RC_GTEST_PROP(Encoding, GoSignals, ()) {
  const auto cores = tiles(256);
  const Bytes table = set_go_signal_noc_data(cores);
  RC_ASSERT(u8(table, 0) == 17 && u32(table, 4) == cores.size() && table.size() == 16 + 4 * cores.size());
  for (size_t i = 0; i < cores.size(); ++i) RC_ASSERT(u32(table, 16 + 4 * i) == (cores[i].y << 6 | cores[i].x));
  dispatch_is(table, "SET_GO_SIGNAL_NOC_DATA");
  const arch::GoMessage go{any<uint8_t>(), any<uint8_t>(), any<uint8_t>(), any<uint8_t>()};
  const uint64_t word = go.dispatch_message_offset | go.master_x << 8 | go.master_y << 16 | uint32_t{go.signal} << 24;
  const uint32_t n = in(1, 255), first = in(0, 256 - n > 255 ? 255 : 256 - n), count = any<uint32_t>(),
                 stream = in(48, 55);
  const Bytes c = send_go_signal(go, n, static_cast<uint8_t>(first), count, stream);
  RC_ASSERT(c.size() == 16 && u8(c, 0) == 14 && u32(c, 1) == word && u8(c, 5) == 0xFF && u8(c, 6) == n &&
            u8(c, 7) == first);
  RC_ASSERT(u32(c, 8) == count && u32(c, 12) == stream);
  dispatch_is(c, "SEND_GO_SIGNAL");
  const uint32_t index = in(0, 8);
  const Bytes m = send_go_signal_multicast(go, static_cast<uint8_t>(index), count, stream);
  RC_ASSERT(u32(m, 1) == word && u8(m, 5) == index && u8(m, 6) == 0 && u32(m, 8) == count && u32(m, 12) == stream);
}

RC_GTEST_PROP(Encoding, RelayInline, ()) {
  const auto to = any<bool>() ? wire::Dispatcher::DispatchS : wire::Dispatcher::DispatchD;
  const Bytes d = data(16 * in(1, 250));
  const Bytes c = record(d, to);
  RC_ASSERT(u8(c, 0) == 5 && u8(c, 1) == static_cast<uint32_t>(to) && u32(c, 4) == d.size() && u32(c, 8) == c.size());
  RC_ASSERT(c.size() == up(16 + d.size(), 64) && holds(c, 16, d));
  RC_ASSERT(std::all_of(c.begin() + static_cast<long>(16 + d.size()), c.end(),
                        [](std::byte b) { return b == std::byte{0}; }));
  RC_ASSERT(queue_entry(c) == c.size() / 16 && queue_entry(c, true) == (c.size() / 16 | 0x8000));
  const Bytes n = relay_inline_noflush(d);
  RC_ASSERT(u8(n, 0) == 6 && u32(n, 4) == d.size() && u32(n, 8) == n.size() && holds(n, 16, d));
}

RC_GTEST_PROP(Encoding, RelaysFromMemory, ()) {
  const auto xy = any<uint32_t>();
  const uint64_t address = any<uint64_t>() & ~63ull, length = any<uint64_t>() | 1;
  const Bytes l = relay_linear(xy, address, length);
  RC_ASSERT(u8(l, 0) == 1 && u64(l, 3) == length && u32(l, 11) == xy && u64(l, 15) == address);
  prefetch_is(l, "RELAY_LINEAR");
  const Bytes h = relay_linear_h(xy, address, static_cast<uint32_t>(length));
  RC_ASSERT(u8(h, 0) == 2 && u32(h, 4) == xy && u64(h, 8) == address && u32(h, 16) == static_cast<uint32_t>(length));
  prefetch_is(h, "RELAY_LINEAR_H");
  const bool dram = any<bool>();
  const uint32_t page = 64 * in(1, 2000), pages = in(1, 1000), base = multiple(64), start = in(0, 255);
  const uint32_t drop = 32 * in(0, std::min(page - 32, 0x7FE0u) / 32);
  const Bytes p = relay_paged({dram, static_cast<uint8_t>(start), base, page, pages, drop});
  RC_ASSERT(u8(p, 0) == 3 && u8(p, 1) == start && u16(p, 2) == (uint32_t{dram} << 15 | drop) && u32(p, 4) == base);
  RC_ASSERT(u32(p, 8) == page && u32(p, 12) == pages);
  prefetch_is(p, "RELAY_PAGED");
  std::vector<PagedPiece> pieces(in(1, 35));
  uint64_t total = 0;
  for (PagedPiece& piece : pieces) {
    piece = {any<uint16_t>(), static_cast<uint16_t>(in(6, 31)), multiple(64), 64 * in(1, 1024)};
    total += piece.length;
  }
  const Bytes k = relay_paged_packed(pieces);
  RC_ASSERT(u8(k, 0) == 4 && u16(k, 2) == pieces.size() && u32(k, 4) == total && u32(k, 8) == k.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    RC_ASSERT(u16(k, 16 + 12 * i) == pieces[i].start_page && u16(k, 18 + 12 * i) == pieces[i].log2_page_bytes);
    RC_ASSERT(u32(k, 20 + 12 * i) == pieces[i].base && u32(k, 24 + 12 * i) == pieces[i].length);
  }
  prefetch_is(k, "RELAY_PAGED_PACKED");
}

RC_GTEST_PROP(Encoding, RelayLinearPacked, ()) {
  const auto xy = any<uint32_t>();
  std::vector<LinearPiece> pieces(in(1, 35));
  uint64_t total = 0;
  for (LinearPiece& piece : pieces) {
    piece.length = 64 * in(1, 1024);
    piece.address = (uint64_t{any<uint32_t>()} << 32 | multiple(64, ~0u - piece.length));
    total += piece.length;
  }
  const bool h = any<bool>();
  const Bytes c = h ? relay_linear_packed_h(xy, pieces) : relay_linear_packed(xy, pieces);
  RC_ASSERT(u8(c, 0) == (h ? 16u : 15u) && u16(c, 2) == pieces.size() && u32(c, 4) == xy && u32(c, 8) == total);
  RC_ASSERT(u32(c, 12) == c.size());
  for (size_t i = 0; i < pieces.size(); ++i)
    RC_ASSERT(u64(c, 16 + 12 * i) == pieces[i].address && u32(c, 24 + 12 * i) == pieces[i].length);
  prefetch_is(c, h ? "RELAY_LINEAR_PACKED_H" : "RELAY_LINEAR_PACKED");
}

RC_GTEST_PROP(Encoding, Ringbuffer, ()) {
  const bool from_start = any<bool>();
  const uint32_t log2 = in(6, 31), start = in(0, 255), base = multiple(64), length = 64 * in(1, 2000);
  const uint32_t room = length + 64 * in(0, 1000);
  const Bytes p =
      paged_to_ringbuffer(from_start, static_cast<uint8_t>(log2), static_cast<uint8_t>(start), base, length, room);
  RC_ASSERT(u8(p, 0) == 12 && u8(p, 1) == from_start && u8(p, 2) == log2 && u8(p, 3) == start && u32(p, 4) == room);
  RC_ASSERT(u32(p, 8) == base && u32(p, 12) == length);
  prefetch_is(p, "PAGED_TO_RINGBUFFER");
  const uint32_t offset = multiple(64, wire::kRingbufferBytes);
  const bool write_pointer = any<bool>();
  const Bytes s = set_ringbuffer_offset(offset, write_pointer);
  RC_ASSERT(u8(s, 0) == 13 && u32(s, 1) == offset && u8(s, 8) == write_pointer);
  prefetch_is(s, "SET_RINGBUFFER_OFFSET");
  std::vector<RingPiece> pieces(in(1, 52));
  for (RingPiece& piece : pieces) {
    piece.start = in(0, wire::kRingbufferBytes - 1);
    piece.length = in(1, wire::kRingbufferBytes - piece.start);
  }
  const Bytes r = relay_ringbuffer(pieces);
  RC_ASSERT(u8(r, 0) == 14 && u16(r, 2) == pieces.size() && u32(r, 4) == r.size());
  for (size_t i = 0; i < pieces.size(); ++i)
    RC_ASSERT(u32(r, 16 + 8 * i) == pieces[i].start && u32(r, 20 + 8 * i) == pieces[i].length);
  prefetch_is(r, "RELAY_RINGBUFFER");
}

RC_GTEST_PROP(Encoding, ExecBufAndTheBareOnes, ()) {
  const uint32_t base = multiple(64), log2 = in(6, 20), pages = in(1, 4000);
  const Bytes x = exec_buf(base, log2, pages);
  RC_ASSERT(u8(x, 0) == 7 && u32(x, 4) == base && u32(x, 8) == log2 && u32(x, 12) == pages);
  prefetch_is(x, "EXEC_BUF");
  const Bytes e = exec_buf_end();
  RC_ASSERT(u8(e, 0) == 8 && u32(e, 4) == 16 && u32(e, 8) == 64 && u8(e, 16) == 11);
  prefetch_is(e, "EXEC_BUF_END");
  const Bytes s = stall(), t = prefetch_terminate();
  RC_ASSERT(u8(s, 0) == 9 && u8(t, 0) == 11);
  prefetch_is(s, "STALL");
  prefetch_is(t, "TERMINATE");
  const auto key = any<uint16_t>();
  const Bytes d = data(in(0, 5000));
  const Bytes g = prefetch_debug(key, d);
  RC_ASSERT(u8(g, 0) == 10 && u16(g, 2) == key && u32(g, 4) == d.size() && u32(g, 8) == g.size() && holds(g, 16, d));
  prefetch_is(g, "DEBUG");
}

}  // namespace
}  // namespace kerr::host::cq
