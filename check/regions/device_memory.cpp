#include "check/regions/device_memory.hpp"

#include <iterator>
#include <variant>

namespace kerr::check {

void DeviceMemory::noted(const arch::note::Note& note, emu::Cycle now) {
  if (const auto* launch = std::get_if<arch::note::Launched>(&note)) {
    last_launch_ = launch->id;
  } else if (const auto* a = std::get_if<arch::note::Allocated>(&note)) {
    const uint64_t begin = a->address, end = begin + a->per_bank;
    buffers_[a->id] = {a->space, begin};
    (a->space == Space::Dram ? dram_ : l1_)[begin] = {end, a->id};
    if (a->space == Space::Dram) take_from_freed(begin, end);
  } else if (const auto* freed = std::get_if<arch::note::Freed>(&note)) {
    const auto known = buffers_.find(freed->id);
    if (known == buffers_.end()) return;
    const auto [space, begin] = known->second;
    buffers_.erase(known);
    std::map<uint64_t, Range>& of = space == Space::Dram ? dram_ : l1_;
    const auto range = of.find(begin);
    if (range == of.end() || range->second.buffer != freed->id) return;
    const uint64_t end = range->second.end;
    of.erase(range);
    if (space != Space::Dram) return;
    take_from_freed(begin, end);
    freed_[begin] = {end, freed->id, last_launch_, now};
  }
}

void DeviceMemory::take_from_freed(uint64_t begin, uint64_t end) {
  auto at = freed_.lower_bound(begin);
  if (at != freed_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != freed_.end() && at->first < end) {
    const uint64_t first = at->first;
    const Freed whole = at->second;
    at = freed_.erase(at);
    if (first < begin) {
      Freed below = whole;
      below.end = begin;
      freed_[first] = below;
    }
    if (whole.end > end) at = freed_.emplace(end, whole).first;
  }
}

const DeviceMemory::Freed* DeviceMemory::freed_dram(uint64_t address, uint64_t bytes) const {
  if (freed_.empty()) return nullptr;
  auto at = freed_.upper_bound(address);
  if (at != freed_.begin() && std::prev(at)->second.end > address) return &std::prev(at)->second;
  return at != freed_.end() && at->first < address + bytes ? &at->second : nullptr;
}

bool DeviceMemory::is_buffer_in_l1(uint64_t address, uint64_t bytes) const {
  const auto at = l1_.upper_bound(address);
  return at != l1_.begin() && std::prev(at)->second.end >= address + bytes;
}

}  // namespace kerr::check
