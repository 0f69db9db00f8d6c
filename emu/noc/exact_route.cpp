// Where a packet goes: nodes, channels and branches along its tree.
#include "emu/noc/exact_fabric.hpp"

namespace kerr::emu {

uint8_t ExactFabric::node(const Packet& packet, unsigned along_trunk, unsigned along_branch) const {
  const unsigned x = packet.y_first ? along_branch : along_trunk;
  const unsigned y = packet.y_first ? along_trunk : along_branch;
  const auto from_x = static_cast<unsigned>(packet.source.x());
  const auto from_y = static_cast<unsigned>(packet.source.y());
  const bool backwards = packet.noc == 1;
  const unsigned to_x = (backwards ? from_x + arch::kGridColumns - x : from_x + x) % arch::kGridColumns;
  const unsigned to_y = (backwards ? from_y + arch::kGridRows - y : from_y + y) % arch::kGridRows;
  return static_cast<uint8_t>(to_y * arch::kGridColumns + to_x);
}

// The channel of the next link along the trunk or a branch, `wish` but for its dateline bit: 1 from the link on that
// closes the ring of that axis.
Vc ExactFabric::vc_on(const Packet& packet, unsigned along_trunk, unsigned along_branch, bool branches, Vc wish) const {
  const bool x = branches == packet.y_first;
  const unsigned links = 1 + (branches ? along_branch : along_trunk);
  const auto from = static_cast<unsigned>(x ? packet.source.x() : packet.source.y());
  const auto size = static_cast<unsigned>(x ? arch::kGridColumns : arch::kGridRows);
  const bool crossed = packet.noc == 1 ? links > from : from + links >= size;
  return static_cast<Vc>(wish | (crossed ? kDateline : 0));
}

Passage ExactFabric::passage_at(uint32_t index, unsigned along_trunk, unsigned along_branch) const {
  const Packet& packet = packets_[index];
  Passage passage;
  passage.packet = index;
  if (packet.multicast && packet.linked) passage.train = static_cast<uint16_t>(1 + packet.source.node);
  passage.along_trunk = static_cast<uint8_t>(along_trunk);
  passage.along_branch = static_cast<uint8_t>(along_branch);
  passage.flits = packet.flits;
  const auto add = [&](Way way) { passage.branch[passage.branches++].way = way; };
  if (packet.stops.test(node(packet, along_trunk, along_branch))) add(Way::Exit);
  if (along_branch == 0 && along_trunk < packet.trunk) add(packet.y_first ? Way::Y : Way::X);
  if (along_branch < packet.branch[along_trunk]) add(packet.y_first ? Way::X : Way::Y);
  return passage;
}

size_t ExactFabric::output_of(const Packet& packet, const Passage& passage, Way way) const {
  return (packet.noc * size_t{arch::kGridTiles} + node(packet, passage.along_trunk, passage.along_branch)) * kWays +
         static_cast<size_t>(way);
}

// For each output, the port at the other end of its link; for each port, the output before its link. A NIU has none.
std::array<uint16_t, ExactFabric::kPorts> ExactFabric::neighbours(bool behind) {
  std::array<uint16_t, kPorts> all{};
  for (size_t i = 0; i < kPorts; ++i) {
    const size_t noc = i / kWays / arch::kGridTiles, node = i / kWays % arch::kGridTiles, way = i % kWays;
    size_t x = node % arch::kGridColumns, y = node / arch::kGridColumns;
    const auto step = [&](size_t value, size_t size) { return (value + (behind == (noc == 0) ? 1 : size - 1)) % size; };
    if (way == static_cast<size_t>(Way::X)) x = step(x, arch::kGridColumns);
    if (way == static_cast<size_t>(Way::Y)) y = step(y, arch::kGridRows);
    all[i] = static_cast<uint16_t>((noc * arch::kGridTiles + y * arch::kGridColumns + x) * kWays + way);
  }
  return all;
}

}  // namespace kerr::emu
