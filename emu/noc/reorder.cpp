#include "emu/noc/reorder.hpp"

#include "emu/hash.hpp"

namespace kerr::emu {

namespace {

// What the numbers of one flow are drawn for.
enum class Draw : uint64_t { Flow, Reads, Alone };

// From 0 to 4095, small ones as often as large ones: races are as short as a word or as long as a packet of 16 KiB.
Cycle cycles_of(uint64_t hash) {
  const unsigned bits = 5 + (hash & 7);
  return hash >> 8 & ((Cycle{1} << bits) - 1);
}

}  // namespace

Cycle Reorder::drawn(const Message& m) const {
  const uint64_t flow = uint64_t{m.source.chip} << 40 | uint64_t{m.source.node} << 32 |
                        uint64_t{m.destination.chip} << 24 | uint64_t{m.destination.node} << 16 | uint64_t{m.noc} << 9 |
                        uint64_t{m.multicast} << 8 | m.vc;
  const auto draw = [&](Draw what, uint64_t which = 0) {
    return cycles_of(mix(mix(*seed_, flow), static_cast<uint64_t>(what) << 60 | which));
  };
  if (is_response(m.kind) || !(m.static_vc || m.linked)) return draw(Draw::Alone, m.sequence);
  const bool passable = m.kind == MessageKind::ReadRequest && !m.linked;
  return draw(Draw::Flow) + (passable ? draw(Draw::Reads) : 0);
}

}  // namespace kerr::emu
