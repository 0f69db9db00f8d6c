#include "check/caches/data_caches.hpp"

#include <algorithm>
#include <cstring>

namespace kerr::check {

namespace {

// Bytes of the line at `line` that lie in [address, end).
uint16_t bytes_in(uint32_t line, uint64_t address, uint64_t end) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < DataCaches::kLineBytes; ++i)
    if (line + i >= address && line + i < end) mask |= 1u << i;
  return static_cast<uint16_t>(mask);
}

}  // namespace

void DataCaches::set(int hart, bool on) {
  Cache& cache = caches_[static_cast<size_t>(hart)];
  cache = {};
  cache.on = on;
  any_ = std::ranges::any_of(caches_, &Cache::on);
}

// The hart's own stores drop the line.
void DataCaches::written(uint64_t address, uint64_t bytes, const Stamp& by, int own) {
  for (size_t h = 0; h < caches_.size(); ++h) {
    if (!caches_[h].on) continue;
    for (Line& line : caches_[h].lines) {
      if (line.address == kNoLine || line.address >= address + bytes || line.address + kLineBytes <= address) continue;
      if (static_cast<int>(h) == own) {
        line = {};
        continue;
      }
      line.old |= bytes_in(line.address, address, address + bytes);
      line.by = by;
    }
  }
}

std::optional<DataCaches::Old> DataCaches::loaded(int hart, uint32_t address, uint32_t bytes,
                                                  std::span<const uint8_t> l1) {
  Cache& cache = caches_[static_cast<size_t>(hart)];
  const uint32_t at = address / kLineBytes * kLineBytes;
  const auto hit = std::ranges::find(cache.lines, at, &Line::address);
  if (hit != cache.lines.end()) {
    if ((hit->old & bytes_in(at, address, address + bytes)) == 0) return {};
    Old old{.by = hit->by};
    std::memcpy(&old.value, hit->held.data() + (address - at), std::min({bytes, at + kLineBytes - address, 4u}));
    return old;
  }
  Line& line = cache.lines[cache.next] = {.address = at};
  if (uint64_t{at} + kLineBytes <= l1.size()) std::copy_n(l1.begin() + at, kLineBytes, line.held.begin());
  cache.next = (cache.next + 1) % cache.lines.size();
  return {};
}

}  // namespace kerr::check
