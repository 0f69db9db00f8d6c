#include "emu/chip/tlb_windows.hpp"

#include <fmt/format.h>

#include "emu/chip/coordinates.hpp"
#include "emu/noc/multicast.hpp"

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

uint32_t& word_of(pcie::TlbWords& words, uint32_t index) {
  return index == 0 ? words.low : index == 1 ? words.mid : words.high;
}

constexpr uint32_t kStridedOffset = pcie::kStridedConfigBase - pcie::kTlbConfigBase;

// The strided register as the word that NIUs use for the same thing: fields one place further up, wider coordinates.
constexpr Exclusion exclusion_of(uint32_t strided) {
  uint32_t word = strided & 0xFF;
  word |= ((strided >> 8) & 0x1F) << 8;
  word |= ((strided >> 13) & 0xF) << 14;
  word |= ((strided >> 17) & 0x7) << 20;
  return {word};
}

}  // namespace

uint32_t TlbWindows::read_config(uint32_t offset) const {
  if (offset >= kStridedOffset) return strided_[(offset - kStridedOffset) / 4];
  pcie::TlbWords words = windows_[offset / pcie::kTlbConfigEntryBytes].words;
  return word_of(words, offset % pcie::kTlbConfigEntryBytes / 4);
}

void TlbWindows::write_config(uint32_t offset, uint32_t value) {
  if (offset >= kStridedOffset) {
    strided_[(offset - kStridedOffset) / 4] = value;
    return;
  }
  Window& window = windows_[offset / pcie::kTlbConfigEntryBytes];
  word_of(window.words, offset % pcie::kTlbConfigEntryBytes / 4) = value;
  window.stale = true;
}

WindowTarget TlbWindows::resolve(int window, uint64_t offset) {
  Window& configured = windows_[static_cast<size_t>(window)];
  if (configured.stale) configured.entry = pcie::decode(pcie::tlb_format(window), configured.words);
  configured.stale = false;
  const pcie::TlbEntry& entry = configured.entry;
  WindowTarget target;
  target.noc = entry.noc;
  target.address = (entry.local_offset << pcie::tlb_format(window).offset_shift) | offset;
  target.multicast = entry.multicast;
  target.posted = entry.ordering >= pcie::Ordering::Posted;
  if (entry.multicast) {
    find_receivers(entry, window < pcie::kStridedWindows ? strided_[static_cast<size_t>(window)] : 0, target);
    return target;
  }
  // The start corner means nothing to a unicast, whatever a driver left there.
  const auto tile = tile_at(geometry_, chip_, entry.noc, entry.x_end, entry.y_end);
  if (tile) {
    target.tiles.push_back(*tile);
  } else {
    target.problem = fmt::format("window {} points at ({},{}), which names no tile", window, entry.x_end, entry.y_end);
  }
  return target;
}

void TlbWindows::find_receivers(const pcie::TlbEntry& entry, uint32_t strided, WindowTarget& target) const {
  const auto start = own_coordinate(geometry_, entry.noc, entry.x_start, entry.y_start);
  const auto end = own_coordinate(geometry_, entry.noc, entry.x_end, entry.y_end);
  if (!start || !end) {
    target.problem = fmt::format("a corner of the multicast rectangle ({},{})..({},{}) names no tile", entry.x_start,
                                 entry.y_start, entry.x_end, entry.y_end);
    return;
  }
  const Rectangle rectangle{*start, *end};
  const Exclusion exclusion = exclusion_of(strided);
  if (exclusion.any() && rectangle.wraps()) {
    target.problem = "a multicast rectangle that wraps round the grid cannot leave tiles out";
    return;
  }
  for (const uint8_t node : geometry_.tensix()) {
    const arch::NocCoord own = arch::raw_to_noc(entry.noc, NocGeometry::raw_of(node));
    if (!rectangle.contains(own) || exclusion.leaves_out(rectangle, own)) continue;
    target.tiles.push_back({static_cast<uint8_t>(chip_), node});
  }
  if (target.tiles.empty()) {
    target.problem = fmt::format("the multicast rectangle ({},{})..({},{}) holds no Tensix tile in working order",
                                 entry.x_start, entry.y_start, entry.x_end, entry.y_end);
  }
}

}  // namespace kerr::emu
