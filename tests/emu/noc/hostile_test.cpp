// Whatever is written to a NIU or sent to a tile: a fault or an effect, never a crash.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace arch::niu;

// Numbers near the edges of things, or anything.
rc::Gen<uint32_t> edge() {
  return rc::gen::weightedOneOf<uint32_t>(
      {{3, rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x40), [](uint32_t v) { return v * 16; })},
       {2, rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x40), [](uint32_t v) { return 0x180000 - v * 4; })},
       {2, rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x20000), [](uint32_t v) { return 0xFFB10000 + v * 4; })},
       {2, rc::gen::arbitrary<uint32_t>()}});
}
rc::Gen<uint32_t> coordinate() {
  return rc::gen::weightedOneOf<uint32_t>(
      {{4, rc::gen::map(rc::gen::pair(rc::gen::inRange<uint32_t>(1, 8), rc::gen::inRange<uint32_t>(2, 12)),
                        [](const auto& xy) { return at(xy.first, xy.second); })},
       {2, rc::gen::map(rc::gen::arbitrary<uint32_t>(), [](uint32_t v) { return v & 0xFFFFFF; })}});
}

const std::vector<uint32_t> kControlWords{kCtrlWordRead, kCtrlWordWrite, kCtrlWordInline, kCtrlWordAtomic,
                                          0x81B2,        0x281B2,        0x81B1,          0x81BA};

RC_GTEST_PROP(Hostile, AnyRequestOfANiuIsAFaultOrAnEffect, ()) {
  World world;
  Tile& a = world.tile(1, 2);
  world.tile(2, 2);
  world.tile(3, 3);
  for (int i = 0; i < 20; ++i) {
    Request r;
    r.ctrl = *rc::gen::weightedOneOf<uint32_t>(
        {{3, rc::gen::elementOf(kControlWords)}, {1, rc::gen::arbitrary<uint32_t>()}});
    r.targ = *edge();
    r.ret = *edge();
    r.targ_hi = *coordinate();
    r.ret_hi = *coordinate();
    r.length = *rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 64), rc::gen::just<uint32_t>(0x107C), edge());
    r.data = *edge();
    r.exclude = *rc::gen::weightedOneOf<uint32_t>({{3, rc::gen::just(0u)}, {1, rc::gen::arbitrary<uint32_t>()}});
    r.tag = *rc::gen::inRange<uint32_t>(0, 16) << 10;
    const bool accepted = issue(a, r, *rc::gen::inRange(0, 2), *rc::gen::inRange(0, 4));
    RC_ASSERT(accepted != a.faults().any());
    world.run(256);
    (void)a.faults().take();  // also those of what has arrived
  }
  world.run(4096);
}

RC_GTEST_PROP(Hostile, AnyRegisterTakesAnyWordOrFaults, ()) {
  World world;
  Tile& tile = world.tile();
  for (int i = 0; i < 50; ++i) {
    const uint32_t address = *rc::gen::oneOf(
        rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x80000 / 4), [](uint32_t v) { return 0xFFB00000 + 4 * v; }),
        rc::gen::map(rc::gen::inRange<uint32_t>(0, 0x500), [](uint32_t v) { return 0xFFB20000 + 4 * v; }),
        rc::gen::map(rc::gen::arbitrary<uint32_t>(), [](uint32_t v) { return v & ~3u; }));
    if (*rc::gen::arbitrary<bool>()) {
      set(tile, address, *edge());
    } else {
      uint8_t bytes[4];
      (void)tile.host_read(address, bytes);
    }
  }
  world.run(1024);
}

RC_GTEST_PROP(Hostile, AnyMessageIsAFaultOrAnEffect, ()) {
  World world;
  Tile& tile = world.tile();
  for (int i = 0; i < 20; ++i) {
    Message m;
    m.arrival = *rc::gen::inRange<Cycle>(0, 1000);
    m.source = TileId::at(0, *rc::gen::inRange(0, 17), *rc::gen::inRange(0, 12));
    m.noc = *rc::gen::inRange<uint8_t>(0, 2);
    m.destination = tile.id();
    m.kind = static_cast<MessageKind>(*rc::gen::inRange(0, 7));
    m.marked = *rc::gen::arbitrary<bool>();
    m.multicast = *rc::gen::arbitrary<bool>();
    m.transaction_id = *rc::gen::arbitrary<uint8_t>();
    m.address =
        *rc::gen::oneOf(rc::gen::map(edge(), [](uint32_t v) { return uint64_t{v}; }), rc::gen::arbitrary<uint64_t>());
    m.length = *edge();
    m.operand = *edge();
    m.opcode_fields = *rc::gen::oneOf(rc::gen::just<uint32_t>(0x107C), rc::gen::arbitrary<uint32_t>());
    m.reply_tile = *rc::gen::arbitrary<bool>() ? tile.id() : TileId::at(0, 5, 5);
    m.reply_address = *edge();
    m.payload = Payload(static_cast<size_t>(*rc::gen::inRange(0, 100)));
    std::memset(m.payload.data(), 0, m.payload.size());
    tile.inbox().push(std::move(m));
  }
  world.run(2048);
}

}  // namespace
}  // namespace kerr::emu
