#include "check/caches/data_caches.hpp"

#include <algorithm>

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

const Stamp* DataCaches::loaded(int hart, uint32_t address, uint32_t bytes) {
  Cache& cache = caches_[static_cast<size_t>(hart)];
  const uint32_t at = address / kLineBytes * kLineBytes;
  const auto hit = std::ranges::find(cache.lines, at, &Line::address);
  if (hit != cache.lines.end()) return (hit->old & bytes_in(at, address, address + bytes)) != 0 ? &hit->by : nullptr;
  cache.lines[cache.next] = {.address = at};
  cache.next = (cache.next + 1) % cache.lines.size();
  return nullptr;
}

}  // namespace kerr::check
